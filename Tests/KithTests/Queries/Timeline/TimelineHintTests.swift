import Testing

@testable import Kith

/// The oldest time that a first page reached is a hint for the next one, which is right even if the hint is not.
@Suite struct TimelineHintTests {
  /// User 1 follows users 2 to 41; user n writes post n, a minute after the one before.
  private func graph() throws -> SocialGraph {
    let graph = SocialGraph()
    for number in 1...60 { try graph.addUser("user \(number)") }
    for number in 2...41 {
      try graph.follow(UserID(Int64(number)), as: 1)
      try graph.addPost("", by: UserID(Int64(number)), id: PostID(Int64(number)), createdAt: at(number))
    }
    return graph
  }

  private func at(_ minute: Int) -> Timestamp { Timestamp(Int64(minute) * 60_000) }

  private func page(_ graph: SocialGraph, limit: Int = 5) throws -> [Int64] {
    let options = TimelineQuery(limit: limit)
    return try graph.read { view throws(KithError) in try view.timeline(of: 1, options) }.map(\.id.rawValue)
  }

  @Test("Pages follow additions and removals")
  func additionsAndRemovals() throws {
    let graph = try graph()
    #expect(try page(graph) == [41, 40, 39, 38, 37])
    #expect(try page(graph) == [41, 40, 39, 38, 37])
    try graph.addPost("", by: 2, id: 100, createdAt: at(100))
    try graph.addPost("", by: 3, id: 99, createdAt: at(1))
    #expect(try page(graph) == [100, 41, 40, 39, 38])
    for number in 20...41 { try graph.unfollow(UserID(Int64(number)), as: 1) }
    #expect(try page(graph) == [100, 19, 18, 17, 16])
    for number in 12...19 { try graph.apply(.removePost(PostID(Int64(number)))) }
    #expect(try page(graph) == [100, 11, 10, 9, 8])
    for number in 4...11 { try graph.mute(UserID(Int64(number)), as: 1) }
    #expect(try page(graph) == [100, 3, 2, 99])
    try graph.unmute(8, as: 1)
    #expect(try page(graph) == [100, 8, 3, 2, 99])
  }

  @Test("A pin does not trust a hint of a later version")
  func hintOfALaterVersion() throws {
    let graph = try graph()
    let before = graph.pin()
    for number in 42...60 {
      try graph.follow(UserID(Int64(number)), as: 1)
      try graph.addPost("", by: UserID(Int64(number)), id: PostID(Int64(number)), createdAt: at(number))
    }
    for _ in 0..<2 {
      #expect(try page(graph) == [60, 59, 58, 57, 56])
      let kept = try before.view.timeline(of: 1, TimelineQuery(limit: 5))
      #expect(kept.map(\.id.rawValue) == [41, 40, 39, 38, 37])
    }
    #expect(try page(graph, limit: 8) == [60, 59, 58, 57, 56, 55, 54, 53])
  }

  @Test("A hint belongs to one row and one query, and is verified")
  func hints() {
    let hints = RowCache()
    let (row, other): (UInt32, UInt32) = (7, 7 + 16_384)
    #expect(hints.hint(of: row, for: 20) == 0)
    #expect(hints.byteCount == 0, "nothing is made before the first")
    hints.set(5, of: row, for: 20)
    hints.set(6, of: row, for: 21)
    #expect(hints.hint(of: row, for: 20) == 5)
    #expect(hints.hint(of: row, for: 21) == 6)
    #expect(hints.hint(of: other, for: 20) == 0, "the slot is another's")
    hints.set(8, of: other, for: 20)
    #expect(hints.hint(of: row, for: 20) == 0)
    #expect(hints.byteCount == 131_072)
  }
}
