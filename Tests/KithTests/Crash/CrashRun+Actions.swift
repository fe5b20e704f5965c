@testable import Kith

/// The actions of a caller.
enum CrashAction: String, Sendable, CaseIterable {
  /// One change, committed.
  case change
  /// Several changes, committed at once: by one caller, or by several of which one leads and the others wait.
  case group
  /// Several changes as one batch.
  case batch
  case snapshot
  case close
}

extension CrashRun {
  func drawAction() -> CrashAction {
    switch draw.below(24) {
    case 0, 1: .snapshot
    case 2: .close
    case 3, 4: .batch
    case 5..<10: .group
    default: .change
    }
  }

  /// Does one action. Returns whether the store is still open.
  func perform(_ action: CrashAction, _ session: CrashSession<D>) throws(CrashFailure) -> Bool {
    let faults = simulated.counter.faultCount
    let wasPoisoned = session.isPoisoned
    trace("\(action) after change \(session.sequence)")
    var objection: String?
    do throws(KithError) {
      switch action {
      case .change:
        try change(session)
        try commit(session)
      case .group:
        for _ in 0..<(2 + draw.below(4)) { try change(session) }
        if draw.seldom(2) { try commitTogether(session, &objection) } else { try commit(session) }
      case .batch: try batch(session)
      case .snapshot: try snapshot(session)
      case .close: try close(session)
      }
      return action != .close
    } catch {
      trace("\(action): \(error)")
      if let objection { throw failure(objection) }
      switch error {
      case .system, .indeterminate: break
      case _ where doesNotReadBack(error): break
      default: throw failure("\(action) failed: \(error.description)")
      }
      if simulated.counter.faultCount == faults && !wasPoisoned && !settings.toleratesReadBack {
        throw failure("\(action) failed without a fault: \(error.description)")
      }
    }
    return try action == .close ? false : heal(session)
  }

  /// After a failure a store refuses changes until a snapshot heals it; some callers give up.
  private func heal(_ session: CrashSession<D>) throws(CrashFailure) -> Bool {
    if draw.seldom(6) { return false }
    let wasPoisoned = session.isPoisoned
    guard wasPoisoned && draw.seldom(2) else { return true }
    do throws(KithError) {
      try snapshot(session)
    } catch {
      switch error {
      case .system: return true
      case _ where doesNotReadBack(error): return true
      default: throw failure("healing failed: \(error.description)")
      }
    }
    if session.isPoisoned { throw failure("a snapshot did not heal the store") }
    tally.healingCount += 1
    return true
  }

  private func doesNotReadBack(_ error: KithError) -> Bool {
    switch error {
    case .corrupt(let path, _, _), .notAStore(let path, _):
      settings.toleratesReadBack && path.hasSuffix(StoreNames.temporarySuffix)
    default: false
    }
  }

  func change(_ session: CrashSession<D>) throws(KithError) {
    let change = session.draw(&draw)
    if try session.apply(change) { history.append(change, session.digest) }
  }

  func commit(_ session: CrashSession<D>) throws(KithError) {
    let sequence = session.sequence
    try session.commit(sequence)
    note(sequence, session)
  }

  /// A caller got the acknowledgement that a change is as durable as the mode promises.
  private func note(_ sequence: UInt64, _ session: CrashSession<D>) {
    switch session.mode {
    case .synced: history.acknowledge(sequence)
    case .flushed: flushed = max(flushed, sequence)
    case .memory: break
    }
  }

  /// Two or more callers: the first leads, the others make changes while it writes, and wait.
  ///
  /// Errors: the first one that any caller gets.
  private func commitTogether(_ session: CrashSession<D>, _ objection: inout String?) throws(KithError) {
    let outcomes = session.commit(session.sequence) {
      (0..<(1 + self.draw.below(3))).map { _ in
        // A store accepts changes while it writes.
        try? self.change(session)
        return session.sequence
      }
    }
    objection = CommitOutcome.objection(to: outcomes)
    // The waiters share a frame: the outcome of the last one holds for all.
    let safe = [outcomes.first, outcomes.last].compactMap(\.self).filter { $0.failure == nil }
    for outcome in safe { note(outcome.sequence, session) }
    for outcome in outcomes { if let error = outcome.failure { throw error } }
  }

  private func batch(_ session: CrashSession<D>) throws(KithError) {
    let before = session.sequence
    session.beginBatch()
    do throws(KithError) {
      for _ in 0..<(1 + draw.below(6)) { try change(session) }
    } catch {
      session.cancelBatch()
      history.forget(after: before)
      throw error
    }
    if draw.seldom(4) {
      session.cancelBatch()
      history.forget(after: before)
    } else {
      session.endBatch()
      history.joinBatch(after: before)
      try commit(session)
    }
  }

  /// Half of the time, changes are made between the snapshot's version and its writing.
  func snapshot(_ session: CrashSession<D>) throws(KithError) {
    let isAlone = session.isPoisoned || draw.seldom(2)
    // Then the snapshot holds changes that the journals do not.
    if session.isPoisoned || session.mode == .memory { history.heal() }
    let sequence = try session.snapshot { () throws(KithError) in
      if isAlone { return }
      for _ in 0..<draw.below(4) { try change(session) }
      if draw.seldom(2) { try commit(session) }
    }
    tally.snapshotCount += 1
    history.acknowledge(sequence)
  }

  func close(_ session: CrashSession<D>) throws(KithError) {
    let isSaved = session.mode != .memory && !session.isPoisoned
    try session.close()
    if isSaved { history.acknowledge(session.sequence) }
  }
}
