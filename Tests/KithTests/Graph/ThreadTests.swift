import Foundation
import Testing

@testable import Kith

/// Conversations: what stays of a removed post, and what a thread and a live thread show.
@Suite struct ThreadTests {
  private static let reply = Relation("reply", from: .post, to: .post, isThread: true)
  private static let quote = Relation("quote", from: .post, to: .post)
  private static let tag = Relation("tag", from: .post, to: .user)
  private static let member = Relation("member", from: .post, to: .user, isTimed: true)
  private static let schema = SocialGraph.Schema([reply, quote, tag, member])

  private let graph = SocialGraph(schema: Self.schema)
  private let ann: UserID
  private let bob: UserID

  init() throws { (ann, bob) = (try graph.addUser("ann"), try graph.addUser("bob")) }

  private func post(_ text: String, by author: UserID, at time: Timestamp, to parent: PostID? = nil) throws -> PostID {
    try graph.addPost(text, by: author, createdAt: time, edges: parent.map { [PostEdge(Self.reply, to: $0)] } ?? [])
  }

  private func texts(_ post: PostID, _ query: ThreadQuery = ThreadQuery()) throws -> [String] {
    try graph.read { (view) throws(KithError) in try view.thread(of: post, query) }.map(\.text)
  }

  @Test("A conversation holds the posts of one root in the order of their times, whatever became of those between")
  func conversation() throws {
    let root = try post("root", by: ann, at: 1_000)
    let first = try post("first", by: bob, at: 3_000, to: root)
    let early = try post("early", by: ann, at: 2_000, to: first)
    let other = try post("other", by: ann, at: 2_500)
    #expect(try texts(root) == ["root", "early", "first"] && texts(early) == texts(root))
    #expect(try texts(first, ThreadQuery(order: .newest)) == ["first", "early", "root"])
    #expect(try texts(other) == ["other"])
    try graph.removePost(first)
    #expect(try texts(early) == ["root", "early"])
    let parent = try graph.read { (view) throws(KithError) in try view.post(early).parent }
    #expect(parent == first)
    let ancestors = try graph.read { (view) throws(KithError) in try view.ancestors(of: early) }
    #expect(ancestors.map(\.id) == [root] && !ancestors.isTruncated)
    #expect(throws: KithError.unknownPost(first)) { try post("late", by: ann, at: 4_000, to: first) }
    try graph.removePost(root)
    #expect(try texts(early) == ["early"])
    let last = try post("last", by: bob, at: 5_000, to: early)
    #expect(try texts(last) == ["early", "last"] && graph.read { $0.verify() } == [])
  }

  @Test("Ancestors are cut at the limit, and go on from the last one")
  func ancestors() throws {
    var posts = [try post("0", by: ann, at: 0)]
    for number in 1..<8 { posts.append(try post("\(number)", by: ann, at: 0, to: posts[number - 1])) }
    let found = try graph.read { (view) throws(KithError) in try view.ancestors(of: posts[7], limit: 4) }
    #expect(found.map(\.id) == [posts[6], posts[5], posts[4], posts[3]] && found.isTruncated)
    let rest = try graph.read { (view) throws(KithError) in try view.ancestors(of: posts[3], limit: 3) }
    #expect(rest.map(\.id) == [posts[2], posts[1], posts[0]] && !rest.isTruncated)
  }

  @Test("Edges of a post are given together or not at all, and what is wrong with one is said")
  func together() throws {
    let post = try graph.addPost(
      "hi", by: ann, createdAt: 1_500,
      edges: [
        PostEdge(Self.tag, to: bob), PostEdge(Self.tag, to: bob), PostEdge(Self.member, to: bob),
        PostEdge(Self.member, to: ann, at: 9_000),
      ])
    func members(_ query: EdgeQuery = EdgeQuery()) throws -> [Timestamp?] {
      try graph.read { (view) throws(KithError) in try view.targets(of: post, Self.member, query) }.map(\.addedAt)
    }
    #expect(try members() == [9_000, 1_000])
    let counts = graph.read { view in (try? view.edgeCount(Self.tag), view.counts.posts) }
    #expect(counts.0 == 1 && counts.1 == 1)
    let refused: [([PostEdge], KithError)] = [
      ([PostEdge(Self.tag, to: bob), PostEdge(Self.tag, to: UserID(9))], .unknownUser(9)),
      ([PostEdge(Self.reply, to: post), PostEdge(Self.quote, to: PostID(9))], .unknownPost(9)),
      ([PostEdge(Self.tag, to: bob, at: 1)], .invalidRequest(.edgeTimeUnused(relation: "tag"))),
      ([PostEdge(.follow, to: bob)], .invalidRequest(.edgeEnds(relation: "follow", needed: "a user to a user"))),
      ([PostEdge(Relation("none", from: .post, to: .user), to: bob)], .unknownRelation("none")),
      (Array(repeating: PostEdge(Self.tag, to: bob), count: 257), .invalidRequest(.postEdgeCount(257))),
    ]
    for (edges, error) in refused {
      #expect(throws: error) { try graph.addPost("no", by: ann, edges: edges) }
      #expect(graph.read { $0.counts.posts } == 1 && graph.read { $0.verify() } == [])
    }
    let other = try self.post("other", by: ann, at: 2_000)
    #expect(throws: KithError.invalidRequest(.severalParents)) {
      try graph.addPost("no", by: ann, edges: [PostEdge(Self.reply, to: post), PostEdge(Self.reply, to: other)])
    }
    #expect(throws: KithError.invalidRequest(.threadEdge(relation: "reply"))) {
      try graph.addEdge(Self.reply, from: other, to: post)
    }
    #expect(throws: KithError.noSchema) {
      let plain = SocialGraph()
      let user = try plain.addUser("u")
      try plain.addPost("no", by: user, edges: [PostEdge(Self.tag, to: user)])
    }
  }

  @Test("Posts that lead to one are listed by their times to the millisecond, and a cursor of a removed one goes on")
  func exactTimes() throws {
    let target = try post("target", by: ann, at: 0)
    var replies: [PostID] = []
    // Of one second, ids ascending against times.
    for number in 0..<6 {
      replies.append(try post("\(number)", by: bob, at: Timestamp(2_000 - Int64(number)), to: target))
    }
    func page(_ query: EdgeQuery) throws -> Page<Post> {
      try graph.read { (view) throws(KithError) in try view.replies(to: target, query) }
    }
    #expect(try page(EdgeQuery()).map(\.id) == replies)
    #expect(try page(EdgeQuery(order: .oldest)).map(\.id) == replies.reversed())
    let first = try page(EdgeQuery(limit: 3))
    try graph.removePost(replies[2])
    #expect(try page(EdgeQuery(limit: 3, cursor: first.next)).map(\.id) == Array(replies[3...]))
    let elsewhere = SocialGraph(schema: Self.schema)
    let user = try elsewhere.addUser("u")
    let alone = try elsewhere.addPost("x", by: user)
    try elsewhere.addPost("y", by: user, edges: [PostEdge(Self.reply, to: alone)])
    #expect(throws: KithError.invalidCursor) {
      try elsewhere.read { (view) throws(KithError) in try view.replies(to: alone, EdgeQuery(cursor: first.next)) }
    }
  }

  @Test("A live conversation shows replies, wherever they are added, and nothing of others", .timeLimit(.minutes(5)))
  func live() async throws {
    let root = try post("root", by: ann, at: 1_000)
    var replies: [PostID] = []
    for number in 0..<30 {
      replies.append(try post("\(number)", by: bob, at: Timestamp(2_000 + Int64(number)), to: replies.last ?? root))
    }
    var values = graph.values(of: .thread(of: root, ThreadQuery(limit: 3))).makeAsyncIterator()
    #expect(try await values.next()?.map(\.text) == ["root", "0", "1"])
    _ = try post("elsewhere", by: ann, at: 1_001)
    // Early, in reply to one that the page does not show.
    _ = try post("early", by: ann, at: 1_500, to: replies[29])
    #expect(try await values.next()?.map(\.text) == ["root", "early", "0"])
  }

  @Test("A store keeps conversations, also of removed posts, in journals and snapshots")
  func stored() throws {
    let directory = try TemporaryDirectory()
    let store = directory.file("store")
    var graph = try SocialGraph.open(store, schema: Self.schema)
    let user = try graph.addUser("ann")
    let root = try graph.addPost("root", by: user, createdAt: 1_000)
    let middle = try graph.addPost("middle", by: user, createdAt: 2_000, edges: [PostEdge(Self.reply, to: root)])
    let last = try graph.addPost("last", by: user, createdAt: 3_000, edges: [PostEdge(Self.reply, to: middle)])
    try graph.removePost(middle)
    try graph.removePost(root)
    for _ in 0..<3 {
      try graph.snapshot()
      try graph.close()
      graph = try SocialGraph.open(store)
      let rows = graph.read { $0.rows }.map { String(decoding: $0, as: UTF8.self) }
      #expect(
        rows.suffix(2) == ["reply 2 to 1 of 1 at 2000", "reply 3 to 2 of 1 at 3000"] && graph.read { $0.verify() } == []
      )
      let shown = try graph.read { (view) throws(KithError) in try view.post(last) }
      #expect(shown.parent == middle)
    }
    try graph.close()
    #expect(try StoreTools.verify(store) == [])
  }

  @Test("A parent that came later than its reply is damage, with its place")
  func damagedParents() throws {
    let root = try post("root", by: ann, at: 1_000)
    _ = try post("reply", by: ann, at: 2_000, to: root)
    var sections = GraphSections.sections(of: graph.pin().view.state)
    let index = try #require(sections.firstIndex { $0.id == GraphSections.postParents })
    sections[index].content[0] = 2
    let error = try #require(throws: KithError.self) {
      _ = try GraphSections.state(from: SectionList(sections), sequence: 1)
    }
    #expect(error.description.contains("POPA"))
  }

  @Test("An edge of a file that lacks its time, or is of a relation with a verb, is refused and does not trap")
  func hostileEdges() throws {
    var state = GraphState()
    state.mustDeclare(Self.schema)
    for change in [
      Change.addUser(id: 1, username: "ann"), .addUser(id: 2, username: "bob"),
      .addPost(id: 1, by: 1, text: "", createdAt: 0),
    ] { _ = try state.apply(change, replaying: true) }
    let missing = KithError.invalidRequest(.edgeTimeMissing(relation: "member"))
    for (change, error) in [
      (.addEdge(Self.member, from: .post(1), to: .user(1)), missing),
      (.addPost(id: 2, by: 1, text: "", createdAt: 0, edges: [PostEdge(Self.member, to: UserID(1))]), missing),
      (.addEdge(.follow, from: .user(1), to: .user(2)), .unknownRelation("follow")),
      (.addEdge(.follow, from: .user(1), to: .user(2), at: 0), .unknownRelation("follow")),
      (.removeEdge(.block, from: .user(1), to: .user(2)), .unknownRelation("block")),
    ] as [(Change, KithError)] {
      var thrown: KithError?
      do throws(KithError) { _ = try state.apply(change, replaying: true) } catch { thrown = error }
      #expect(thrown == error && state.checkInvariants() == [], "\(change)")
    }
  }

  @Test("Live counts follow replies that are added and removed; what is gone, or of no graph, has none")
  func counts() async throws {
    let root = try post("root", by: ann, at: 1_000)
    let details = ResultDetails(counts: [Self.reply, .like], marks: [.like], viewer: ann)
    var values = graph.values(of: .post(root).adding(details)).makeAsyncIterator()
    #expect(try await values.next()?.count(of: Self.reply) == 0)
    let answer = try post("answer", by: bob, at: 2_000, to: root)
    #expect(try await values.next()?.count(of: Self.reply) == 1)
    try await graph.removePost(answer)
    #expect(try await values.next()?.count(of: Self.reply) == 0)
    try await graph.like(root, as: ann)
    let last = try await values.next()
    #expect(last?.count(of: .like) == 1 && last?.isMarked(.like) == true && last?.isMarked(.mute) == nil)
    let gone = try post("gone", by: bob, at: 3_000)
    let old = try graph.read { (view) throws(KithError) in try view.post(gone) }
    try await graph.removePost(gone)
    let shown = try graph.read { (view) throws(KithError) in try view.adding(details, to: old) }
    #expect(shown.count(of: .like) == 0 && shown.isMarked(.like) == false)
    let stranger = User(id: 99, username: "x")
    let counted = try graph.read { (view) throws(KithError) in
      try view.adding(ResultDetails(counts: [.follow]), to: stranger)
    }
    #expect(counted.count(of: .follow) == 0)
    #expect(throws: KithError.unknownRelation("none")) {
      try graph.read { (view) throws(KithError) in
        try view.adding(ResultDetails(counts: [Relation("none", from: .user, to: .post)]), to: [User?]())
      }
    }
  }

  @Test("The estimate of a snapshot with replies, and with removed posts, is not below what they take")
  func estimate() throws {
    var last = try post("0", by: bob, at: 1)
    for number in 1..<40_000 { last = try post("", by: bob, at: Timestamp(Int64(number)), to: last) }
    for isRemoved in [false, true] {
      if isRemoved { try graph.removeUser(bob) }
      let view = graph.pin()
      let sections = SectionList(GraphSections.sections(of: view.view.state))
      var estimate = try GraphEstimate(of: sections, byteLimit: .max)
      try estimate.note(users: view.view.counts.users)
      try estimate.note(posts: view.view.counts.posts)
      let restored = try GraphSections.state(from: sections, sequence: 1)
      #expect(restored.byteCount <= estimate.byteCount, "\(restored.byteCount) of \(estimate.byteCount)")
    }
  }
}
