import Dispatch
import Synchronization

@testable import Kith

/// Many seeds, on all cores.
struct CrashExplorer<D: Disk>: Sendable {
  var settings = CrashSettings()
  /// How many tasks share the work.
  var workerCount = 2
  /// What the store runs on: the simulated disk itself, or one that makes a mistake.
  let wrap: @Sendable (SimulatedDisk, UInt64) -> D

  /// Explores seeds from `first` on until there were so many crashes, or `failureLimit` failures.
  /// - Parameter progress: is told now and then what was seen so far.
  func explore(
    crashCount: Int, from first: UInt64 = 0, failureLimit: Int = 10,
    progress: @Sendable (CrashTally) -> Void = { _ in }
  ) -> CrashTally {
    let next = Atomic<UInt64>(first)
    let total = Mutex(CrashTally())
    DispatchQueue.concurrentPerform(iterations: workerCount) { _ in
      while true {
        let sum = total.withLock { $0 }
        if sum.crashCount >= crashCount || sum.failures.count >= failureLimit { return }
        var part = CrashTally()
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

  func explore(seed: UInt64) -> CrashTally {
    CrashRun(seed: seed, settings: settings, wrap: wrap).run()
  }

  private static var seedsAtOnce: UInt64 { 32 }
}

extension CrashExplorer where D == SimulatedDisk {
  init() {
    self.init { disk, _ in disk }
  }
}
