import Foundation
import Synchronization
import Testing

@testable import Kith

/// A store crashes at random calls, repeatedly: every acknowledged change survives, and the state is a valid one.
///
/// | setting | meaning | without it |
/// |---|---|---|
/// | `KITH_CRASHES` | how many crashes: 100,000,000 in a long run | a few seconds' worth |
/// | `KITH_CRASH_SEED` | the first seed; with `KITH_CRASHES=1` that seed alone, call by call | 0 |
/// | `KITH_CRASH_WORKERS` | tasks that share the work | one a core |
///
/// For a long run: `KITH_CRASHES=100000000 swift test -c release -Xswiftc -enable-testing --filter CrashTests`
@Suite struct CrashTests {
  @Test("After any crash no acknowledged change is lost and the state is a valid one")
  func noChangeIsLost() {
    let crashCount = CrashEnvironment.number("KITH_CRASHES") ?? (CrashEnvironment.isOptimized ? 20_000 : 300)
    let first = UInt64(CrashEnvironment.number("KITH_CRASH_SEED") ?? 0)
    var explorer = CrashExplorer<SimulatedDisk>()
    explorer.workerCount = CrashEnvironment.workerCount
    let start = ContinuousClock.now
    let tally: CrashStatistics
    if crashCount == 1 {
      explorer.settings.isTraced = true
      tally = explorer.explore(seed: first)
    } else {
      let step = max(crashCount / 10, 100_000)
      let reported = Atomic(0)
      tally = explorer.explore(crashCount: crashCount, from: first) { tally in
        // So that a long run shows its progress.
        let (done, before) = (tally.crashCount / step, reported.load(ordering: .relaxed))
        if done > before && reported.compareExchange(expected: before, desired: done, ordering: .relaxed).exchanged {
          print(tally, tally.failures)
        }
      }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    print("\(tally); \(Int(Double(tally.crashCount) / seconds)) crashes a second")
    for failure in tally.failures { Issue.record("\(failure)") }
    if crashCount > 5_000 {
      // Otherwise the exploration does not cover its cases.
      #expect(tally.tornCount > 0 && tally.healingCount > 0 && tally.snapshotCount > 0 && tally.comparisonCount > 0)
      #expect(tally.refusedDamageCount > 0 && tally.olderSnapshotCount > 0 && tally.failedOpeningCount > 0)
    }
  }
}

/// The settings of the crash tests from the environment.
enum CrashEnvironment {
  static func number(_ name: String) -> Int? { ProcessInfo.processInfo.environment[name].flatMap { Int($0) } }

  static var workerCount: Int { number("KITH_CRASH_WORKERS") ?? ProcessInfo.processInfo.activeProcessorCount }

  /// Whether this is a long run.
  static var isOptimized: Bool {
    var isOptimized = true
    assert(
      {
        isOptimized = false
        return true
      }())
    return isOptimized
  }
}
