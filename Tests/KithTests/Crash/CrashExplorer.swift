import Dispatch
import Synchronization

@testable import Kith

/// Explores many seeds on all cores.
struct CrashExplorer<D: Disk>: Sendable {
  var settings = CrashSettings()
  /// How many tasks share the work.
  var workerCount = 2
  /// The disk of the store: the simulated disk itself, or one with a seeded bug.
  let wrap: @Sendable (SimulatedDisk, UInt64) -> D

  /// Explores seeds from `first` on until this many crashes or `failureLimit` failures.
  /// - Parameter progress: is called now and then with the statistics so far.
  func explore(
    crashCount: Int, from first: UInt64 = 0, failureLimit: Int = 10,
    progress: @Sendable (CrashStatistics) -> Void = { _ in }
  ) -> CrashStatistics {
    let next = Atomic<UInt64>(first)
    let total = Mutex(CrashStatistics())
    DispatchQueue.concurrentPerform(iterations: workerCount) { _ in
      while true {
        let sum = total.withLock { $0 }
        if sum.crashCount >= crashCount || sum.failures.count >= failureLimit { return }
        var part = CrashStatistics()
        let start = next.add(Self.seedsAtOnce, ordering: .relaxed).oldValue
        for seed in start..<(start + Self.seedsAtOnce) where part.failures.isEmpty { part.add(explore(seed: seed)) }
        progress(
          total.withLock { total in
            total.add(part)
            return total
          })
      }
    }
    return total.withLock { $0 }
  }

  func explore(seed: UInt64) -> CrashStatistics {
    CrashRun(seed: seed, settings: settings, wrap: wrap).run()
  }

  private static var seedsAtOnce: UInt64 { 32 }
}

extension CrashExplorer where D == SimulatedDisk {
  init() {
    self.init { disk, _ in disk }
  }
}
