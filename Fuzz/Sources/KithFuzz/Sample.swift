@testable import Kith

/// Small graphs to begin with: one of every kind of change, names in many scripts, added and removed users and posts.
enum Sample {
  static let storeID = StoreID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

  private static let (ann, bob, sis) = (UserID(1), UserID(2), UserID(7))
  private static let (emi, far, gone) = (UserID(5), UserID(1_000_000_007), UserID(8))
  private static let (hello, empty, zebra, late) = (PostID(1), PostID(9), PostID(4), PostID(10))

  static let changes: [Change] =
    [
      .addUser(id: ann, username: "ann"), .addUser(id: bob, username: "Bøb 👋"), .addUser(id: sis, username: "ΣΊΣΥΦΟΣ"),
      .addUser(id: emi, username: "e\u{301}milie"), .addUser(id: far, username: "\u{1F}\"str\\a\tsse\u{1}"),
      .follow(as: ann, target: bob, at: 1_700_000_000_000), .follow(as: bob, target: ann, at: 1_700_000_001_000),
      .follow(as: sis, target: ann, at: 1_700_000_000_000),
      .follow(as: emi, target: ann, at: 0),
      .addPost(id: hello, by: ann, text: "hello 👋\tworld", createdAt: 1_700_000_000_123),
      .addPost(id: empty, by: bob, text: "", createdAt: 5),
      .addPost(id: zebra, by: sis, text: "zebra\n\r\t\\n hello\u{1F}\"", createdAt: 1_700_000_000_123),
      .like(as: ann, post: empty, at: 1_700_000_002_000), .like(as: bob, post: hello, at: 1_700_000_003_000),
      .like(as: ann, post: hello, at: 1_700_000_003_000),
      .unlike(as: ann, post: hello), .block(as: emi, target: sis), .mute(as: ann, target: bob),
      .mute(as: bob, target: sis),
      .unmute(as: bob, target: sis), .renameUser(bob, to: "bob"),
      .unfollow(as: sis, target: ann), .block(as: bob, target: emi), .unblock(as: bob, target: emi), .removePost(empty),
      .addUser(id: gone, username: "gone"),
      .follow(as: gone, target: ann, at: 1_700_000_004_000),
      .addPost(id: late, by: gone, text: "soon gone", createdAt: 77),
      .removeUser(gone),
    ]

  private static let reply = Relation("reply", from: .post, to: .post, isThread: true)
  private static let member = Relation("member", from: .post, to: .user, isTimed: true)
  private static let request = Relation(
    "request", from: .user, to: .user, visibility: .ends, isEndedBy: ["block", "follow"])
  private static let close = Relation("close", from: .user, to: .user, endsWith: "follow")

  static let schema = SocialGraph.Schema([reply, member, request, close])

  // Named, because the leak checker does not find a reference in a change: its free bits say which change it is.
  private static let (toHello, toReply) = (
    [PostEdge(reply, to: hello)],
    [PostEdge(reply, to: PostID(11)), PostEdge(member, to: sis, at: 5_000), PostEdge(member, to: ann, at: 0)]
  )

  private static let (profile, picture, warning) = (
    UserFields(payload: [0, 0xFF, 0x0A], flags: 3, isPrivate: true),
    PostFields(payload: [1, 2, 3], editedAt: 9_500, audience: .followers),
    PostFields(payload: [], flags: .max, editedAt: 9_600)
  )

  /// The declaration of a schema, the changes above, and one of every kind of change that a schema adds.
  static let changesWithSchema: [Change] =
    [.declare(schema)] + changes + [
      .addPost(id: PostID(11), by: ann, text: "a reply", createdAt: 9_000, edges: toHello),
      .addPost(id: PostID(12), by: bob, text: "", createdAt: 9_001, edges: toReply),
      .addEdge(request, from: .user(sis), to: .user(bob), at: 7_000),
      .addEdge(request, from: .user(far), to: .user(ann), at: 8_000),
      .addEdge(close, from: .user(ann), to: .user(bob), at: 1_000),
      .removeEdge(request, from: .user(far), to: .user(ann)), .removePost(PostID(11)),
      .addUser(id: UserID(77), username: "kept", fields: profile), .editUser(ann, profile),
      .addPost(id: PostID(13), by: ann, text: "a picture", createdAt: 9_002, edges: toHello, fields: picture),
      .editPost(PostID(12), text: "edited", fields: warning),
    ]

  static func stateWithSchema() throws(KithError) -> GraphState {
    var state = GraphState()
    for change in changesWithSchema { _ = try state.apply(change) }
    return state
  }

  /// The graph after the first `count` changes.
  static func state(_ count: Int = changes.count) throws(KithError) -> GraphState {
    var state = GraphState()
    for change in changes.prefix(count) { _ = try state.apply(change) }
    return state
  }

  /// A graph with lists of many entries: users in a ring who follow the next ones and like each other's posts.
  /// - Parameter removing: whether every third of them is removed, with every fourth post.
  static func ring(_ count: Int64, removing: Bool = false) throws(KithError) -> GraphState {
    var state = GraphState()
    for id in 1...count {
      _ = try state.apply(.addUser(id: UserID(id), username: "user \(id)"))
      _ = try state.apply(.addPost(id: PostID(id), by: UserID(id), text: "post \(id)", createdAt: Timestamp(id)))
    }
    for id in 1...count {
      for step in 1...min(count - 1, 20) {
        let other = (id + step - 1) % count + 1
        _ = try state.apply(.follow(as: UserID(id), target: UserID(other), at: Timestamp(id * 1_000)))
        _ = try state.apply(.like(as: UserID(id), post: PostID(other), at: Timestamp(step * 1_000)))
      }
    }
    if removing {
      for id in stride(from: 1, through: count, by: 3) { _ = try state.apply(.removeUser(UserID(id))) }
      for id in stride(from: 2, through: count, by: 12) { _ = try state.apply(.removePost(PostID(id))) }
    }
    return state
  }

  static func header(of state: borrowing GraphState, generation: UInt64 = 3) -> SnapshotHeader {
    SnapshotHeader(
      storeID: storeID, sequence: state.sequence, generation: generation, chainHash: 0, writtenAt: 1_700_000_000_000,
      unicodeVersion: Folding.unicodeVersion, hasSchema: state.relations.hasSchema)
  }

  /// A snapshot file.
  static func snapshot(
    _ header: SnapshotHeader, _ sections: [Section]
  ) throws(KithError) -> [UInt8] {
    let disk = MemoryDisk()
    _ = try SnapshotFile.write(header, sections, to: MemoryDisk.directory, name: "s", disk: disk)
    return disk["\(MemoryDisk.directory)/s"] ?? []
  }

  static func snapshot(of state: borrowing GraphState) throws(KithError) -> [UInt8] {
    try snapshot(header(of: state), GraphSections.sections(of: state))
  }
}
