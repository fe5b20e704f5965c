@testable import Kith

/// What a caller does at a time.
enum CrashAction: String, Sendable, CaseIterable {
  /// One change, committed.
  case change
  /// Several changes, committed at once.
  case group
  /// Several changes that stand or fall together.
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

  /// One thing that a caller does. Returns whether the store is still open.
  func perform(_ action: CrashAction, _ session: CrashSession<D>) throws(CrashFailure) -> Bool {
    let faults = simulated.counter.faultCount
    let wasPoisoned = session.isPoisoned
    trace("\(action) after change \(session.sequence)")
    do throws(KithError) {
      switch action {
      case .change:
        try change(session)
        try commit(session)
      case .group:
        for _ in 0..<(2 + draw.below(4)) { try change(session) }
        try commit(session)
      case .batch: try batch(session)
      case .snapshot: try snapshot(session)
      case .close: try close(session)
      }
      return action != .close
    } catch {
      trace("\(action): \(error)")
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

  /// After a failure a store takes no change until a snapshot heals it; some callers give up.
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
    switch session.mode {
    case .synced: history.acknowledge(sequence)
    case .flushed: flushed = max(flushed, sequence)
    case .memory: break
    }
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

  /// Half of the time, changes go on between the instant of a snapshot and its writing.
  func snapshot(_ session: CrashSession<D>) throws(KithError) {
    let isAlone = session.isPoisoned || draw.seldom(2)
    // Then it holds what the journals do not.
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
