import Testing

@testable import Kith

/// The crash tests find what they are there to find: with any of these mistakes under it, a store loses something.
@Suite struct PlantedBugTests {
  /// Crashes at most until a mistake has to be found.
  private static let limit = 60_000

  /// Those that take hundreds of crashes wait for an optimized build.
  private static let bugs = PlantedBug.allCases.filter {
    CrashEnvironment.isOptimized || ![.skippedHole, .bothSlots, .trustedCache].contains($0)
  }

  @Test(arguments: bugs)
  func `a planted mistake is caught`(_ bug: PlantedBug) throws {
    var explorer = CrashExplorer { disk, _ in PlantedDisk(bug, disk) }
    explorer.settings.damageOdds = 2
    // What is read back at once must not be the only thing that finds it.
    explorer.settings.toleratesReadBack = true
    explorer.workerCount = 1
    let tally = explorer.explore(crashCount: Self.limit, failureLimit: 1)
    let failure = try #require(tally.failures.first, "\(bug.rawValue): not caught in \(tally)")
    print("\(bug.rawValue): caught after \(tally.crashCount) crashes: \(failure)")
  }
}
