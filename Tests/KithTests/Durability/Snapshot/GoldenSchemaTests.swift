import Foundation
import Testing

@testable import Kith

/// The snapshot of version 1.2, and the journal of version 1.1 with its `ACK`, that the first release with schemas
/// wrote: they must stay readable.
///
/// They were written by `KITH_WRITE_GOLDEN_SCHEMA=Snapshots swift test --filter GoldenSchemaTests`, and are never
/// written again: a later format gets files of its own.
@Suite struct GoldenSchemaTests {
  private static let folder = Repository.root.appendingPathComponent("Snapshots")
  private static let (snapshotName, journalName) = ("golden-1.2.kith.zst", "golden-1.1.journal")

  private static let reply = Relation("reply", from: .post, to: .post, isThread: true)
  private static let tag = Relation("tag", from: .post, to: .user)
  private static let member = Relation("member", from: .post, to: .user, isTimed: true)
  private static let bookmark = Relation("bookmark", from: .user, to: .post, visibility: .source)
  private static let request = Relation(
    "request", from: .user, to: .user, visibility: .ends, isEndedBy: ["block", "follow"])
  private static let close = Relation("close", from: .user, to: .user, endsWith: "follow")
  private static let schema = SocialGraph.Schema([reply, tag, member, bookmark, request, close])

  /// Every kind of change of a graph with a schema. Users, and posts, are 1 to 4.
  private static var changes: [Change] {
    let users = ["ann", "bøb", "cy", "日本"].enumerated().map { number, name in
      Change.addUser(id: UserID(Int64(number) + 1), username: name)
    }
    return users + [
      .addPost(id: 1, by: 1, text: "root", createdAt: 1_000_000_000_001),
      .addPost(
        id: 2, by: 2, text: "a reply", createdAt: 1_000_000_000_002,
        edges: [PostEdge(reply, to: PostID(1)), PostEdge(tag, to: UserID(3))]),
      .addPost(
        id: 3, by: 3, text: "to the reply", createdAt: 1_000_000_000_003,
        edges: [
          PostEdge(reply, to: PostID(2)), PostEdge(member, to: UserID(1), at: 5_000), PostEdge(member, to: UserID(2)),
        ]),
      .addPost(id: 4, by: 4, text: "", createdAt: 0),
      .addEdge(tag, from: .post(4), to: .user(1)),
      .addEdge(bookmark, from: .user(1), to: .post(3), at: 7_000),
      .addEdge(bookmark, from: .user(2), to: .post(4), at: 8_000),
      .removeEdge(bookmark, from: .user(2), to: .post(4)),
      .addEdge(request, from: .user(1), to: .user(2), at: 9_000),
      .addEdge(request, from: .user(3), to: .user(4), at: 10_000),
      .follow(as: 1, target: 2, at: 11_000), .addEdge(close, from: .user(1), to: .user(2), at: 12_000),
      .removePost(2), .mute(as: 1, target: 4),
    ]
  }

  private static func graph(at path: String? = nil) throws -> SocialGraph {
    let graph = try path.map { try SocialGraph.open($0, schema: schema) } ?? SocialGraph(schema: schema)
    for change in changes { #expect(try graph.apply(change).didChange, "\(change)") }
    return graph
  }

  @Test(
    "The golden files can be written",
    .enabled(if: ProcessInfo.processInfo.environment["KITH_WRITE_GOLDEN_SCHEMA"] != nil, "only when asked for"))
  func write() throws {
    let target = URL(fileURLWithPath: ProcessInfo.processInfo.environment["KITH_WRITE_GOLDEN_SCHEMA"] ?? "")
    let pin = try Self.graph().pin()
    let header = SnapshotHeader(
      storeID: StoreID(high: 0x4B69_7468_2067_6F6C, low: 0x6465_6E20_312E_3200), sequence: pin.view.sequence,
      generation: 1, writtenAt: 1_750_000_000_000, unicodeVersion: "17.0.0", hasSchema: true)
    _ = try SnapshotFile.write(
      header, GraphSections.sections(of: pin.view.state), to: target.path, name: Self.snapshotName, disk: SystemDisk())
    let directory = try TemporaryDirectory()
    try Self.graph(at: directory.file("store")).close()
    for (name, golden) in [("wal-00000000000000000001", Self.journalName), ("ACK", "golden-1.1.ack")] {
      let copy = target.appendingPathComponent(golden).path
      try FileManager.default.copyItem(atPath: directory.file("store") + "/" + name, toPath: copy)
    }
  }

  @Test("The golden snapshot restores its graph, and today's writer writes the same sections")
  func restoring() throws {
    let path = Self.folder.appendingPathComponent(Self.snapshotName).path
    let (graph, expected) = (try SocialGraph.open(path, access: .readOnly), try Self.graph().pin())
    #expect(graph.read { $0.rows } == expected.view.rows && graph.read { $0.verify() } == [])
    #expect(graph.read { $0.schema } == Self.schema)
    let file = try SnapshotFile.read(path: path, knownSections: GraphSections.known, disk: SystemDisk())
    #expect(file.sections.contents == GraphSections.sections(of: expected.view.state).contents)
    #expect(try StoreTools.inspect(path).first?.formatVersion == "1.2")
    #expect(try StoreTools.verify(path) == [])
  }

  @Test("The golden journal declares its schema and replays to the same graph")
  func replaying() throws {
    let path = Self.folder.appendingPathComponent(Self.journalName).path
    var reader = try JournalReader(path: path, disk: SystemDisk(), syncing: false)
    #expect(reader.header.formatVersion == FormatVersion(major: 1, minor: 1))
    var state = GraphState()
    var replayed: [Change] = []
    while let frame = try reader.next() {
      try frame.forEachChange { (change, _) throws(KithError) in
        replayed.append(change)
        _ = try state.apply(change, replaying: true)
      }
    }
    #expect(replayed.first == .declare(Self.schema) && replayed.count == Self.changes.count + 1)
    #expect(try GraphView(state.pin()).rows == Self.graph().read { $0.rows })
  }
}
