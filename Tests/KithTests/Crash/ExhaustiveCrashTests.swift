import Dispatch
import Synchronization
import Testing

@testable import Kith

/// Every short script × every call of the disk × every fault: no room for luck.
///
/// `KITH_EXHAUSTIVE_LENGTH=5` for the night.
@Suite struct ExhaustiveCrashTests {
  @Test(arguments: FaultPlan.Fault.allCases)
  func `no short script loses anything, whichever call meets a fault`(_ fault: FaultPlan.Fault) {
    let length = CrashEnvironment.number("KITH_EXHAUSTIVE_LENGTH") ?? (CrashEnvironment.isOptimized ? 3 : 1)
    let scripts = Self.scripts(upTo: length)
    let next = Atomic(0)
    let total = Mutex(CrashTally())
    DispatchQueue.concurrentPerform(iterations: CrashEnvironment.workerCount) { _ in
      while true {
        let index = next.add(1, ordering: .relaxed).oldValue
        if index >= scripts.count { return }
        let tally = Self.explore(scripts[index], fault)
        total.withLock { $0.add(tally) }
      }
    }
    let tally = total.withLock { $0 }
    print("\(fault.rawValue), \(scripts.count) scripts of up to \(length) steps: \(tally)")
    for failure in tally.failures { Issue.record("\(failure)") }
    #expect(tally.crashCount > scripts.count * 20)
  }

  /// All sequences of actions, shorter ones first.
  private static func scripts(upTo length: Int) -> [[CrashAction]] {
    var all: [[CrashAction]] = []
    var longest: [[CrashAction]] = [[]]
    for _ in 0..<length {
      longest = longest.flatMap { script in CrashAction.allCases.map { script + [$0] } }
      all += longest
    }
    return all
  }

  /// How often a place is tried: a crash has many outcomes, of which each seed draws one.
  private static func modes(_ fault: FaultPlan.Fault) -> [Durability] {
    if !CrashEnvironment.isOptimized { return [.synced] }
    return fault == .crash ? [.synced, .synced, .synced, .flushed, .flushed] : [.synced, .synced]
  }

  /// One script, its fault at the first call, the second, and so on until there are no more calls.
  private static func explore(_ script: [CrashAction], _ fault: FaultPlan.Fault) -> CrashTally {
    var tally = CrashTally()
    for call in 1... {
      var isOver = false
      for (seed, mode) in modes(fault).enumerated() {
        let run = CrashRun(seed: UInt64(seed), settings: CrashSettings(mode: mode)) { disk, _ in disk }
        let part = run.run(script, FaultPlan(faultAtCall: call, fault: fault))
        tally.add(part)
        isOver = isOver || !part.struckCall
      }
      if isOver || !tally.failures.isEmpty { return tally }
    }
    return tally
  }
}
