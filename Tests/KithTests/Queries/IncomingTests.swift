import Testing

@testable import Kith

/// What leads to a user. The model plays it at random (`ModelTests`); here are its bounds, which only many posts have,
/// and its limits.
@Suite struct IncomingTests {
  private static let reply = Relation("reply", from: .post, to: .post, isThread: true)
  private static let mention = Relation("mention", from: .post, to: .user)
  private static let repost = Relation("repost", from: .user, to: .post)
  private static let note = Relation("note", from: .user, to: .post, visibility: .source)
  private static let schema = SocialGraph.Schema([reply, mention, repost, note])
  private static let ann = UserID(1)

  /// All pages, as lines.
  private static func walk(
    _ view: borrowing GraphView, limit: Int, _ first: IncomingQuery = IncomingQuery()
  ) throws -> [String] {
    var (found, query): ([String], IncomingQuery) = ([], first)
    query.limit = limit
    repeat {
      let page = try view.incoming(to: ann, query)
      found += page.map { "\($0.relation.name) \($0.addedAt.rawValue) \($0.id.source) \($0.target?.id.rawValue ?? 0)" }
      query.cursor = page.next
    } while query.cursor != nil && found.count < 20_000
    return found
  }

  @Test("Few lists of many are opened, and the pages are those of a sort", arguments: [ListForm.plain, .compact])
  func manyPosts(form: ListForm) throws {
    let directory = try TemporaryDirectory()
    let options = SocialGraph.Options { $0.compactLists = form == .compact }
    var random = SeededRandom(seed: 11)
    var expected: [(key: [Int64], line: String)] = []
    do {
      let graph = try SocialGraph.open(directory.file("store"), options: options, schema: Self.schema)
      try graph.bulk { batch throws(KithError) in
        for number in 1...40 { try batch.apply(.addUser(username: "user \(number)")) }
        for number in 1...1_500 {
          // Two of three are by ann, the others lie between them.
          let author = number % 3 == 0 ? UserID(2) : Self.ann
          try batch.apply(.addPost(by: author, text: "", createdAt: Timestamp(Int64(number) * 10_000)))
        }
        for _ in 0..<4_000 {
          let (user, post) = (UserID(Int64(2 + random.below(39))), PostID(Int64(1 + random.below(1_500))))
          let time = Timestamp(Int64(random.below(30)) * 1_000)
          let change: Change =
            random.below(2) == 0
            ? .like(as: user, post: post, at: time) : .addEdge(Self.repost, from: user.node, to: post.node, at: time)
          let isNew = try batch.apply(change).didChange
          if !isNew || post.rawValue % 3 == 0 { continue }
          let number: Int64 = if case .like = change { 1 } else { 6 }
          let line = "\(number == 1 ? "like" : "repost") \(time.rawValue) \(user.node) \(post.rawValue)"
          expected.append(([time.rawValue, number, user.rawValue, post.rawValue], line))
        }
      }
      try graph.snapshot()
      try graph.close()
    }
    expected.sort { $1.key.lexicographicallyPrecedes($0.key) }
    let graph = try SocialGraph.open(directory.file("store"), options: options)
    // The bounds come from the snapshot, and later ones from changes.
    try graph.like(PostID(1), as: UserID(40), at: 29_000)
    let line = "like 29000 user 40 1"
    if !expected.contains(where: { $0.line == line }) {
      expected.append(([29_000, 1, 40, 1], line))
      expected.sort { $1.key.lexicographicallyPrecedes($0.key) }
    }
    let lines = expected.map(\.line)
    for limit in [1, 7, 20, 300, 1_000] where limit > 1 || form == .plain {
      let found = try graph.read { (view) in try Self.walk(view, limit: limit) }
      #expect(found == lines, "pages of \(limit)")
    }
    let middle = IncomingQuery(relations: [Self.repost], before: 20_000, after: 9_999)
    let some = expected.filter { $0.key[1] == 6 && (10_000..<20_000).contains($0.key[0]) }.map(\.line)
    #expect(try graph.read { (view) in try Self.walk(view, limit: 20, middle) } == some)
    let count = try graph.read { (view) throws(KithError) in try view.incomingCount(to: Self.ann) }
    #expect(count == IncomingCount(count: 1_000, isTruncated: true))
    try graph.close()
  }

  @Test("Own edges, those of muted and blocked users, and those that their source alone sees are left out")
  func leftOut() throws {
    let graph = SocialGraph(schema: Self.schema)
    let users = try (0..<5).map { try graph.addUser("user \($0)") }
    let (ann, bob, cid, dan, eve) = (users[0], users[1], users[2], users[3], users[4])
    let post = try graph.addPost("hello", by: ann, createdAt: 1_000)
    for (second, user) in users.enumerated() {
      try graph.addEdge(Self.repost, from: user, to: post, at: Timestamp(Int64(second) * 1_000))
      try graph.addEdge(Self.note, from: user, to: post, at: 9_000)
    }
    try graph.mute(cid, as: ann)
    try graph.block(dan, as: ann)
    try graph.follow(eve, as: ann, at: 0)
    let said = try graph.addPost(
      "@ann", by: bob, createdAt: 60_000,
      edges: [
        PostEdge(Self.mention, to: ann), PostEdge(Self.reply, to: post),
      ])
    let page = try graph.read { (view) throws(KithError) in try view.incoming(to: ann) }
    #expect(page.map(\.relation.name) == ["mention", "reply", "repost", "repost"])
    #expect(page.map { $0.user?.id } == [nil, nil, eve, bob])
    #expect(page.map { $0.post?.id } == [said, said, nil, nil])
    #expect(page.map { $0.target?.id } == [nil, post, post, post])
    let followed = IncomingQuery(sources: .followees)
    #expect(try graph.read { (view) throws(KithError) in try view.incoming(to: ann, followed).count } == 1)
    let counted = try graph.read { (view) throws(KithError) in
      try view.adding(ResultDetails(counts: [.follow, Self.repost], marks: [.follow], viewer: ann), to: page)
    }
    #expect(counted.map { $0.user?.count(of: .follow) } == [nil, nil, 1, 0])
    #expect(counted.map { $0.user?.isMarked(.follow) } == [nil, nil, true, false])
    #expect(counted.map { $0.target?.count(of: Self.repost) } == [nil, 5, 5, 5])
    // An edge that ends is gone, and a post with its edges.
    try graph.removeEdge(Self.repost, from: eve, to: post)
    try graph.removePost(said)
    #expect(try graph.read { (view) throws(KithError) in try view.incoming(to: ann).map { $0.user?.id } } == [bob])
  }

  @Test("Unknown users and relations, and cursors of another user, are refused")
  func refusals() throws {
    let graph = SocialGraph()
    let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("bob"))
    for user in try (0..<3).map({ try graph.addUser("fan \($0)") }) {
      for one in [ann, bob] { try graph.follow(one, as: user) }
    }
    try graph.read { (view) in
      let next = try #require(try view.incoming(to: ann, IncomingQuery(limit: 1)).next)
      #expect(throws: KithError.invalidCursor) { try view.incoming(to: bob, IncomingQuery(cursor: next)) }
      #expect(throws: KithError.unknownUser(UserID(9))) { try view.incoming(to: UserID(9)) }
      #expect(throws: KithError.unknownRelation("repost")) {
        try view.incoming(to: ann, IncomingQuery(relations: [Self.repost]))
      }
      #expect(throws: KithError.invalidRequest(.limit(0))) { try view.incoming(to: ann, IncomingQuery(limit: 0)) }
      #expect(try view.incoming(to: ann, IncomingQuery(relations: [.like])).isEmpty)
    }
  }
}
