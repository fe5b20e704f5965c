import Testing

@testable import Kith

/// Equality, hashing and texts of pages.
@Suite struct PageTests {
  private let graph = SocialGraph()

  /// User 1 follows 2 to 5, who all follow 6 and 7.
  init() throws {
    for id in 1...7 { try graph.addUser("user \(id)", id: UserID(Int64(id))) }
    for id in 2...5 {
      try graph.follow(UserID(Int64(id)), as: 1)
      for target in 6...7 { try graph.follow(UserID(Int64(target)), as: UserID(Int64(id))) }
    }
    try graph.addPost("one word", by: 1, id: 1)
    try graph.addPost("one more word", by: 2, id: 2)
  }

  /// Whether the pages are equal where their equality is expected, and then hash alike.
  private func expect<Element>(_ page: Page<Element>, equal same: Page<Element>, but others: [Page<Element>]) {
    #expect(page == same)
    #expect(Set([page, same]).count == 1)
    #expect(page.items.count == page.count && page.indices == 0..<page.count)
    for other in others { #expect(page != other, "\(page.items) and \(other.items)") }
  }

  @Test("Pages of users are equal in users, cursor, total and highlights")
  func users() throws {
    try graph.read { view in
      let options = UserQuery(limit: 3)
      let others = [
        UserQuery(limit: 2), UserQuery(countsMatches: true, limit: 3), UserQuery(includesHighlights: true, limit: 3),
        UserQuery(limit: 3, viewer: 1),
      ]
      expect(
        try view.searchUsers("user", options), equal: try view.searchUsers("user", options),
        but: try others.map { try view.searchUsers("user", $0) } + [Page<User>(nil)])
    }
  }

  @Test("Pages of posts are equal in posts, cursors and highlights")
  func posts() throws {
    try graph.read { view in
      let others = [PostQuery(limit: 1), PostQuery(includesHighlights: true), PostQuery(viewer: 1)]
      expect(
        try view.searchPosts("word"), equal: try view.searchPosts("word"),
        but: try others.map { try view.searchPosts("word", $0) } + [Page<Post>(nil), try view.timeline(of: 1)])
    }
  }

  @Test("Names and texts of every length are on pages as they were added")
  func texts() throws {
    func text(_ byteCount: Int) -> String {
      String(decoding: (0..<byteCount).map { UInt8(97 + $0 % 23) }, as: UTF8.self)
    }
    let names = (1...64).map { text($0) }
    for name in names { try graph.addUser(name) }
    for count in 0...400 { try graph.addPost(text(count), by: 3, createdAt: Timestamp(Int64(count))) }
    try graph.read { view in
      let users = try view.searchUsers("a", UserQuery(match: .prefix, limit: 100))
      #expect(users.map(\.username) == names)
      let posts = try view.searchPosts("", PostQuery(author: 3, limit: 500))
      #expect(posts.map(\.text) == (0...400).reversed().map { text($0) })
    }
  }

  @Test("Pages of suggestions are equal in users, mutuals and completeness")
  func suggestions() throws {
    try graph.read { view in
      let options = SuggestionQuery(namedCount: 2)
      let others = [
        SuggestionQuery(namedCount: 2, limit: 1), SuggestionQuery(namedCount: 1),
        SuggestionQuery(namedCount: 2, followLimit: 6),
      ]
      expect(
        try view.suggestions(for: 1, options), equal: try view.suggestions(for: 1, options),
        but: try others.map { try view.suggestions(for: 1, $0) })
    }
  }

  @Test("An empty page has no elements and is equal to any other without")
  func empty() throws {
    let none = Page<User>(nil)
    #expect(none.isEmpty && none.items.isEmpty && none.first == nil)
    let page = try graph.read { try $0.searchUsers("nobody") }
    #expect(page == none)
  }

  @Test("Every query of a closed graph throws closed, but not one of an earlier pin")
  func closed() throws {
    let open = graph.pin()
    try graph.close()
    #expect(Set(graph.read { errors($0) }) == [.some("closed")])
    #expect(Set(errors(graph.pin().view)) == [.some("closed")])
    #expect(Set(errors(open.view)) == [nil])
  }

  /// The code of what each query throws.
  private func errors(_ view: borrowing GraphView) -> [String?] {
    [
      code { _ = try view.user(1) }, code { _ = try view.post(1) }, code { _ = try view.users([1]) },
      code { _ = try view.posts([1]) }, code { _ = try view.isFollowing(2, as: 1) },
      code { _ = try view.relations(of: 1, to: [2]) }, code { _ = try view.followees(of: 1) },
      code { _ = try view.followers(of: 1) }, code { _ = try view.likers(of: 1) }, code { _ = try view.likes(of: 1) },
      code { _ = try view.blocked(by: 1) }, code { _ = try view.muted(by: 1) },
      code { _ = try view.searchUsers("user") }, code { _ = try view.searchPosts("word") },
      code { _ = try view.mutualFollowees(of: 1, and: 2) },
      code { _ = try view.mutualFollowers(of: 6, and: 7) }, code { _ = try view.mutualFolloweeCount(of: 1, and: 2) },
      code { _ = try view.suggestions(for: 1) },
      code { _ = try view.shortestPath(from: 1, to: 7) }, code { _ = try view.timeline(of: 1) },
      code { _ = try view.twoHopTimeline(of: 1) },
    ]
  }

  private func code(_ query: () throws -> Void) -> String? {
    do {
      try query()
      return nil
    } catch {
      return (error as? KithError)?.code
    }
  }
}
