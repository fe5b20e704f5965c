import Foundation
import Testing

@testable import Kith

/// Snapshots with valid hashes that no graph can be built from: `verify` reports them, and pruning does not count them.
@Suite struct SoundnessTests {
  private let directory: TemporaryDirectory
  private var store: String { directory.file("store") }

  init() throws { directory = try TemporaryDirectory() }

  /// The same snapshot, with the first user's name for the second.
  private func forge(_ path: String, sequence: UInt64, generation: UInt64, at target: String) throws {
    let disk = SystemDisk()
    let (header, sections) = try SnapshotFile.read(path: path, knownSections: GraphSections.known, disk: disk)
    var forged = header
    (forged.sequence, forged.generation) = (sequence, generation)
    let changed = sections.map { section in
      section.id == GraphSections.nameBytes ? Section(section.id, ColumnCoding.bytes(Array("annann".utf8))) : section
    }
    let name = SnapshotName(sequence: sequence, generation: generation).description
    _ = try SnapshotFile.write(forged, changed, to: target, name: name, disk: disk)
  }

  private func names() throws -> [SnapshotName] {
    try #require(try StoreDirectory(store, disk: SystemDisk()).contents()).snapshots
  }

  @Test("verify builds a graph as restore does, and verify --quick says that it did not")
  func verifyBuildsGraph() throws {
    let graph = try SocialGraph.open(store)
    for name in ["ann", "bob"] { try graph.addUser(name) }
    let path = try graph.snapshot().path
    try graph.close()
    try forge(path, sequence: 2, generation: 9, at: directory.path)
    let forged = directory.file(SnapshotName(sequence: 2, generation: 9).description)
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: forged)))
    #expect(throws: KithError.self) { try StoreTools.restore(from: forged, to: directory.file("target")) }
    for extent in [Verification.Extent.whole, .deep] {
      for verification in [
        try Verification(of: forged, extent), try Verification(ofSnapshot: bytes, named: "-", extent),
      ] {
        #expect(verification.problems.first?.message.contains("stands twice") == true)
        #expect(verification.problems.count == 1)
      }
      #expect(try Verification(of: path, extent).problems == [])
    }
    let quick = try Verification(of: forged, .quick)
    #expect(quick.problems == [] && quick.sequence == 2 && quick.extent == .quick)
    // In a store the same; the older one still compensates for it.
    try FileManager.default.moveItem(
      atPath: forged, toPath: store + "/" + SnapshotName(sequence: 2, generation: 9).description)
    #expect(try Verification(of: store).problems.map(\.place).allSatisfy { $0.contains("0009.kith") })
    #expect(try Verification(of: store).problems.count == 1 && Verification(of: store).sequence == 2)
    let quickly = try Verification(of: store, .quick)
    #expect(quickly.problems == [] && quickly.sequence == 2)
  }

  @Test("A snapshot that cannot be restored does not let the last restorable one be pruned")
  func pruningKeepsRestorable() throws {
    let graph = try SocialGraph.open(store)
    for name in ["ann", "bob"] { try graph.addUser(name) }
    let path = try graph.snapshot().path
    try graph.close()
    let first = try #require(try names().first)
    try forge(path, sequence: 2, generation: first.generation + 1, at: store)
    // The forged one is the newest, and is skipped.
    let again = try SocialGraph.open(store)
    #expect(again.recovery?.skippedSnapshots.count == 1)
    try again.addUser("cy")
    let newest = try again.snapshot().path
    #expect(try names().first == first && names().count == 3)
    // So the loss of the newest is compensated completely.
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: newest)))
    bytes[bytes.count / 2] ^= 1
    try again.close()
    try directory.write(bytes, to: "store/" + (newest.split(separator: "/").last.map(String.init) ?? ""))
    #expect(try SocialGraph.open(store, access: .readOnly).read { $0.counts.users } == 3)
    // With two that are known to be restorable, everything older is removed, the forged one too.
    let third = try SocialGraph.open(store)
    for name in ["dora", "eve"] {
      try third.addUser(name)
      try third.snapshot()
    }
    try third.close()
    #expect(try names().map(\.sequence) == [4, 5])
    #expect(try StoreTools.verify(store) == [])
  }
}
