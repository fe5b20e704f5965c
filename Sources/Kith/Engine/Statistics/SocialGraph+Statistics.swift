extension SocialGraph {
  /// Counts and latencies since the graph was opened, for dashboards and logs. `metrics` of the result lists them by
  /// name.
  ///
  /// Commits, pins, observers, compactions and snapshots are always counted. Queries and changes are measured only with
  /// `Options.measuresLatency` or an instrument, because reading the clock twice costs about as much as `isFollowing`.
  /// - Complexity: O(1): about a hundred microseconds. Waits for no disk.
  public func statistics() -> Statistics {
    let (sequence, counts, byteCount) = read { view in (view.sequence, view.counts, view.memoryReport().byteCount) }
    let observers = formerObservers
    let changeObserverCount = observers?.feed.observerCounts.all ?? 0
    return Statistics(
      time: .now(), sequence: sequence, counts: counts, byteCount: byteCount, acceptsChanges: acceptsChanges,
      lastFailure: lastFailure, operations: recorder?.read() ?? [:],
      lockWaitNanoseconds: recorder?.lockWaits.read() ?? LogLinearHistogram(),
      commits: store?.commits(through: sequence) ?? .none, pins: pins.read(),
      liveQueryCount: max(0, (observers?.total ?? 0) - changeObserverCount), changeObserverCount: changeObserverCount,
      userCompactions: .init(nameMaintainer.compactions), postCompactions: .init(postMaintainer.compactions),
      snapshots: store?.events.snapshots ?? .init())
  }

  /// Why changes are refused now; nil if they are accepted: for a health check.
  ///
  /// `readOnly`, `closed`, the failure of a journal that is not repaired yet, or that the graph is suspended.
  public var refusal: KithError? {
    do throws(KithError) {
      try checkOpen()
      if isReadOnly { throw .readOnly }
      try store?.checkWritable()
      return nil
    } catch {
      return error
    }
  }

  /// The last failure of the store; nil for none.
  package var lastFailure: Statistics.Failure? { store?.events.lastFailure }

  /// Whether changes are accepted, without waiting for what repairs the store.
  private var acceptsChanges: Bool {
    !isReadOnly && !isClosed && store?.obstacles.load(ordering: .acquiring) ?? StoreObstacle.none == StoreObstacle.none
  }

  /// Runs an async change, and measures it if changes are measured.
  func measure<R, E: Error>(
    _ operation: GraphOperation, _ body: () async throws(E) -> R
  ) async throws(E) -> R {
    guard let recorder else { return try await body() }
    let span = recorder.begin(operation)
    do throws(E) {
      let result = try await body()
      recorder.end(span)
      return result
    } catch {
      recorder.end(span, failed: true)
      throw error
    }
  }

  /// Runs a batch, and measures it if changes are measured. One whose body threw has failed.
  func measureBatch<R, E: Error>(
    _ body: () throws(KithError) -> Result<R, E>
  ) throws(KithError) -> Result<R, E> {
    guard let recorder else { return try body() }
    let span = recorder.begin(.batch)
    var failed = true
    defer { recorder.end(span, failed: failed) }
    let result = try body()
    if case .success = result { failed = false }
    return result
  }

  /// The async form.
  func measureBatch<R: Sendable, E: Error>(
    _ body: () async throws(KithError) -> Result<R, E>
  ) async throws(KithError) -> Result<R, E> {
    guard let recorder else { return try await body() }
    let span = recorder.begin(.batch)
    var failed = true
    defer { recorder.end(span, failed: failed) }
    let result = try await body()
    if case .success = result { failed = false }
    return result
  }

  /// The time, if changes are measured; else 0.
  @inline(__always)
  func beginLockWait() -> UInt64 { recorder == nil ? 0 : MonotonicClock.nanoseconds() }

  /// Records that the lock was awaited since `began`, unless that is 0.
  @inline(__always)
  func endLockWait(_ began: UInt64) {
    if began != 0 { recorder?.lockWaits.record(MonotonicClock.nanoseconds(since: began)) }
  }
}

extension SocialGraph.Statistics.Commits {
  fileprivate static var none: Self {
    Self(
      pendingChangeCount: 0, waiterCount: 0, groupSizes: LogLinearHistogram(), syncNanoseconds: LogLinearHistogram())
  }
}

extension SocialGraph.Statistics.Compactions {
  fileprivate init(_ compactions: (runningCount: Int, durations: LogLinearHistogram)) {
    self.init(runningCount: compactions.runningCount, nanoseconds: compactions.durations)
  }
}

extension Store {
  /// What the commits wait for. Waits for no disk.
  /// - Parameter sequence: the number of the last change.
  fileprivate func commits(through sequence: UInt64) -> SocialGraph.Statistics.Commits {
    let (committed, waiterCount) = group.standing
    let durable = mode == .memory ? sequence : max(committed, events.snapshots.last?.sequence ?? 0)
    return .init(
      pendingChangeCount: Int(clamping: sequence) - Int(clamping: min(durable, sequence)), waiterCount: waiterCount,
      groupSizes: events.groupSizes.read(), syncNanoseconds: events.syncDurations.read())
  }
}
