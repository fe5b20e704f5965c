import Testing

@testable import Kith

@Suite struct ChangeCodingTests {
  private static let longText = String(repeating: "é", count: 32_767)
  // Named, because the leak checker does not find a reference in a change: its free bits say which change it is.
  private static let edges = [
    PostEdge(Relation("reply", from: .post, to: .post), to: PostID(.max)),
    PostEdge(Relation("list", from: .post, to: .user), to: UserID(1), at: Timestamp(.max)),
  ]
  private static let userFields = UserFields(payload: [0xFF, 0, 1], flags: .max, isPrivate: true)
  private static let postFields = PostFields(payload: [], flags: 300, editedAt: Timestamp(.max), audience: .mentioned)
  private static let flags = PostFields(flags: 0)
  private static let changes: [Change] = [
    .addUser(id: 1, username: "ann"), .addUser(id: UserID(.max), username: String(repeating: "x", count: 255)),
    .renameUser(128, to: "e\u{301}"), .removeUser(16_384), .follow(as: 1, target: 2, at: 0),
    .follow(as: UserID(.max), target: UserID(.max), at: Timestamp(.max)), .unfollow(as: 127, target: 128),
    .addPost(id: 5, by: 6, text: "", createdAt: 7), .addPost(id: 5, by: 6, text: longText, createdAt: 1),
    .removePost(PostID(.max)), .like(as: 1, post: 2, at: 3), .unlike(as: 1, post: 2), .block(as: 1, target: 2),
    .unblock(as: 1, target: 2), .mute(as: 1, target: 2),
    .unmute(as: 1, target: 2),
    .addEdge(Relation("a", from: .post, to: .post), from: .post(PostID(.max)), to: .post(2), at: Timestamp(.max)),
    .addEdge(Relation("a", from: .post, to: .user), from: .post(3), to: .user(2)),
    .addPost(id: 5, by: 6, text: "é", createdAt: 7, edges: edges),
    .addUser(id: 1, username: "ann", fields: userFields), .editUser(1, UserFields()), .editUser(2, userFields),
    .addPost(id: 5, by: 6, text: "", createdAt: 7, fields: postFields),
    .addPost(id: 5, by: 6, text: "é", createdAt: 7, edges: edges, fields: flags),
    .editPost(1), .editPost(2, text: ""), .editPost(PostID(.max), text: "é", fields: postFields),
    .addEdge(Relation("b_1", from: .user, to: .post), from: .user(1), to: .post(2), at: 0),
    .removeEdge(Relation("a", from: .post, to: .user), from: .post(1), to: .user(UserID(.max))),
    .declare(SocialGraph.Schema()),
    .declare(
      SocialGraph.Schema([
        Relation("a", from: .user, to: .post, visibility: .source),
        Relation("c", from: .post, to: .post, isTimed: true), Relation("d", from: .post, to: .post, isThread: true),
        Relation("b", from: .user, to: .user, visibility: .ends, isEndedBy: ["follow", "block"], endsWith: "mute"),
      ])),
  ]

  @Test("Every change survives encoding, its text byte for byte")
  func roundTrip() throws {
    var bytes: [UInt8] = []
    for change in Self.changes { ChangeCoding.journal.append(change, to: &bytes) }
    var reader = ByteReader(bytes, file: "f")
    for change in Self.changes { #expect(try ChangeCoding.journal.read(&reader) == change) }
    #expect(reader.remaining == 0)
    guard case .renameUser(_, let name) = try read(Self.changes[2]) else { return }
    #expect(Array(name.utf8) == Array("e\u{301}".utf8), "no normalisation on the way")
  }

  @Test("Every kind of change has its number, and there are no others")
  func kindNumbers() {
    let edge = PostEdge(Relation("a", from: .post, to: .post), to: PostID(2))
    let numbers: [(change: Change, number: UInt8)] = [
      (.addUser(id: 1, username: "a"), 1), (.renameUser(1, to: "a"), 2), (.removeUser(1), 3),
      (.follow(as: 1, target: 2, at: 3), 4), (.unfollow(as: 1, target: 2), 5),
      (.addPost(id: 1, by: 2, text: "a", createdAt: 3), 6),
      (.removePost(1), 7), (.like(as: 1, post: 2, at: 3), 8), (.unlike(as: 1, post: 2), 9),
      (.block(as: 1, target: 2), 10), (.unblock(as: 1, target: 2), 11),
      (.mute(as: 1, target: 2), 12), (.unmute(as: 1, target: 2), 13),
      (.addEdge(Relation("a", from: .user, to: .post), from: .user(1), to: .post(2), at: 3), 14),
      (.removeEdge(Relation("a", from: .user, to: .post), from: .user(1), to: .post(2)), 15),
      (.declare(SocialGraph.Schema()), 16),
      (.addPost(id: 1, by: 2, text: "a", createdAt: 3, edges: [edge]), 17),
      (.addUser(id: 1, username: "a", fields: UserFields(flags: 1)), 18), (.editUser(1, UserFields(flags: 1)), 19),
      (.addPost(id: 1, by: 2, text: "a", createdAt: 3, edges: [edge], fields: Self.flags), 20),
      (.editPost(1, text: "a"), 21),
    ]
    for (change, number) in numbers {
      var bytes: [UInt8] = []
      ChangeCoding.journal.append(change, to: &bytes)
      #expect(bytes.first == number, "\(change)")
    }
    let edges = RelationKind.allCases.flatMap { [$0.changeNumbers.add, $0.changeNumbers.remove] }
    #expect((ChangeCoding.Kind.allCases.map(\.rawValue) + edges).sorted() == numbers.map(\.number))
  }

  @Test("A follow takes the number of bytes that the format states")
  func followLength() {
    var bytes: [UInt8] = []
    ChangeCoding.journal.append(.follow(as: 1, target: 300, at: 1_700_000_000_000), to: &bytes)
    #expect(bytes == [4, 1, 0xAC, 2, 0x80, 0xD0, 0x95, 0xFF, 0xBC, 0x31])
  }

  @Test("A truncated change is refused at every byte")
  func truncation() {
    for change in Self.changes where change != .addPost(id: 5, by: 6, text: Self.longText, createdAt: 1) {
      var bytes: [UInt8] = []
      ChangeCoding.journal.append(change, to: &bytes)
      for count in bytes.indices { expectCorrupt(Array(bytes.prefix(count))) }
    }
  }

  @Test(
    "Invalid values are refused",
    arguments: [
      [0], [14, 1], [255, 1],  // unknown kind
      [3, 0x80, 0], [3, 0x81, 0x80, 0],  // not the shortest encoding
      [3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],  // 2⁶³
      [3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
      [1, 1, 1, 0xFF], [1, 1, 2, 0xC0, 0x80], [1, 1, 3, 0xED, 0xA0, 0x80],  // not UTF-8
      [14, 8, 1, 0x61, 1, 2, 0], [15, 4, 1, 0x61, 1, 2],  // unknown flags of an edge
      [17, 1, 2, 0, 3, 0], [17, 1, 2, 0, 3, 1, 0, 1, 0x61, 2, 0], [17, 1, 2, 0, 3, 0x81, 2, 7, 1, 0x61, 2],
      [18, 1, 1, 0x61, 0], [18, 1, 1, 0x61, 16], [19, 1, 4, 5], [19, 1, 2, 0x80, 0x80, 4],  // fields of no kind
      [19, 1, 8, 2], [21, 1, 0, 8, 4],  // no such privacy, no such audience
      [19, 1, 1, 3, 1, 2], [20, 1, 2, 0, 3, 0, 0], [21, 1, 3, 0x61, 0], [21, 1, 2, 0xFF, 0],
      [1, 1, 5, 0x61], [1, 1, 255, 255, 255, 255, 255, 255, 255, 255, 127, 0x61],  // longer than the rest
    ] as [[UInt8]])
  func hostile(_ bytes: [UInt8]) {
    expectCorrupt(bytes)
  }

  @Test("Random bytes are refused or are the only encoding of a change")
  func randomBytes() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<100_000 {
      var bytes = (0..<(1 + random.below(24))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      bytes[0] %= 22
      var reader = ByteReader(bytes, file: "f")
      guard let change = try? ChangeCoding.journal.read(&reader) else { continue }
      var again: [UInt8] = []
      ChangeCoding.journal.append(change, to: &again)
      #expect(again == Array(bytes.prefix(reader.position)))
    }
  }

  private func read(_ change: Change) throws -> Change {
    var bytes: [UInt8] = []
    ChangeCoding.journal.append(change, to: &bytes)
    var reader = ByteReader(bytes, file: "f")
    return try ChangeCoding.journal.read(&reader)
  }

  private func expectCorrupt(_ bytes: [UInt8], _ location: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: KithError.self, sourceLocation: location) {
      var reader = ByteReader(bytes, file: "f", at: 1000)
      _ = try ChangeCoding.journal.read(&reader)
    }
    guard case .corrupt("f", let offset, _) = error else {
      Issue.record("\(String(describing: error))", sourceLocation: location)
      return
    }
    #expect((1000...1000 + Int64(bytes.count)).contains(offset), sourceLocation: location)
  }
}
