/// Changes that are made together.
extension SocialGraph {
  /// Makes many changes atomically: all of them, or none if `body` throws. Queries never see a part of them.
  ///
  /// ```swift
  /// try graph.batch { batch in
  ///   let bob = try batch.addUser("bob")
  ///   try batch.follow(bob, as: ann)
  /// }
  /// ```
  ///
  /// Do not read or write the graph inside `body`: use the batch. A nested call ends the process with a message.
  /// - Returns: what `body` returns, once all its changes are durable.
  /// - Throws: the error that `body` throws, unchanged: any error of its own, or `KithError.inBatch` from the verbs of
  ///   the batch; `KithError.invalidRequest` if there are more than 10,000 changes; `readOnly`, `closed`;
  ///   `indeterminate` if writing failed.
  @discardableResult
  public func batch<R>(_ body: (inout Batch) throws -> R) throws -> R {
    try measureBatch { () throws(KithError) in try finish(try applyTogether(body)) }.get()
  }

  /// Makes many changes atomically, by a body that throws nothing but `KithError`.
  ///
  /// The same as the form above; a typed `throws` keeps the type of its error.
  /// - Returns: what `body` returns, once all its changes are durable.
  /// - Throws: the error that `body` throws, and those of the form above.
  @discardableResult
  public func batch<R>(_ body: (inout Batch) throws(KithError) -> R) throws(KithError) -> R {
    try measureBatch { () throws(KithError) in try finish(try applyTogether(body)) }.get()
  }

  /// Applies a batch under the lock. It is not yet durable.
  /// - Throws: `readOnly`, `closed`, or why the journal is unusable.
  func applyTogether<R, E: Error>(_ body: (inout Batch) throws(E) -> R) throws(KithError) -> AppliedBatch<R, E> {
    let began = beginLockWait()
    return try lock.write { () throws(KithError) in
      endLockWait(began)
      try checkWritable()
      return applyTogether(limit: Limits.batchCount, body)
    }
  }

  /// Waits until a batch is durable, and notifies observers.
  func finish<R, E: Error>(_ applied: AppliedBatch<R, E>) throws(KithError) -> Result<R, E> {
    if case .success = applied.result {
      try commit(applied.sequence)
      if let observers = applied.observers { notify(observers, applied.made, sequence: applied.sequence) }
    }
    return applied.result
  }

  /// Applies a batch inside the lock.
  private func applyTogether<R, E: Error>(
    limit: Int, _ body: (inout Batch) throws(E) -> R
  ) -> AppliedBatch<R, E> {
    let before = live.state.pin()
    let observers = activeObservers
    var batch = Batch(graph: self, limit: limit, records: store != nil || observers != nil)
    do throws(E) {
      let result = try body(&batch)
      let made = batch.made
      if !made.isEmpty {
        store?.enqueue(made.lazy.map { $0.change })
        observers?.feed.record(made.lazy.map { $0.change }, after: before.sequence)
      }
      wakeIndexers()
      return AppliedBatch(
        result: .success(result), made: made, sequence: live.state.sequence, observers: made.isEmpty ? nil : observers)
    } catch {
      live.state = before
      return AppliedBatch(result: .failure(error), made: [], sequence: live.state.sequence, observers: nil)
    }
  }

  /// Applies changes that another process made and journaled together, to a graph opened for reading.
  package func follow(_ changes: [Change]) throws(KithError) {
    let applied = lock.write {
      applyTogether(limit: .max) { batch throws(KithError) in
        for change in changes { try batch.apply(change) }
      }
    }
    try applied.result.get()
    if let observers = applied.observers { notify(observers, applied.made, sequence: applied.sequence) }
  }

  /// Makes the changes of an import or a seeder: without a limit and without roll-back. Indexes, backward lists and
  /// lists of posts are built at the end; until then, followers, likers and posts must not be listed. The changes
  /// bypass the journal: only a snapshot saves them, and other changes are rejected until it is written. If `body`
  /// throws, the graph must be discarded.
  /// - Parameter isForSaving: whether the graph is only saved and closed afterwards. What is built at the end, which a
  ///   snapshot does not hold, is then not built.
  package func bulk<R, E: Error>(
    isForSaving: Bool = false, _ body: (inout Batch) throws(E) -> R
  ) throws(E) -> R {
    let result = try PagePool.filling { () throws(E) in
      try lock.write { () throws(E) -> R in
        store?.beginBulk()
        live.state.beginBulk()
        var batch = Batch(graph: self, limit: .max, records: false)
        let result = try body(&batch)
        if isForSaving { return result }
        live.state.endBulk(workers: SystemDisk.coreCount)
        wakeIndexers(all: true)
        return result
      }
    }
    // With a store, the snapshot that must follow notifies the observers.
    if store == nil { notifyAll(through: read { $0.sequence }) }
    return result
  }
}

/// What a batch did, before it is durable.
struct AppliedBatch<R, E: Error> {
  /// What its body returned, or threw. Then nothing changed.
  let result: Result<R, E>
  let made: [AppliedChange]
  /// The number of the last change of the graph.
  let sequence: UInt64
  /// The observers to notify, if any.
  let observers: Observers?
}

extension AppliedBatch: Sendable where R: Sendable {}
