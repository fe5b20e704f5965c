@testable import Kith

/// The settings of an exploration.
struct CrashSettings: Sendable {
  /// Rounds of a store, each ended by a crash.
  var roundCount = 6
  /// The most actions of a round.
  var stepCount = 40
  /// The crash comes at one of the first calls that change the disk: at most this one.
  var crashWithin = 60
  /// One in this many seeds ends with damage to the medium; 0: none.
  var damageOdds = 4
  /// One in this many recoveries is compared in full.
  var comparisonOdds = 64
  /// The durability mode of every round; nil: mostly synced, sometimes flushed or in memory.
  var mode: SocialGraph.Durability?
  /// Whether a snapshot may be refused because it does not read back: for disks with seeded bugs, to explore further.
  var toleratesReadBack = false
  /// Whether every event is printed.
  var isTraced = false
}

/// One seed: a store is opened, changed and crashed, several times over, on one simulated disk.
final class CrashRun<D: Disk> {
  let seed: UInt64
  let settings: CrashSettings
  let simulated: SimulatedDisk
  let wrap: (SimulatedDisk, UInt64) -> D
  var draw: CrashGenerator
  var history: CrashHistory
  var tally = CrashStatistics()
  var place = "the beginning"
  /// The last change of which a caller knows that it survives a kill.
  var flushed: UInt64 = 0

  /// - Parameter wrap: makes the disk of a round.
  init(seed: UInt64, settings: CrashSettings, wrap: @escaping (SimulatedDisk, UInt64) -> D) {
    self.seed = seed
    self.settings = settings
    self.wrap = wrap
    draw = CrashGenerator(seed: seed &* 0xD134_2543_DE82_EF95 &+ 1)
    simulated = SimulatedDisk(seed: draw.random.next(), isTraced: settings.isTraced)
    history = CrashHistory(empty: GraphDigest.of(GraphState()))
  }

  func run() -> CrashStatistics {
    tally.seedCount = 1
    do throws(CrashFailure) {
      for round in 0..<settings.roundCount {
        place = "round \(round)"
        planFaults(isFirst: round == 0)
        try live()
        crash()
      }
      if settings.damageOdds > 0 && draw.seldom(settings.damageOdds) { try damage() }
    } catch {
      tally.failures.append(error)
    }
    return tally
  }

  func failure(_ message: String) -> CrashFailure {
    CrashFailure(seed: seed, place: place, message: message)
  }

  func trace(_ message: @autoclosure () -> String) {
    if settings.isTraced { print(place, message(), "(acknowledged: \(history.acknowledged))") }
  }

  // MARK: - Rounds

  private func planFaults(isFirst: Bool) {
    var plan = FaultPlan()
    plan.crashAtChange = 1 + draw.below(settings.crashWithin + (isFirst ? 15 : 0))
    if draw.seldom(3) {
      plan.changeFaultOdds = 30
      plan.readFaultOdds = draw.seldom(2) ? 80 : 0
      plan.spaceFaultOdds = draw.seldom(2) ? 40 : 0
    }
    if draw.seldom(8) { plan.capacity = simulated.withVolume { $0.usedByteCount } + draw.below(20_000) }
    simulated.plan(plan)
  }

  /// Opens the store and works on it until the crash or the last action.
  private func live() throws(CrashFailure) {
    var steps = 0
    while steps < settings.stepCount && !simulated.isDown {
      guard let session = try open() else { return }
      while steps < settings.stepCount && !simulated.isDown {
        steps += 1
        if try !perform(drawAction(), session) { break }
      }
    }
  }

  /// One script, with one fault at one call, and a store that must be complete and usable afterwards.
  func run(_ script: [CrashAction], _ plan: FaultPlan) -> CrashStatistics {
    tally.seedCount = 1
    do throws(CrashFailure) {
      place = "\(script.map(\.rawValue)), \(plan.fault.rawValue) at call \(plan.faultAtCall)"
      simulated.plan(plan)
      try play(script[...])
      tally.struckCall = simulated.counter.faultCount > 0 || simulated.counter.callCount >= plan.faultAtCall
      crash()
      place += ", afterwards"
      try play([.change, .snapshot, .close, .change, .close])
      guard try open() != nil else { throw failure("an opening failed without a fault") }
    } catch {
      tally.failures.append(error)
    }
    return tally
  }

  private func play(_ script: ArraySlice<CrashAction>) throws(CrashFailure) {
    var rest = script
    var openings = 0
    while openings < 3 + script.count && !simulated.isDown {
      openings += 1
      // After a passing fault kept it from opening, the caller retries.
      guard let session = try open() else { continue }
      while let action = rest.popFirst(), !simulated.isDown {
        if try !perform(action, session) { break }
      }
      if rest.isEmpty { return }
    }
  }

  func crash() {
    tally.callCount += simulated.counter.callCount
    tally.faultCount += simulated.counter.faultCount
    if simulated.counter.hasBoundFault { history.loseBound() }
    let hadFaults = simulated.counter.faultCount > (simulated.isDown ? 1 : 0)
    let end: SimulatedDisk.End = draw.seldom(4) ? (draw.seldom(2) ? .kill : .killAndEviction) : .powerCut
    trace("\(end)")
    simulated.restart(after: end)
    // Written but not synced: it survives a kill, unless a sync had failed before.
    if end == .powerCut || hadFaults { flushed = 0 }
    if end == .powerCut { tally.powerCutCount += 1 } else { tally.killCount += 1 }
  }

  private func drawMode() -> SocialGraph.Durability {
    if let mode = settings.mode { return mode }
    switch draw.below(16) {
    case 0: return .memory
    case 1, 2: return .flushed
    default: return .synced
    }
  }

  /// Opens the store and checks its state; nil if a fault kept it from opening.
  func open() throws(CrashFailure) -> CrashSession<D>? {
    let faults = simulated.counter.faultCount
    let session: CrashSession<D>
    do throws(KithError) {
      session = try CrashSession(wrap(simulated, draw.random.next()), mode: drawMode())
    } catch {
      guard case .system = error, simulated.counter.faultCount > faults else {
        throw failure("the store does not open: \(error.description)")
      }
      tally.failedOpeningCount += 1
      if !simulated.isDown { flushed = 0 }
      trace("not opened: \(error)")
      return nil
    }
    trace("opened in mode \(session.mode): \(session.report)")
    // Unsynced writes are uncertain after a fault.
    try check(session, atLeast: max(history.acknowledged, faults == 0 ? flushed : 0))
    flushed = 0
    history.resume(at: session.sequence)
    return session
  }

  func check(_ session: CrashSession<D>, atLeast bound: UInt64) throws(CrashFailure) {
    tally.recoveryCount += 1
    if session.report.droppedByteCount > 0 { tally.tornCount += 1 }
    if let objection = history.objection(to: session.sequence, session.digest, atLeast: bound) {
      throw failure(objection)
    }
    if draw.seldom(settings.comparisonOdds) {
      tally.comparisonCount += 1
      if let difference = session.difference(from: history.changes.prefix(Int(session.sequence))) {
        throw failure(difference)
      }
    }
  }
}
