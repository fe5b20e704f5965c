import Foundation
import Testing

@testable import Kith

/// Graphs as sections and as files: reading returns what was written.
@Suite struct SnapshotTests {
  private static func sections(_ graph: SocialGraph) -> [Section] { GraphSections.sections(of: graph.pin().view.state) }

  private static func restored(_ sections: [Section], sequence: UInt64) throws -> SocialGraph {
    let state = try GraphSections.state(from: sections, sequence: sequence, file: "memory")
    return SocialGraph(state, store: nil, isReadOnly: false)
  }

  @Test(
    "Saving, restoring and saving again gives the same sections and the same answers",
    arguments: [(1, 1), (12, 2), (40, 3), (150, 4)])
  func saveRestoreSave(userCount: Int, seed: UInt64) throws {
    let sample = try SampleGraph(userCount: userCount, seed: seed)
    let first = Self.sections(sample.graph)
    let restored = try Self.restored(first, sequence: sample.model.sequence)
    #expect(sample.differences(from: restored.pin().view, questions: 150) == [])
    #expect(Self.sections(restored).contents == first.contents)
  }

  @Test("Texts are compressed while they are read, and answers are the same")
  func compressedTexts() throws {
    let sample = try SampleGraph(userCount: 40, seed: 9)
    let state = try GraphSections.state(
      from: SectionList(Self.sections(sample.graph)), sequence: sample.model.sequence,
      form: GraphForm(compressesTexts: true))
    let isCompressing = state.posts.texts.isCompressing
    #expect(isCompressing)
    let graph = SocialGraph(state, store: nil, isReadOnly: false)
    #expect(sample.differences(from: graph.pin().view, questions: 150) == [])
    #expect(Self.sections(graph).contents == Self.sections(sample.graph).contents)
  }

  @Test("An empty graph, and one without remaining users, survive saving")
  func nothingLeft() throws {
    let graph = SocialGraph()
    #expect(
      Self.sections(try Self.restored(Self.sections(graph), sequence: 0)).contents == Self.sections(graph).contents)
    for name in ["a", "b", "c"] { try graph.addPost("text of \(name)", by: graph.addUser(name)) }
    for user in 1...3 as ClosedRange<Int64> { try graph.removeUser(UserID(user)) }
    let sections = Self.sections(graph)
    let restored = try Self.restored(sections, sequence: 9)
    #expect(Self.sections(restored).contents == sections.contents)
    #expect(try restored.addUser("a") == 4 && restored.read { $0.verify() } == [])
    #expect(throws: KithError.userIDTaken(2)) { try restored.addUser("b", id: 2) }
  }

  /// Hash seeds differ in every process: if any of them reached a section, this number would differ.
  @Test("The sections of a seeded graph are the same in every process, on every machine")
  func digest() throws {
    let sample = try SampleGraph(userCount: 150, seed: 4)
    let digest = Self.sections(sample.graph).digest
    #expect(String(digest, radix: 16) == "b85d4df120d24d09")
    let again = try Self.restored(Self.sections(sample.graph), sequence: sample.model.sequence)
    #expect(Self.sections(again).digest == digest)
  }

  @Test("Files of equal graphs differ only in their headers")
  func equalFiles() throws {
    let directory = try TemporaryDirectory()
    let sample = try SampleGraph(userCount: 30, seed: 5)
    let state = sample.model.sequence
    let restored = try Self.restored(Self.sections(sample.graph), sequence: state)
    var frames: [[UInt8]] = []
    for (name, graph, writtenAt) in [("first", sample.graph, 1), ("second", restored, 2)]
      as [(String, SocialGraph, Int64)]
    {
      let header = SnapshotHeader(
        storeID: StoreID(high: UInt64(writtenAt), low: 2), sequence: state, generation: 1, writtenAt: writtenAt,
        unicodeVersion: "17.0.0", hasSchema: false)
      let summary = try SnapshotFile.write(
        header, Self.sections(graph), to: directory.path, name: name, disk: SystemDisk())
      let end = SnapshotFormat.headerByteCount + summary.sections.reduce(0) { $0 + Int($1.compressedByteCount) }
      frames.append(Array(try directory.read(name)[SnapshotFormat.headerByteCount..<end]))
    }
    #expect(frames[0] == frames[1] && frames[0].count > 1_000)
  }

  @Test("A stream gets the bytes of a file with that header")
  func streamed() throws {
    let directory = try TemporaryDirectory()
    let sample = try SampleGraph(userCount: 150, seed: 6)
    let pin = sample.graph.pin()
    let header = SnapshotHeader(
      storeID: StoreID(high: 1, low: 2), sequence: pin.view.sequence, generation: 1, writtenAt: 3,
      unicodeVersion: "17.0.0", hasSchema: false)
    _ = try SnapshotFile.write(header, pin.view.state, to: directory.path, name: "file", disk: SystemDisk())
    #expect(FileManager.default.createFile(atPath: directory.file("stream"), contents: nil))
    let handle = try #require(FileHandle(forWritingAtPath: directory.file("stream")))
    try SnapshotFile.write(header, pin.view.state, to: SystemStream(descriptor: handle.fileDescriptor))
    try handle.close()
    #expect(try directory.read("stream") == directory.read("file"))
  }

  @Test("A restored graph continues like the original", arguments: [11, 12] as [UInt64])
  func goingOn(seed: UInt64) throws {
    let sample = try SampleGraph(userCount: 25, seed: seed)
    let restored = try Self.restored(Self.sections(sample.graph), sequence: sample.model.sequence)
    var draw = Draw(seed: seed, userCount: 25)
    for _ in 0..<300 {
      let change = draw.change(for: sample.model)
      let applied = try? sample.graph.apply(change)
      #expect(applied == (try? restored.apply(change)), "seed \(seed): \(change)")
    }
    #expect(Self.sections(restored).contents == Self.sections(sample.graph).contents, "seed \(seed)")
    #expect(restored.read { $0.verify() } == [] && restored.read { $0.sequence } == sample.graph.read { $0.sequence })
  }
}
