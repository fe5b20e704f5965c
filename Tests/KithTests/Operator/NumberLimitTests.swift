import Foundation
import Testing

@testable import Kith

/// Sequence numbers and generations are at most 2⁶³ − 1: greater ones are refused at reading, and nothing is written
/// that would need one.
@Suite struct NumberLimitTests {
  private let last = JournalFormat.numberLimit
  private let directory: TemporaryDirectory
  private var store: String { directory.file("store") }

  init() throws {
    directory = try TemporaryDirectory()
    try FileManager.default.createDirectory(atPath: directory.file("forged"), withIntermediateDirectories: false)
  }

  /// A store with two users and a snapshot, with its bytes.
  private func makeSnapshot() throws -> [UInt8] {
    let graph = try SocialGraph.open(store)
    try graph.addUser("ann")
    try graph.addUser("bob")
    let path = try graph.snapshot().path
    try graph.close()
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  /// A snapshot with other numbers and valid hashes, under the name of these numbers, in a folder of its own: beside
  /// it no store may stand.
  private func forge(_ bytes: [UInt8], sequence: UInt64, generation: UInt64) throws -> String {
    let name = SnapshotName(sequence: sequence, generation: generation).description
    return try directory.write(
      SnapshotFixture.forged(bytes, sequence: sequence, generation: generation), to: "forged/" + name)
  }

  @Test("A snapshot with a number over the limit is refused with its offset, one at the limit is read")
  func snapshotNumbers()
    throws
  {
    let bytes = try makeSnapshot()
    for (sequence, generation, offset) in [(last + 1, 1, 40), (.max, 1, 40), (1, last + 1, 48), (1, .max, 48)]
      as [(UInt64, UInt64, Int64)]
    {
      let path = try forge(bytes, sequence: sequence, generation: generation)
      let ways: [() throws -> Void] = [
        { _ = try SocialGraph.open(path) }, { _ = try StoreTools.inspect(path) },
        { _ = try StoreTools.restore(from: path, to: directory.file("target")) },
        { _ = try StoreTools.salvage(from: path, to: directory.file("target")) },
      ]
      for way in ways {
        let error = try #require(throws: KithError.self) { try way() }
        guard case .corrupt(path, offset, _) = error else { throw error }
      }
      #expect(try Verification(of: path, .quick).problems.count == 1 && Verification(of: path).problems.count == 1)
    }
    #expect(try SocialGraph.open(try forge(bytes, sequence: last, generation: last)).read { $0.sequence } == last)
  }

  @Test("A journal and its frames with a number over the limit are refused")
  func journalNumbers() throws {
    for (generation, first, offset) in [(last + 1, 1, 32), (1, last + 1, 40), (1, .max, 40)]
      as [(UInt64, UInt64, Int64)]
    {
      let header = JournalHeader(
        storeID: StoreID(high: 1, low: 2), generation: generation, firstSequence: first, chainHash: 0, writtenAt: 0,
        hasSchema: false)
      let error = try #require(throws: KithError.self) { try JournalHeader(decoding: header.encoded(), file: "wal") }
      guard case .corrupt("wal", offset, _) = error else { throw error }
    }
    for (first, synced, offset) in [(last, 0, 16), (last - 1, 0, nil), (last - 1, last + 1, 40)]
      as [(UInt64, UInt64, Int64?)]
    {
      let disk = try journal(first: first, syncedThrough: synced)
      var reader = try JournalReader(path: JournalFixture.path(), disk: disk, syncing: false)
      let salvaged = try SalvagedJournal(1, in: StoreDirectory(JournalFixture.directory, disk: disk))
      guard let offset else {
        #expect(try reader.next()?.lastSequence == last && salvaged.problems == [])
        continue
      }
      let error = try #require(throws: KithError.self) { try reader.next() }
      guard case .corrupt(JournalFixture.path(), 4_096 + offset, _) = error else { throw error }
      #expect(salvaged.spans.isEmpty && salvaged.problems.count == 1)
    }
  }

  /// A journal with a frame of two changes.
  private func journal(first: UInt64, syncedThrough: UInt64) throws -> MemoryDisk {
    let header = JournalHeader(
      storeID: JournalFixture.storeID, generation: 1, firstSequence: first, chainHash: 0, writtenAt: 0, hasSchema: false
    ).encoded()
    var frame = JournalFrame(firstSequence: first)
    for id: Int64 in 1...2 { frame.append(.addUser(id: UserID(id), username: "user \(id)")) }
    let sealed = frame.sealed(
      journalID: JournalHeader.journalID(header), writtenAt: 0, syncedThrough: syncedThrough)
    let disk = MemoryDisk()
    disk[JournalFixture.path()] = header + sealed + [UInt8](repeating: 0, count: 512)
    return disk
  }

  @Test("An ACK with a number over the limit is refused")
  func watermarkNumbers() throws {
    for (sequence, generation) in [(last + 1, 1), (1, last + 1)] as [(UInt64, UInt64)] {
      let disk = MemoryDisk()
      let forged = DurableWatermark(storeID: JournalFixture.storeID, sequence: sequence, generation: generation)
      let error = try #require(throws: KithError.self) {
        _ = try WatermarkFile(directory: JournalFixture.directory, disk: disk, forged)
      }
      #expect(error.code == "corrupt")
    }
  }

  @Test("A file name with a number over the limit is damage")
  func fileNameNumbers() throws {
    _ = try makeSnapshot()
    let digits = StoreNames.digits
    #expect(StoreNames.generation(ofJournal: StoreNames.journal(generation: last)) == last)
    for name in [
      "wal-" + digits(last + 1), "snap-\(digits(last + 1))-\(digits(1)).kith.zst",
      "snap-\(digits(1))-\(digits(.max)).kith.zst", "wal-99999999999999999999",
    ] {
      #expect(SnapshotName(name) == nil && StoreNames.generation(ofJournal: name) == nil)
      try directory.write([], to: "store/" + name)
      let path = store + "/" + name
      for access in [SocialGraph.Access.readOnly, .readWrite] {
        let error = try #require(throws: KithError.self) { try SocialGraph.open(store, access: access) }
        guard case .corrupt(path, 0, _) = error else { throw error }
      }
      try FileManager.default.removeItem(atPath: path)
    }
  }

  @Test("After the last number changes are refused, and nothing is written")
  func lastNumber() throws {
    let path = try forge(try makeSnapshot(), sequence: last - 1, generation: 1)
    let target = directory.file("target")
    _ = try StoreTools.restore(from: path, to: target)
    let graph = try SocialGraph.open(target)
    #expect(try graph.apply(.addUser(id: nil, username: "cy")).sequence == last)
    let refused = KithError.limitExceeded(.changes(limit: last))
    #expect(throws: refused) { try graph.addUser("dora") }
    #expect(throws: KithError.inBatch(index: 0, refused)) {
      try graph.batch { batch throws(KithError) in try batch.apply(.addUser(id: nil, username: "dora")) }
    }
    try graph.close()
    let again = try SocialGraph.open(target)
    #expect(again.read { ($0.sequence, $0.counts.users) } == (last, 3))
    try again.snapshot()
    try again.close()
    #expect(try StoreTools.verify(target) == [])
  }

  @Test("After the last generation neither a snapshot nor opening for writing begins another")
  func lastGeneration() throws {
    let path = try forge(try makeSnapshot(), sequence: 2, generation: last - 3)
    let target = directory.file("target")
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: false)
    let name = try #require(path.split(separator: "/").last)
    try FileManager.default.copyItem(atPath: path, toPath: "\(target)/\(name)")
    // last − 2; a snapshot may take two more.
    let graph = try SocialGraph.open(target)
    try graph.addUser("cy")
    try graph.snapshot()
    try graph.addUser("dora")
    let before = try StoreDirectory(target, disk: SystemDisk()).contents()
    let error = try #require(throws: KithError.self) { try graph.snapshot() }
    #expect(error.code == "limitExceeded" && error.description.contains("new store"), "\(error)")
    try graph.addUser("eve")
    try graph.close()
    #expect(try StoreDirectory(target, disk: SystemDisk()).contents() == before)
    // last − 1 is taken: one is left, and then none.
    let next = try SocialGraph.open(target)
    try next.addUser("fay")
    try next.close()
    #expect(try #require(throws: KithError.self) { try SocialGraph.open(target) }.code == "limitExceeded")
    #expect(try SocialGraph.open(target, access: .readOnly).read { $0.counts.users } == 6)
    #expect(try StoreTools.verify(target) == [])
    _ = try StoreTools.restore(from: target, to: directory.file("new"))
    #expect(try SocialGraph.open(directory.file("new")).read { $0.counts.users } == 6)
  }
}
