import Testing

@testable import Kith

@Suite struct RecoveryTests {
  private typealias Fixture = JournalFixture
  private let path = JournalFixture.path()

  @Test("Journals continue each other in number, chain and store")
  func journalOrder() throws {
    let fixture = try Fixture()
    try fixture.commitThree()
    try fixture.journal.rotate(to: 3)
    try fixture.commit([.unmute(as: 1, target: 7)])
    try fixture.close()
    #expect(try fixture.outcome(fixture.disk, "") == .exact)
    let second = try #require(fixture.disk[Fixture.path(journal: 3)])
    let chain = try JournalReader(path: Fixture.path(journal: 3), disk: fixture.disk, syncing: false).header.chainHash
    for (what, id, generation, first, chainHash) in [
      ("store", StoreID(high: 1, low: 2), UInt64(3), UInt64(8), chain), ("generation", Fixture.storeID, 4, 8, chain),
      ("gap", Fixture.storeID, 3, 9, chain), ("overlap", Fixture.storeID, 3, 7, chain),
      ("backwards", Fixture.storeID, 3, 1, chain), ("chain", Fixture.storeID, 3, 8, chain ^ 1),
    ] as [(String, StoreID, UInt64, UInt64, UInt64)] {
      let disk = MemoryDisk(copying: fixture.disk)
      let header = JournalHeader(
        storeID: id, generation: generation, firstSequence: first, chainHash: chainHash, writtenAt: 0, hasSchema: false)
      disk[Fixture.path(journal: 3)] = header.encoded() + second.dropFirst(4096)
      #expect(try fixture.outcome(disk, what) == .refused, "\(what)")
    }
  }

  @Test("A tail superseded by a newer journal is cut where that journal begins")
  func supersededTail() throws {
    let fixture = try Fixture()
    try fixture.commitThree()
    let cut = MemoryDisk(copying: fixture.disk)
    // A crash tears the third frame. The unacknowledged changes are dropped, and a new generation continues.
    var bytes = try #require(cut[path])
    let tornOffset: Int64 = 4096 + 2 * 512
    bytes[Int(tornOffset) + 200] ^= 8
    cut[path] = bytes
    cut[Fixture.directory + "/ACK"] = nil
    var watermark = try WatermarkFile(
      directory: Fixture.directory, disk: cut, DurableWatermark(storeID: Fixture.storeID, sequence: 3, generation: 1))
    let torn = try Fixture.recover(cut)
    #expect(torn.report.journals.map(\.end) == [.torn(offset: tornOffset, byteCount: 512)])
    #expect(torn.report.droppedByteCount == 512)
    #expect(torn.report.nextGeneration == 2)
    var journal = JournalWriter(
      directory: Fixture.directory, storeID: Fixture.storeID, generation: 2, firstSequence: 4,
      chainHash: torn.chainHash, disk: cut, growthLimit: 512)
    var frame = JournalFrame(firstSequence: 4)
    frame.append(.addUser(id: 9, username: "dee"))
    try journal.append(frame, at: 0)
    watermark.record(sequence: 4, generation: 2)
    for repaired in [false, true] {
      // The torn frame was superseded, also if it turns up complete.
      if repaired { cut[path] = fixture.disk[path] }
      let recovered = try Fixture.recover(cut)
      #expect(recovered.state.sequence == 4)
      #expect(recovered.state.users.row(of: 9) != nil)
      #expect(recovered.report.droppedByteCount == 0)
      #expect(recovered.report.journals.map(\.end) == [.superseded(offset: 5120, byteCount: 512), .clean])
    }
  }

  @Test("A journal without a complete header is empty, unless it has frames: then it is damaged")
  func incompleteHeader() throws {
    let fixture = try Fixture()
    try fixture.commitThree()
    try fixture.close()
    for bytes in [[], [UInt8](repeating: 0, count: 4096), [UInt8](repeating: 0xA5, count: 70_000)] {
      let disk = MemoryDisk(copying: fixture.disk)
      disk[Fixture.path(journal: 2)] = bytes
      let recovered = try Fixture.recover(disk)
      #expect(recovered.state.sequence == 7)
      #expect(recovered.report.journals.map(\.end) == [.clean, .incomplete(byteCount: Int64(bytes.count))])
      #expect(recovered.report.nextGeneration == 3)
      disk[path] = bytes
      #expect(try fixture.outcome(disk, "the first journal, below ACK") == .refused)
      disk[Fixture.directory + "/ACK"] = nil
      #expect(try fixture.outcome(disk, "without a watermark") == .refused)
    }
  }

  @Test("A change that cannot be replayed is refused")
  func invalidChange() throws {
    for changes: [Change] in [
      [.addUser(id: 1, username: "zed")], [.unfollow(as: 1, target: 7)], [.follow(as: 1, target: 1, at: 0)],
      [.addUser(id: 9, username: "a\n")],
      [.addUser(id: 0, username: "zero")], [.follow(as: 7, target: 1, at: 4_294_967_296_000)],
    ] {
      let fixture = try Fixture()
      try fixture.commitThree()
      var frame = JournalFrame(firstSequence: 8)
      for change in changes { frame.append(change) }
      try fixture.journal.append(frame, at: 0)
      #expect(try fixture.outcome(fixture.disk, "\(changes)") == .refused)
    }
  }

  @Test("ACK of another store, and numbers beyond the limits, are refused")
  func watermarkOfAnotherStore() throws {
    let fixture = try Fixture()
    try fixture.commitThree()
    let disk = MemoryDisk(copying: fixture.disk)
    disk[Fixture.directory + "/ACK"] = nil
    _ = try WatermarkFile(
      directory: Fixture.directory, disk: disk,
      DurableWatermark(storeID: StoreID(high: 1, low: 1), sequence: 0, generation: 0))
    #expect(try fixture.outcome(disk, "") == .refused)
    // The last possible generation can be read, although no writer can follow it.
    for (generation, outcome) in [(.max, .refused), (.max / 2 + 1, .refused), (.max / 2, .exact)]
      as [(UInt64, Fixture.Outcome)]
    {
      let disk = MemoryDisk(copying: fixture.disk)
      disk[Fixture.path(journal: generation)] = []
      #expect(try fixture.outcome(disk, "\(generation)") == outcome)
    }
  }

  // MARK: - The real disk

  @Test("A read error is not reported as damage")
  func readErrors() throws {
    let directory = try TemporaryDirectory()
    let fixture = try Fixture()
    try fixture.commitThree()
    try fixture.snapshot()
    try fixture.commit([.unmute(as: 1, target: 7)])
    try fixture.close()
    for path in fixture.disk.paths {
      try directory.write(try #require(fixture.disk[path]), to: String(path.dropFirst(7)))
    }
    let counting = FailingDisk()
    let store = StoreDirectory(directory.path, disk: counting)
    do {
      let lock = try store.openForWriting(creating: false).lock
      let openCallCount = counting.calls.count
      let recovered = try Recovery.forWriting(store, holding: lock)
      #expect(Fixture.digest(of: recovered.state) == fixture.digests[8])
      #expect(recovered.chainHash == fixture.journal.chainHash)
      #expect(recovered.report.nextGeneration == 3)
      let calls = counting.calls.dropFirst(openCallCount)
      #expect(calls.first == "syncDirectory")
      #expect(calls.filter { $0 == "sync" }.count == 2, "ACK and the one journal that is needed")
    }
    for failingCall in counting.calls.indices {
      let failing = StoreDirectory(directory.path, disk: FailingDisk(failingCall: failingCall))
      let error = #expect(throws: KithError.self) {
        let lock = try failing.openForWriting(creating: false).lock
        _ = try Recovery.forWriting(failing, holding: lock)
      }
      #expect(error?.code == "system", "call \(failingCall): \(counting.calls[failingCall])")
    }
    let reading = FailingDisk()
    _ = try Recovery.forReading(StoreDirectory(directory.path, disk: reading))
    #expect(Set(reading.calls).isSubset(of: ["status", "open", "byteCount", "read", "list"]), "readers change nothing")
    for failingCall in reading.calls.indices {
      let failing = StoreDirectory(directory.path, disk: FailingDisk(failingCall: failingCall))
      let error = #expect(throws: KithError.self) { _ = try Recovery.forReading(failing) }
      #expect(error?.code == "system", "call \(failingCall): \(reading.calls[failingCall])")
    }
  }

  @Test("Pruning keeps two valid snapshots and every journal since the older")
  func pruning() throws {
    let directory = try TemporaryDirectory()
    let disk = SystemDisk()
    let store = StoreDirectory(directory.path, disk: disk)
    let lock = try store.openForWriting(creating: true).lock
    for generation: UInt64 in 1...4 {
      try directory.write([1], to: StoreNames.journal(generation: generation))
    }
    var header = SnapshotFixture.header
    for (sequence, generation) in [(1, 2), (2, 3), (3, 4)] as [(UInt64, UInt64)] {
      header.sequence = sequence
      header.generation = generation
      _ = try store.writeSnapshot(header, SnapshotFixture.sections(), holding: lock)
      try store.prune(holding: lock)
      let contents = try #require(try store.contents())
      #expect(contents.snapshots.map(\.generation) == [[2], [2, 3], [3, 4]][Int(sequence) - 1])
      #expect(contents.journals == [[1, 2, 3, 4], [2, 3, 4], [3, 4]][Int(sequence) - 1])
    }
  }
}
