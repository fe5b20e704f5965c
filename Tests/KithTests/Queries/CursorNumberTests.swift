import Testing

@testable import Kith

/// Hosts keep cursors: the number of a list in them never changes.
@Suite struct CursorNumberTests {
  /// Four users; the first follows, blocks and mutes others, and likes posts.
  private static func graph() throws -> SocialGraph {
    let graph = SocialGraph()
    for name in ["ann", "anne", "annika", "hanna"] { try graph.addUser(name) }
    for post in 1...2 { try graph.addPost("text \(post)", by: 2) }
    for user in [2, 3] as [UserID] {
      try graph.follow(user, as: 1)
      try graph.follow(4, as: user)
      try graph.like(1, as: user)
      try graph.mute(user, as: 1)
    }
    for post in [1, 2] as [PostID] { try graph.like(post, as: 1) }
    for user in [2, 3] as [UserID] { try graph.block(user, as: 4) }
    for user in [1, 3] as [UserID] { try graph.follow(2, as: user) }
    return graph
  }

  /// The number in the cursor of a page.
  private static func number(_ cursor: Cursor?) throws -> UInt8 {
    let text = try #require(cursor).text
    return try #require(Base64.url.bytes(text)?.first)
  }

  @Test func `every list of a relation has its number`() throws {
    let pin = try Self.graph().pin()
    let (newest, name) = (ListQuery(limit: 1), ListQuery(order: .name, limit: 1))
    let cursors = [
      try pin.view.followees(of: 1, newest).next, try pin.view.followees(of: 1, name).next,
      try pin.view.followers(of: 2, newest).next, try pin.view.followers(of: 2, name).next,
      try pin.view.likers(of: 1, newest).next, try pin.view.likes(of: 1, newest).next,
      try pin.view.blocked(by: 4, newest).next, try pin.view.muted(by: 1, newest).next,
    ]
    #expect(try cursors.map(Self.number) == [4, 5, 6, 7, 8, 9, 10, 11])
  }

  @Test func `every order of user search has its number`() throws {
    let numbers: [UserQuery.Order: UInt8] = [.name: 1, .prefixFirst: 20, .followedFirst: 21, .popular: 22]
    let pin = try Self.graph().pin()
    for order in UserQuery.Order.allCases {
      let page = try pin.view.searchUsers("ann", UserQuery(order: order, limit: 1, viewer: 1))
      #expect(try Self.number(page.next) == numbers[order], "\(order)")
    }
    let fuzzy = try pin.view.searchUsers("ann", UserQuery(match: .fuzzy, limit: 1))
    #expect(try Self.number(fuzzy.next) == 23)
  }
}
