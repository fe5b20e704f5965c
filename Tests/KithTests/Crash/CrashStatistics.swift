@testable import Kith

/// The totals of an exploration.
struct CrashStatistics: Sendable {
  var seedCount = 0
  var powerCutCount = 0
  var killCount = 0
  /// Calls of the disk.
  var callCount = 0
  /// Calls that met an error.
  var faultCount = 0
  /// Failed openings because of a failed call.
  var failedOpeningCount = 0
  var recoveryCount = 0
  /// Recoveries that dropped unacknowledged bytes.
  var tornCount = 0
  /// Recoveries whose graph was compared in full with one built from the changes.
  var comparisonCount = 0
  var snapshotCount = 0
  var healingCount = 0
  var damageCount = 0
  var refusedDamageCount = 0
  var olderSnapshotCount = 0
  /// Whether a script was long enough for its fault.
  var struckCall = false
  var failures: [CrashFailure] = []

  var crashCount: Int { powerCutCount + killCount }

  mutating func add(_ other: CrashStatistics) {
    seedCount += other.seedCount
    powerCutCount += other.powerCutCount
    killCount += other.killCount
    callCount += other.callCount
    faultCount += other.faultCount
    failedOpeningCount += other.failedOpeningCount
    recoveryCount += other.recoveryCount
    tornCount += other.tornCount
    comparisonCount += other.comparisonCount
    snapshotCount += other.snapshotCount
    healingCount += other.healingCount
    damageCount += other.damageCount
    refusedDamageCount += other.refusedDamageCount
    olderSnapshotCount += other.olderSnapshotCount
    if failures.count < 20 { failures += other.failures }
  }
}

extension CrashStatistics: CustomStringConvertible {
  var description: String {
    """
    \(seedCount) seeds: \(crashCount) crashes (\(powerCutCount) power cuts, \(killCount) kills), \(callCount) calls, \
    \(faultCount) faults; \(recoveryCount) recoveries (\(tornCount) with a torn tail, \(comparisonCount) compared in \
    full), \(failedOpeningCount) openings failed by a fault; \(snapshotCount) snapshots, \(healingCount) healings; \
    \(damageCount) damages (\(refusedDamageCount) refused, \(olderSnapshotCount) survived by an older snapshot); \
    \(failures.count) failures
    """
  }
}

/// A failure, and how to reproduce it.
struct CrashFailure: Error, Sendable, CustomStringConvertible {
  let seed: UInt64
  let place: String
  let message: String

  var description: String { "seed \(seed), \(place): \(message)" }
}
