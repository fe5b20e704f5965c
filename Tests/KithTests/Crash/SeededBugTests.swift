import Testing

@testable import Kith

/// The crash tests find seeded bugs: with any of them under it, a store loses something.
@Suite struct SeededBugTests {
  /// The most crashes before a bug must be found.
  private static let limit = 60_000

  /// Bugs that take hundreds of crashes are left to optimized builds.
  private static let bugs = SeededBug.allCases.filter {
    CrashEnvironment.isOptimized || ![.skippedHole, .bothSlots, .trustedCache].contains($0)
  }

  @Test("A seeded bug is caught", arguments: bugs)
  func bugIsCaught(_ bug: SeededBug) throws {
    var explorer = CrashExplorer { disk, _ in SeededBugDisk(bug, disk) }
    explorer.settings.damageOdds = 2
    // Reading back must not be the only check that finds it.
    explorer.settings.toleratesReadBack = true
    explorer.workerCount = 1
    let tally = explorer.explore(crashCount: Self.limit, failureLimit: 1)
    let failure = try #require(tally.failures.first, "\(bug.rawValue): not caught in \(tally)")
    print("\(bug.rawValue): caught after \(tally.crashCount) crashes: \(failure)")
  }
}
