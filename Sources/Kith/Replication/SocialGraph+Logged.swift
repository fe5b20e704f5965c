/// The records of a log, applied to a replica: a graph whose verbs answer `readOnly`.
extension SocialGraph {
  /// The most changes applied in one hold of the writer lock, groups apart, which are never divided.
  package static let loggedSliceCount = 64

  /// What became of one request of a record: the results of its changes, or why it has no effect.
  package typealias LoggedOutcome = Result<[ChangeResult], KithError>

  /// Rejects a change that no state accepts.
  /// - Throws: `invalidUsername`, `textTooLong`, `cannotFollowSelf`, `invalidRequest`.
  package static func checkShape(_ change: Change) throws(KithError) { try GraphState.checkShape(change) }

  /// Rejects a change that would exceed a limit of the options.
  /// - Throws: `limitExceeded`.
  package func checkLimits(_ change: Change) throws(KithError) {
    try read { view throws(KithError) in try limits.check(change, view.state) }
  }

  /// Rejects a group of changes that would exceed a limit of the options together.
  /// - Throws: `inBatch` with `limitExceeded`.
  package func checkLimits(_ group: [Change]) throws(KithError) {
    try read { view throws(KithError) in try limits.check(group, view.state) }
  }

  /// Begins to apply many records: lists of followers and likers are built at the end, and must not be queried before.
  package func beginCatchingUp() { lock.write { live.state.deferBackward() } }

  /// Builds the lists that `beginCatchingUp` deferred.
  /// - Complexity: O(edges · log longest list).
  package func endCatchingUp() {
    lock.write {
      live.state.buildBackward()
      wakeIndexers(all: true)
    }
  }

  /// Validates the requests of a record and applies those that hold, in slices; queries run in between. Observers are
  /// notified after each slice: what a log holds is durable.
  ///
  /// The result depends on the record and the state alone: no clock is read, and the limits of the options do not
  /// bind. A request that is refused is an outcome, no error.
  /// - Parameters:
  ///   - at: the time of requests that give none.
  ///   - chain: the outcome chain, which is continued.
  ///   - tokens: the outcomes of requests with tokens. A request whose token is among them gets that outcome and has no
  ///     effect.
  ///   - collecting: whether the outcomes are wanted; otherwise none are returned.
  /// - Throws: `closed`, before the first slice only if nothing else closes the graph.
  package func applyLogged(
    _ requests: LoggedRequests, position: UInt64, at time: Timestamp, chain: inout UInt64,
    tokens: inout LoggedTokens, collecting: Bool
  ) throws(KithError) -> [LoggedOutcome] {
    var run = LoggedRun(position: position, time: time, collecting: collecting)
    tokens.forget(before: time)
    run.chain = OutcomeChain.begin(position, after: chain)
    while run.next < requests.entries.count {
      let (observers, sequence) = try lock.write { () throws(KithError) -> (Observers?, UInt64) in
        try live.checkOpen()
        let observers = activeObservers
        let before = live.state.sequence
        applySlice(of: requests, &run, &tokens, records: observers != nil)
        wakeIndexers()
        if run.made.isEmpty { return (nil, before) }
        observers?.feed.record(run.made.lazy.map { $0.change }, after: before)
        return (observers, live.state.sequence)
      }
      if let observers { notify(observers, run.made, sequence: sequence) }
      run.made.removeAll(keepingCapacity: true)
    }
    chain = run.chain
    return run.outcomes
  }

  /// Applies entries inside the lock, until the slice is full.
  private func applySlice(
    of requests: LoggedRequests, _ run: inout LoggedRun, _ tokens: inout LoggedTokens, records: Bool
  ) {
    var count = 0
    while run.next < requests.entries.count, count < Self.loggedSliceCount {
      let entry = requests.entries[run.next]
      if let token = entry.token, let known = tokens[token] {
        run.accept(known)
      } else if let expected = entry.expected, run.next > 0 || run.position != expected &+ 1 {
        run.refuse(.conflict(position: run.position))
      } else if entry.isGroup {
        let results = applyGroup(requests.changes[entry.range], &run, records: records, returns: entry.token != nil)
        if let token = entry.token, let results { tokens.note(token, results, at: run.time) }
      } else if let change = requests.changes[entry.range].first {
        let applied = applySingle(change, &run, records: records)
        if let token = entry.token, let applied { tokens.note(token, [applied], at: run.time) }
      } else if run.collecting {
        run.outcomes.append(.success([]))
      }
      run.next += 1
      count += max(1, entry.range.count)
    }
  }

  /// - Returns: its result; nil if it is refused.
  private func applySingle(_ change: Change, _ run: inout LoggedRun, records: Bool) -> ChangeResult? {
    let time = run.time
    do throws(KithError) {
      let (applied, made) = try complete(change, now: { time }, replaying: false, records: records)
      if let made { run.made.append(made) }
      run.chain = OutcomeChain.accept(applied, after: run.chain)
      if run.collecting { run.outcomes.append(.success([applied])) }
      return applied
    } catch {
      run.refuse(error)
      return nil
    }
  }

  /// Applies changes that are made together or not at all.
  /// - Returns: their results, if they are wanted or collected; nil if the group is refused.
  private func applyGroup(
    _ changes: ArraySlice<Change>, _ run: inout LoggedRun, records: Bool, returns: Bool
  ) -> [ChangeResult]? {
    let before = live.state.pin()
    let (madeCount, chain, time) = (run.made.count, run.chain, run.time)
    var results: [ChangeResult] = []
    var added: [Int64] = []
    do throws(KithError) {
      for change in changes {
        let (applied, made) = try complete(
          change.resolved(by: added), now: { time }, replaying: false, records: records)
        if let made { run.made.append(made) }
        run.chain = OutcomeChain.accept(applied, after: run.chain)
        added.append(applied.user?.rawValue ?? applied.post?.rawValue ?? 0)
        if run.collecting || returns { results.append(applied) }
      }
      if run.collecting { run.outcomes.append(.success(results)) }
      return results
    } catch {
      live.state = before
      run.made.removeSubrange(madeCount...)
      run.chain = chain
      run.refuse(.inBatch(index: added.count, error))
      return nil
    }
  }
}

/// The progress of applying a record.
private struct LoggedRun {
  let position: UInt64
  let time: Timestamp
  let collecting: Bool
  var chain: UInt64 = 0
  /// The index of the next entry.
  var next = 0
  /// The changes of the slice that had an effect, for observers.
  var made: [AppliedChange] = []
  var outcomes: [SocialGraph.LoggedOutcome] = []

  init(position: UInt64, time: Timestamp, collecting: Bool) {
    self.position = position
    self.time = time
    self.collecting = collecting
  }

  /// Gives a repeated request the results of the first.
  mutating func accept(_ results: [ChangeResult]) {
    for result in results { chain = OutcomeChain.accept(result, after: chain) }
    if collecting { outcomes.append(.success(results)) }
  }

  mutating func refuse(_ error: KithError) {
    chain = OutcomeChain.refuse(after: chain)
    if collecting { outcomes.append(.failure(error)) }
  }
}
