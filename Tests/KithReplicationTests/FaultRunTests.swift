import Foundation
import Kith
import Testing

@testable import KithReplication

/// Replicas over a log that fails: nothing acknowledged is lost, nothing is made twice, all replicas are equal.
@Suite(.serialized) struct FaultRunTests {
  private static let seedCount = ProcessInfo.processInfo.environment["KITH_FAULT_RUNS"].flatMap(Int.init) ?? 6
  private static let firstSeed =
    ProcessInfo.processInfo.environment["KITH_FAULT_SEED"].flatMap { UInt64($0) } ?? 1

  @Test("Replicas stay equal and keep what they acknowledged, whatever the log does")
  func faults() async throws {
    for seed in Self.firstSeed..<Self.firstSeed + UInt64(Self.seedCount) {
      let problems = try await FaultRun(seed: seed).run()
      #expect(problems == [])
    }
  }

  @Test(
    "The check finds a log that breaks its promises",
    arguments: [MemoryServer.Defect.noQuorum, .noSerialCheck, .holes, .clockAtRead])
  func defects(defect: MemoryServer.Defect) async throws {
    for seed in UInt64(1)...40 {
      if try await !FaultRun(seed: seed, defect: defect).run().isEmpty { return }
    }
    Issue.record("nobody noticed \(defect)")
  }
}
