/// The async forms of everything that waits for the disk, under the names of the synchronous ones. In async code the
/// compiler prefers them; a synchronous closure calls the synchronous ones.
///
/// They suspend the task and block no thread of the cooperative pool. A task that is cancelled before it hands its work
/// over gets `KithError.cancelled`, and nothing happens. Work that was handed over is done, whether or not the task is
/// cancelled meanwhile, and the call returns its result. `close` is never refused by cancellation.
///
/// The child of a fork lacks the threads that they need. There the calling thread does the work, as in the synchronous
/// forms: changes of the parent's store throw `storeInUse` at once.
extension SocialGraph {
  /// Opens a store directory or a snapshot file. See the synchronous form.
  /// - Throws: as the synchronous form; `KithError.cancelled`.
  public static func open(
    _ path: String, access: Access = .readWrite, options: Options = Options(),
    schema: Schema? = nil, instrument: (any GraphInstrument)? = nil, onEvent: (@Sendable (StoreEvent) -> Void)? = nil
  ) async throws(KithError) -> SocialGraph {
    try AsyncWork.checkCancellation()
    return try await AsyncWork.run { () throws(KithError) in
      try open(path, access: access, options: options, schema: schema, instrument: instrument, onEvent: onEvent)
    }
  }

  /// Makes one change. See the synchronous form.
  /// - Returns: its sequence number, and the id if one was assigned. A change without effect takes no number.
  /// - Throws: as the synchronous form; `KithError.cancelled`.
  @discardableResult
  public func apply(_ change: Change) async throws(KithError) -> ChangeResult {
    guard let operation = change.operation else { throw .invalidRequest(.declaredAtOpen) }
    return try await measure(operation) { () async throws(KithError) in
      try await asyncWork.change { () throws(KithError) in
        try self.applyNow(change)
      } finishing: { (applied, notification) throws(KithError) in
        try self.finish(applied, notification)
      }
    }
  }

  /// Makes many changes atomically, by a body that may throw an error of its own. See the synchronous form.
  ///
  /// The verbs of the batch are synchronous; `body` runs on a thread of the graph.
  /// - Returns: what `body` returns, once all its changes are durable.
  /// - Throws: the error that `body` throws, unchanged; as the synchronous form; `KithError.cancelled`.
  @discardableResult
  public func batch<R: Sendable>(_ body: @escaping @Sendable (inout Batch) throws -> R) async throws -> R {
    try await changeTogether(body).get()
  }

  /// Makes many changes atomically, by a body that throws nothing but `KithError`.
  ///
  /// The same as the form above; a typed `throws` keeps the type of its error.
  /// - Returns: what `body` returns, once all its changes are durable.
  /// - Throws: the error that `body` throws, and those of the form above.
  @discardableResult
  public func batch<R: Sendable>(
    _ body: @escaping @Sendable (inout Batch) throws(KithError) -> R
  ) async throws(KithError) -> R {
    try await changeTogether(body).get()
  }

  private func changeTogether<R: Sendable, E: Error>(
    _ body: @escaping @Sendable (inout Batch) throws(E) -> R
  ) async throws(KithError) -> Result<R, E> {
    try await measureBatch { () async throws(KithError) in
      try await asyncWork.change { () throws(KithError) in
        try self.applyTogether(body)
      } finishing: { (applied) throws(KithError) in
        try self.finish(applied)
      }
    }
  }

  /// Writes a snapshot of the current state to the store. See the synchronous form.
  /// - Parameters:
  ///   - coreCount: the most cores used for encoding; nil for all.
  ///   - onProgress: called after about every megabyte, in order, on a thread of the graph.
  /// - Throws: as the synchronous form; `KithError.cancelled`.
  @discardableResult
  public func snapshot(
    coreCount: Int? = nil, onProgress: @escaping @Sendable (SnapshotInfo.Progress) -> Void = { _ in }
  ) async throws(KithError) -> SnapshotInfo {
    try AsyncWork.checkCancellation()
    return try await AsyncWork.run { () throws(KithError) in
      try self.snapshot(coreCount: coreCount, onProgress: onProgress)
    }
  }

  /// Gives the store up for a while. See the synchronous form.
  /// - Throws: as the synchronous form. A cancelled task suspends it, too.
  public func suspend() async throws(KithError) {
    try await AsyncWork.run { () throws(KithError) in try self.suspend() }
  }

  /// Takes the store again. See the synchronous form.
  /// - Throws: as the synchronous form; `KithError.cancelled`.
  public func resume() async throws(KithError) {
    try AsyncWork.checkCancellation()
    try await AsyncWork.run { () throws(KithError) in try self.resume() }
  }

  /// Checks every invariant of the current state, while changes go on. See `GraphView.verify`.
  ///
  /// - Parameter control: reports the fraction that is done, and cancels, as the cancellation of the task does.
  /// - Returns: the violations; empty if the graph is consistent.
  /// - Throws: `KithError.cancelled`, `closed`.
  /// - Complexity: O(graph · log longest list).
  public func verify(control: PassControl = PassControl()) async throws(KithError) -> [Violation] {
    try AsyncWork.checkCancellation()
    let pin = pin()
    let outcome = await withTaskCancellationHandler {
      await AsyncWork.outcome { () throws(KithError) in try pin.view.verify(control: control) }
    } onCancel: {
      control.cancel()
    }
    return try outcome.get()
  }

  /// Closes the graph. See the synchronous form.
  /// - Throws: as the synchronous form. A cancelled task closes it, too.
  public func close() async throws(KithError) {
    try await AsyncWork.run { () throws(KithError) in try self.close() }
  }
}
