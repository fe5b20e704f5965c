import Dispatch
import Synchronization
import Testing

@testable import Kith

/// Every short script × every call of the disk × every fault.
///
/// `KITH_EXHAUSTIVE_LENGTH=5` for a long run.
@Suite struct ExhaustiveCrashTests {
  @Test("No short script loses an acknowledged change, with a fault in any call", arguments: FaultPlan.Fault.allCases)
  func noScriptLosesChanges(_ fault: FaultPlan.Fault) {
    let length = CrashEnvironment.number("KITH_EXHAUSTIVE_LENGTH") ?? (CrashEnvironment.isOptimized ? 3 : 1)
    let scripts = Self.scripts(upTo: length)
    let next = Atomic(0)
    let total = Mutex(CrashStatistics())
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

  /// How often a fault is tried: a crash has many outcomes, of which each seed draws one.
  private static func modes(_ fault: FaultPlan.Fault) -> [SocialGraph.Durability] {
    if !CrashEnvironment.isOptimized { return [.synced] }
    return fault == .crash ? [.synced, .synced, .synced, .flushed, .flushed] : [.synced, .synced]
  }

  /// One script, with its fault at the first call, the second, and so on to the last.
  private static func explore(_ script: [CrashAction], _ fault: FaultPlan.Fault) -> CrashStatistics {
    var tally = CrashStatistics()
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
