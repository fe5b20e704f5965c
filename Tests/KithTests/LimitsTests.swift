import Testing

@testable import Kith

/// The limits of `Options` on what a graph holds: what would exceed them fails and changes nothing, the rest goes on.
@Suite struct LimitsTests {
  private static let users = KithError.limitExceeded("3 users")

  @Test func `one user or post too many is refused, until another goes`() throws {
    let graph = SocialGraph(options: Options(maximumUserCount: 3, maximumPostCount: 2))
    let ids = try ["ann", "bob", "cid"].map { try graph.addUser($0) }
    let before = graph.read { $0.rows }
    #expect(throws: Self.users) { try graph.addUser("dora") }
    #expect(graph.read { $0.rows } == before)
    #expect(try graph.follow(ids[0], ids[1]))
    try graph.remove(ids[2])
    #expect(try graph.addUser("dora") == UserID(4), "a refused user takes no id")

    let post = try graph.addPost(by: ids[0], "one")
    try graph.addPost(by: ids[0], "two")
    #expect(throws: KithError.limitExceeded("2 posts")) { try graph.addPost(by: ids[0], "three") }
    try graph.remove(post)
    try graph.addPost(by: ids[0], "three")
    #expect(graph.read { $0.verify() } == [])
  }

  @Test func `a batch that exceeds a limit changes nothing, and names the change`() throws {
    let graph = SocialGraph(options: Options(maximumUserCount: 3))
    try graph.addUser("ann")
    let before = graph.read { $0.rows }
    #expect(throws: KithError.inBatch(index: 2, Self.users)) {
      try graph.batch { batch throws(KithError) in
        for name in ["bob", "cid", "dora"] { try batch.apply(.addUser(id: nil, username: name)) }
      }
    }
    #expect(graph.read { $0.rows } == before && graph.read { $0.verify() } == [])
    #expect(try graph.addUser("bob") == UserID(2))
  }

  @Test func `when memory is used up, what adds is refused and what takes away goes on`() throws {
    let limit = 4 << 20
    let graph = SocialGraph(options: Options(maximumByteCount: limit))
    let ann = try graph.addUser("ann")
    let bob = try graph.addUser("bob")
    let first = try graph.addPost(by: ann, String(repeating: "a", count: 60_000))
    let refused = KithError.limitExceeded("\(limit) bytes of memory")
    #expect(throws: refused) {
      for _ in 0..<1_000 { try graph.addPost(by: ann, String(repeating: "a", count: 60_000)) }
    }
    let byteCount = graph.read { $0.memoryReport() }.byteCount
    #expect(byteCount >= limit && byteCount < limit + (1 << 20) + 70_000, "exceeded by a page of texts at most")
    #expect(throws: refused) { try graph.follow(bob, ann) }
    #expect(throws: refused) { try graph.like(bob, first) }
    #expect(throws: refused) { try graph.block(bob, ann) }
    #expect(throws: refused) { try graph.rename(bob, to: "bert") }
    #expect(try graph.unfollow(bob, ann) == false)
    #expect(try graph.read { view throws(KithError) in try view.timeline(of: ann) }.isEmpty == false)
    try graph.remove(ann)
    #expect(graph.read { $0.verify() } == [])
    #expect(try graph.follow(bob, try graph.addUser("cid")), "the pages of her texts are free again")
  }

  @Test func `files that hold more are refused, and not touched`() throws {
    let directory = try TemporaryDirectory()
    let store = directory.file("store")
    let graph = try SocialGraph.open(store)
    for name in ["ann", "bob", "cid", "dora"] { try graph.addUser(name) }
    let path = try graph.snapshot().path
    try graph.addUser("eve")
    let rows = graph.read { $0.rows }
    try graph.close()
    let bytes = try directory.read("store/" + (path.split(separator: "/").last.map(String.init) ?? ""))
    let few = Options(maximumUserCount: 3)
    for open in [
      { try SocialGraph.open(store, options: few) }, { try SocialGraph.open(store, access: .readOnly, options: few) },
      { try SocialGraph.open(path, options: few) }, { try SocialGraph(snapshot: bytes, options: few) },
    ] as [() throws -> SocialGraph] {
      let error = #expect(throws: KithError.self) { _ = try open() }
      #expect(error?.code == "limitExceeded")
    }
    let again = try SocialGraph.open(store, options: Options(maximumUserCount: 5))
    #expect(again.read { $0.rows } == rows)
    #expect(throws: KithError.limitExceeded("5 users")) { try again.addUser("fay") }
    try again.close()
  }
}
