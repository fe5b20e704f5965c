import Testing

@testable import Kith

/// A journal that a failing disk left torn, and a snapshot made up for, is no damage.
@Suite struct HealedStoreTests {
  @Test(arguments: [FaultPlan.Fault.inputOutputError, .noSpace, .shortWrite])
  func `the files of a store that was healed are sound, whichever call failed`(_ fault: FaultPlan.Fault) throws {
    var healedCount = 0
    for call in 1...60 {
      let disk = SimulatedDisk(seed: 1, isTraced: false)
      let session = try CrashSession(disk)
      for id: Int64 in 1...3 { try Self.add(id, to: session) }
      disk.plan(FaultPlan(faultAtCall: call, fault: fault))
      for id: Int64 in 4...6 { try? Self.add(id, to: session) }
      disk.plan(FaultPlan())
      if session.isPoisoned {
        healedCount += 1
        _ = try session.snapshot()
        try Self.add(7, to: session)
      }
      let digest = session.digest
      try session.close()
      let directory = StoreDirectory(CrashSession<SimulatedDisk>.directoryPath, disk: disk)
      #expect(try StoreListing(directory).problems == [], "call \(call)")
      var recovered = try Recovery.forReading(directory)
      #expect(GraphDigest.of(recovered.state.pin()) == digest, "call \(call)")
    }
    #expect(healedCount > 1)
  }

  private static func add(_ id: Int64, to session: CrashSession<SimulatedDisk>) throws(KithError) {
    _ = try session.apply(.addUser(id: UserID(id), username: "user \(id)"))
    try session.commit(session.sequence)
  }
}
