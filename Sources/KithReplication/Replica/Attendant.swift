import Kith

/// What a replica does by the clock: it answers those whose time is up, reports itself and what is wrong, and has
/// snapshots written and verified.
struct Attendant: Sendable {
  let core: ReplicaCore
  let keeper: SnapshotKeeper

  /// Answers those whose time is up, until the replica ends.
  func run() async {
    while core.end == nil, !Task.isCancelled {
      try? await Task.sleep(for: ReplicaOptions.tick)
      core.expireWaiters()
      core.doubtOverdue()
      core.refuseOverdue(overdueReason)
    }
  }

  /// Why requests were not sent.
  private var overdueReason: KithError {
    core.sendingFailure ?? core.log.connection.failure ?? .unavailable(.overloaded(position: core.position))
  }

  /// Reports and reviews about once a second, until the replica ends.
  func attend() async {
    var contested: LogPosition = 0
    var health: [LogHealth] = []
    while core.end == nil, !Task.isCancelled {
      try? await Task.sleep(for: ReplicaOptions.reportTime)
      do throws(KithError) {
        try await report(&contested)
        let review = try await LogReview(of: core.log)
        core.tell(troubles(review, health))
        let ripe = health.last { review.seconds(since: $0.clock) >= LogReview.flushSeconds }
        health = (ripe.map { [$0] } ?? []) + health.filter { review.seconds(since: $0.clock) < LogReview.flushSeconds }
        health.append(review.health)
        try await keeper.decide(review)
      } catch {
        if case .unavailable(let problem) = error {
          health = []
          core.tell([ReplicaTrouble(kind: .noLog, reason: problem.description)])
        }
      }
    }
  }

  /// Has snapshots written and verified, until the replica ends. One can take minutes, in which the others want to hear
  /// of this replica.
  func keep() async {
    while core.end == nil, !Task.isCancelled {
      try? await Task.sleep(for: ReplicaOptions.reportTime)
      await keepSnapshots()
    }
  }

  /// What is wrong with the log, with this replica, and with what it shares: others tell of themselves.
  private func troubles(_ review: LogReview, _ health: [LogHealth]) -> [ReplicaTrouble] {
    let earlier = health.last { review.seconds(since: $0.clock) >= LogReview.flushSeconds }
    let found = review.troubles(since: earlier).filter { $0.replica == nil || $0.replica == core.options.name }
    return found.filter { $0.kind != .diverged } + (keeper.problem(review).map { [$0] } ?? [])
  }

  /// - Parameter contested: the newest contested position that was reported.
  private func report(_ contested: inout LogPosition) async throws(KithError) {
    let place = core.place
    let newest = try await core.log.report(
      ReplicaReport(
        name: core.options.name, session: core.session, applied: place.position, outcomeChain: place.outcomeChain,
        rules: core.options.knownRules))
    if newest > contested {
      contested = newest
      core.events.post(.contested(position: newest))
    }
  }

  private func keepSnapshots() async {
    guard let limit = core.options.snapshotAfterByteCount, core.byteCountSinceMark >= limit else {
      _ = try? await keeper.verifyNext()
      return
    }
    do throws(KithError) {
      // Other replicas may append a mark at the same time. Then there are two snapshots, and both are good.
      let outcome = try await core.submit(LoggedRequests.mark, changeCount: 0).wait().get()
      if let marked = outcome.marked { _ = try await keeper.write(marked) }
      try await keeper.trim()
    } catch {
      core.events.post(.snapshotFailed(reason: error.description))
    }
  }
}
