@testable import Kith

/// Small graphs to begin with: one of every kind of change, names in many scripts, users and posts that came and went.
enum Sample {
  static let storeID: (high: UInt64, low: UInt64) = (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210)

  static let changes: [Change] =
    [
      .addUser(id: 1, username: "ann"), .addUser(id: 2, username: "Bøb 👋"), .addUser(id: 7, username: "ΣΊΣΥΦΟΣ"),
      .addUser(id: 5, username: "e\u{301}milie"), .addUser(id: 1_000_000_007, username: "\u{1F}\"str\\a\tsse\u{1}"),
      .follow(1, 2, at: 1_700_000_000_000), .follow(2, 1, at: 1_700_000_001_000), .follow(7, 1, at: 1_700_000_000_000),
      .follow(5, 1, at: 0), .addPost(id: 1, author: 1, text: "hello 👋\tworld", createdAt: 1_700_000_000_123),
      .addPost(id: 9, author: 2, text: "", createdAt: 5),
      .addPost(id: 4, author: 7, text: "zebra\n\r\t\\n hello\u{1F}\"", createdAt: 1_700_000_000_123),
      .like(1, 9, at: 1_700_000_002_000), .like(2, 1, at: 1_700_000_003_000), .like(1, 1, at: 1_700_000_003_000),
      .unlike(1, 1), .block(5, 7), .mute(1, 2), .mute(2, 7), .unmute(2, 7), .renameUser(2, username: "bob"),
      .unfollow(7, 1), .block(2, 5), .unblock(2, 5), .removePost(9), .addUser(id: 8, username: "gone"),
      .follow(8, 1, at: 1_700_000_004_000), .addPost(id: 10, author: 8, text: "soon gone", createdAt: 77),
      .removeUser(8),
    ]

  /// The graph after the first `count` changes.
  static func state(_ count: Int = changes.count) throws(KithError) -> GraphState {
    var state = GraphState()
    for change in changes.prefix(count) { _ = try state.apply(change) }
    return state
  }

  /// A graph with lists of many entries: users in a ring who follow the next ones and like each other's posts.
  /// - Parameter removing: whether every third of them goes, with every fourth post.
  static func ring(_ count: Int64, removing: Bool = false) throws(KithError) -> GraphState {
    var state = GraphState()
    for id in 1...count {
      _ = try state.apply(.addUser(id: UserID(id), username: "user \(id)"))
      _ = try state.apply(.addPost(id: PostID(id), author: UserID(id), text: "post \(id)", createdAt: Timestamp(id)))
    }
    for id in 1...count {
      for step in 1...min(count - 1, 20) {
        let other = (id + step - 1) % count + 1
        _ = try state.apply(.follow(UserID(id), UserID(other), at: Timestamp(id * 1_000)))
        _ = try state.apply(.like(UserID(id), PostID(other), at: Timestamp(step * 1_000)))
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
      unicodeVersion: Folding.unicodeVersion)
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
