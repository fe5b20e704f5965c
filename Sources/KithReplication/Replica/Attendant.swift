import Kith

/// What a replica does by the clock: it answers those whose time is up, reports itself, and has snapshots written and
/// verified.
struct Attendant: Sendable {
  let core: ReplicaCore
  let keeper: SnapshotKeeper

  /// Works until the replica ends.
  func run() async {
    var tick = 0
    var contested: LogPosition = 0
    while core.end == nil, !Task.isCancelled {
      try? await Task.sleep(for: ReplicaOptions.tick)
      core.expireWaiters()
      core.doubtOverdue()
      core.refuseOverdue(core.log.connection.failure ?? .unavailable(.overloaded(position: core.position)))
      tick += 1
      if tick % ReplicaOptions.ticksPerReport == 0 { await report(&contested) }
    }
  }

  /// - Parameter contested: the newest contested position that was reported.
  private func report(_ contested: inout LogPosition) async {
    let place = core.place
    // The next report follows in a second.
    let newest = try? await core.log.report(
      ReplicaReport(
        name: core.options.name, session: core.session, applied: place.position, outcomeChain: place.outcomeChain,
        rules: core.options.knownRules))
    if let newest, newest > contested {
      contested = newest
      core.events.post(.contested(position: newest))
    }
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
