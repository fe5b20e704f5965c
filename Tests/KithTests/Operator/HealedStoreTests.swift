import Testing

@testable import Kith

/// A journal torn by a failing disk and replaced by a snapshot is no damage.
@Suite struct HealedStoreTests {
  @Test(
    "The files of a healed store are valid, whichever call failed",
    arguments: [FaultPlan.Fault.inputOutputError, .noSpace, .shortWrite])
  func filesAreValid(_ fault: FaultPlan.Fault) throws {
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

  @Test(
    "Healing raises the durable watermark before any other change",
    arguments: [FaultPlan.Fault.inputOutputError, .noSpace, .shortWrite])
  func watermarkIsRaised(_ fault: FaultPlan.Fault) throws {
    var healedCount = 0
    for call in 1...60 {
      let disk = SimulatedDisk(seed: 1)
      let session = try CrashSession(disk)
      disk.plan(FaultPlan(faultAtCall: call, fault: fault))
      for id: Int64 in 1...3 { try? Self.add(id, to: session) }
      let hasBoundFault = disk.counter.hasBoundFault
      disk.plan(FaultPlan())
      // A failed file is not written again before the store is reopened.
      guard session.isPoisoned, !hasBoundFault else { continue }
      healedCount += 1
      let healed = try session.snapshot()
      disk.restart(after: .powerCut)
      let directory = CrashSession<SimulatedDisk>.directoryPath
      let bound = try WatermarkFile.read(in: directory, disk: disk, syncing: false)?.sequence
      #expect(healed > 0 && bound == healed, "call \(call)")
      // So the loss of the only file that holds the changes is noticed.
      let names = try #require(try StoreDirectory(directory, disk: disk).contents()).snapshots
      try disk.remove(directory.appendingPathComponent(try #require(names.last).description))
      #expect(throws: KithError.self, "call \(call)") { try CrashSession(disk) }
    }
    #expect(healedCount > 1)
  }

  private static func add(_ id: Int64, to session: CrashSession<SimulatedDisk>) throws(KithError) {
    _ = try session.apply(.addUser(id: UserID(id), username: "user \(id)"))
    try session.commit(session.sequence)
  }
}
