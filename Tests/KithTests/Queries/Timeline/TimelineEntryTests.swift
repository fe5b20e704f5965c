import Foundation
import Testing

@testable import Kith

/// Timelines with reposts, other sources and filters. The model plays them at random (`ModelTests`); here are what only
/// many sources show, what stays in files, and what a live timeline sees.
@Suite struct TimelineEntryTests {
  private static let repost = Relation("repost", from: .user, to: .post, entersTimelines: true)
  private static let tag = Relation("tag", from: .post, to: .user, entersTimelines: true)
  private static let reply = Relation("reply", from: .post, to: .post, isThread: true)
  private static let mention = Relation("mention", from: .post, to: .user, grantsAccess: true)
  private static let member = Relation("member", from: .post, to: .user)
  private static let quiet = Relation("quiet", from: .user, to: .user, visibility: .source, hides: [.reposts])
  private static let away = Relation(
    "away", from: .user, to: .user, visibility: .source, hides: [.timeline, .incoming])
  private static let group = Relation("group", from: .post, to: .user, isTimed: true, entersTimelines: true)
  private static let schema = SocialGraph.Schema([repost, tag, group, reply, mention, member, quiet, away])

  /// The posts of a timeline, each with who reposted it.
  private static func shown(
    _ graph: SocialGraph, _ user: UserID, _ query: TimelineQuery = TimelineQuery()
  ) throws -> [String] {
    try graph.read { (view) throws(KithError) in try view.timeline(of: user, query) }
      .map { post in post.text + (post.repost.map { " by \($0.username) at \($0.at.rawValue)" } ?? "") }
  }

  private static func users(_ graph: SocialGraph, _ names: [String]) throws -> [UserID] {
    try names.map { try graph.addUser($0) }
  }

  private static func post(
    _ graph: SocialGraph, _ text: String, by user: UserID, at time: Int64, _ edges: [PostEdge] = [],
    flags: UInt16? = nil
  ) throws -> PostID {
    try graph.addPost(
      text, by: user, createdAt: Timestamp(time), edges: edges, fields: PostFields(flags: flags))
  }

  @Test("A post is shown once: at its own place, or at that of its oldest repost")
  func reposts() throws {
    let graph = SocialGraph(schema: Self.schema)
    let users = try ["ann", "bob", "cid", "dan"].map { try graph.addUser($0) }
    let (ann, bob, cid, dan) = (users[0], users[1], users[2], users[3])
    for user in [bob, cid] { try graph.follow(user, as: ann) }
    let own = try Self.post(graph, "own", by: bob, at: 5_500)
    let other = try Self.post(graph, "other", by: dan, at: 1_500)
    // In the second of the post, which is before it.
    try graph.addEdge(Self.repost, from: cid, to: own, at: 5_000)
    try graph.addEdge(Self.repost, from: cid, to: other, at: 9_999)
    try graph.addEdge(Self.repost, from: bob, to: other, at: 7_000)
    #expect(try Self.shown(graph, ann) == ["other by bob at 7000", "own"])
    #expect(
      try Self.shown(graph, ann, TimelineQuery(reposts: .all))
        == ["other by cid at 9000", "other by bob at 7000", "own", "own by cid at 5000"])
    #expect(try Self.shown(graph, ann, TimelineQuery(reposts: .none)) == ["own"])
    // Bounds are no filters: the oldest repost is the only one, wherever the page begins.
    #expect(try Self.shown(graph, ann, TimelineQuery(after: 7_500)) == [])
    try graph.addEdge(Self.quiet, from: ann, to: bob)
    #expect(try Self.shown(graph, ann) == ["other by cid at 9000", "own"])
    try graph.addEdge(Self.away, from: ann, to: dan)
    #expect(try Self.shown(graph, ann) == ["own"])
    #expect(try Self.shown(graph, ann, TimelineQuery(sources: .author(bob))) == ["other by bob at 7000", "own"])
    try graph.removeEdge(Self.away, from: ann, to: dan)
    try graph.follow(dan, as: ann)
    #expect(try Self.shown(graph, ann) == ["own", "other"])
    try graph.removePost(other)
    #expect(try Self.shown(graph, ann, TimelineQuery(reposts: .all)) == ["own", "own by cid at 5000"])
    try graph.removeUser(cid)
    #expect(try Self.shown(graph, ann, TimelineQuery(reposts: .all)) == ["own"])
    #expect(graph.read { $0.verify().isEmpty })
  }

  @Test("Sources are followees, targets, members of a list, users, an author or everyone; tags bring posts to them")
  func sources() throws {
    let graph = SocialGraph(schema: Self.schema)
    let users = try ["ann", "bob", "cid", "#sea"].map { try graph.addUser($0) }
    let (ann, bob, cid, sea) = (users[0], users[1], users[2], users[3])
    try graph.follow(sea, as: ann)
    _ = try Self.post(graph, "bob's", by: bob, at: 1_000)
    let tagged = try Self.post(graph, "tagged", by: cid, at: 2_000, [PostEdge(Self.tag, to: sea)], flags: 3)
    let list = try Self.post(
      graph, "list", by: ann, at: 3_000, [PostEdge(Self.member, to: bob), PostEdge(Self.member, to: sea)])
    #expect(try Self.shown(graph, ann) == ["list", "tagged"])
    func shown(_ sources: TimelineQuery.Sources, own: Bool = false) throws -> [String] {
      try Self.shown(graph, ann, TimelineQuery(includesOwnPosts: own, sources: sources))
    }
    #expect(try shown(.members(Self.member, of: list)) == ["tagged", "bob's"])
    #expect(try shown(.users([bob, sea, UserID(99)])) == ["tagged", "bob's"])
    #expect(try shown(.targets([.follow])) == ["tagged"])
    #expect(try shown(.targets([])) == [] && shown(.targets([]), own: true) == ["list"])
    #expect(try shown(.author(cid)) == ["tagged"])
    #expect(try shown(.everyone, own: true) == ["list", "tagged", "bob's"])
    try graph.mute(cid, as: ann)
    #expect(try shown(.everyone) == ["list", "bob's"] && shown(.users([sea])) == [])
    #expect(try shown(.author(cid)) == ["tagged"])
    try graph.unmute(cid, as: ann)
    let flagged = [FlagFilter(all: 2), FlagFilter(any: 5), FlagFilter(none: 1)]
    #expect(
      try flagged.map { try Self.shown(graph, ann, TimelineQuery(sources: .everyone, flags: $0)) }
        == [["tagged"], ["tagged"], ["list", "bob's"]])
    // Of two relations that bring it there, one stays.
    try graph.addEdge(Self.group, from: tagged, to: sea, at: 9_000)
    try graph.removeEdge(Self.tag, from: tagged, to: sea)
    #expect(try Self.shown(graph, ann) == ["list", "tagged"] && graph.read { $0.verify().isEmpty })
    try graph.removeEdge(Self.group, from: tagged, to: sea)
    #expect(try Self.shown(graph, ann) == ["list"])
    func refusal(_ query: TimelineQuery) -> KithError? {
      do throws(KithError) {
        _ = try graph.read { (view) throws(KithError) in try view.timeline(of: ann, query) }
      } catch {
        return error
      }
      return nil
    }
    let none = Relation("none", from: .user, to: .user)
    #expect(refusal(TimelineQuery(sources: .targets([none]))) == .unknownRelation("none"))
    let needed = KithError.RequestProblem.timelineSources(relation: "member", needed: "a user to a user")
    #expect(refusal(TimelineQuery(sources: .targets([Self.member]))) == .invalidRequest(needed))
    #expect(refusal(TimelineQuery(sources: .members(Self.member, of: PostID(99)))) == .unknownPost(PostID(99)))
    #expect(refusal(TimelineQuery(sources: .author(UserID(99)))) == .unknownUser(UserID(99)))
    let many = (1...Int64(SocialGraph.Limits.idCount + 1)).map { UserID($0) }
    #expect(refusal(TimelineQuery(sources: .users(many))) == .invalidRequest(.idCount(many.count)))
    let everyone = TimelineQuery(sources: .everyone, limit: 1)
    let next = try graph.read { (view) throws(KithError) in try view.timeline(of: ann, everyone).next }
    #expect(refusal(TimelineQuery(sources: .users([bob]), cursor: next)) == .invalidCursor)
    #expect(refusal(TimelineQuery(sources: .everyone, replies: .none, cursor: next)) == nil)
    #expect(throws: KithError.invalidRequest(.twoHopFilters)) {
      try graph.read { (view) throws(KithError) in try view.twoHopTimeline(of: ann, everyone) }
    }
    #expect(throws: KithError.invalidRequest(.twoHopFilters)) {
      try graph.read { (view) throws(KithError) in try view.twoHopTimeline(of: ann, TimelineQuery(reposts: .all)) }
    }
  }

  @Test("Replies are shown to whom they concern, and posts that mention who is left out are not")
  func filters() throws {
    let graph = SocialGraph(schema: Self.schema)
    let users = try ["ann", "bob", "cid", "dan"].map { try graph.addUser($0) }
    let (ann, bob, cid, dan) = (users[0], users[1], users[2], users[3])
    for user in [bob, cid] { try graph.follow(user, as: ann) }
    let strange = try Self.post(graph, "strange", by: dan, at: 1_000)
    let known = try Self.post(graph, "known", by: cid, at: 2_000)
    func reply(_ text: String, _ user: UserID, to post: PostID, _ time: Int64) throws -> PostID {
      try Self.post(graph, text, by: user, at: time, [PostEdge(Self.reply, to: post)])
    }
    _ = try reply("to dan", bob, to: strange, 3_000)
    _ = try reply("to cid", bob, to: known, 4_000)
    _ = try reply("mine", ann, to: strange, 5_000)
    let all = ["mine", "to cid", "to dan", "known"]
    func shown(_ replies: TimelineQuery.Replies) throws -> [String] {
      try Self.shown(graph, ann, TimelineQuery(replies: replies))
    }
    #expect(try shown(.all) == all && shown(.none) == ["known"])
    #expect(try shown(.toFollowed) == ["mine", "to cid", "known"] && shown(.toSources) == shown(.toFollowed))
    try graph.removePost(known)
    #expect(try shown(.toFollowed) == ["mine"])
    _ = try Self.post(graph, "@dan", by: bob, at: 6_000, [PostEdge(Self.mention, to: dan)])
    try graph.block(dan, as: ann)
    #expect(try Self.shown(graph, ann, TimelineQuery(replies: .none)) == ["@dan"])
    #expect(try Self.shown(graph, ann, TimelineQuery(replies: .none, mentions: .ofVisible)) == [])
  }

  @Test("Of hundreds of sources each page is the model's, whatever passes", arguments: [1, 2] as [UInt64])
  func manySources(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let graph = SocialGraph(schema: Self.schema)
    var model = ReferenceModel()
    (model.declared, model.sequence) = (Self.schema.relations, 1)
    func make(_ change: Change) throws {
      _ = try model.outcome(of: change).get()
      _ = try graph.apply(change)
    }
    let (userCount, postCount) = (260, 700)
    for number in 1...userCount { try make(.addUser(id: nil, username: "user \(number)")) }
    func someone() -> UserID { UserID(Int64(1 + random.below(userCount))) }
    for target in 2...userCount where target % 10 != 0 {
      try make(.follow(as: UserID(1), target: UserID(Int64(target)), at: 0))
    }
    for number in 1...postCount {
      // Times tie, few have the second flag, and only the oldest the third: a scan of all posts gives up before these.
      let time = Timestamp(Int64(random.below(400)) * 500)
      let flags = UInt16(random.below(2)) | (number % 50 == 0 ? 2 : 0) | (time.rawValue < 20_000 ? 4 : 0)
      let parent = PostEdge(Self.reply, to: PostID(Int64(1 + random.below(max(1, number - 1)))))
      let edges = random.below(3) == 0 && number > 1 ? [parent] : []
      try make(
        .addPost(id: nil, by: someone(), text: "", createdAt: time, edges: edges, fields: PostFields(flags: flags)))
    }
    for _ in 0..<1_200 {
      // Some posts are reposted by very many.
      let post = PostID(Int64(1 + (random.below(3) == 0 ? random.below(4) : random.below(postCount))))
      let change = Change.addEdge(
        Self.repost, from: someone().node, to: post.node, at: Timestamp(Int64(random.below(200)) * 1_000))
      _ = model.outcome(of: change)
      _ = graph.outcome(of: change)
    }
    for number in 1...20 { try make(.mute(as: UserID(1), target: UserID(Int64(number * 7 % userCount + 2)))) }
    #expect(graph.read { $0.verify().isEmpty })
    let masks = [FlagFilter(), FlagFilter(all: 1), FlagFilter(all: 2), FlagFilter(all: 4), FlagFilter(all: 8)]
    for flags in masks {
      for reposts in TimelineQuery.Reposts.allCases {
        var query = TimelineQuery(
          replies: random.below(2) == 0 ? .all : .toFollowed, reposts: reposts, flags: flags,
          limit: flags.all == 4 ? 1 : 1 + random.below(25))
        for direction in TimelineQuery.Direction.allCases {
          query.direction = direction
          var (cursor, place): (Cursor?, ReferenceModel.Place?) = (nil, nil)
          for page in 0..<4 {
            let question = Question.timeline(UserID(1), query)
            let expected = model.reply(to: question, from: place)
            let reply = graph.read { $0.reply(to: question, from: cursor) }
            #expect(reply.agrees(with: expected), "seed \(seed), page \(page) of \(query)")
            (cursor, place) = direction == .older ? (reply.next, expected.next) : (reply.previous, expected.previous)
            if cursor == nil || place == nil { break }
          }
        }
      }
    }
  }

  @Test("Reposts and tags are as before after a restart, from the journal and from a snapshot")
  func restart() throws {
    let directory = try TemporaryDirectory()
    let path = directory.file("store")
    var pages: [[String]] = []
    for turn in 0..<3 {
      let graph = try SocialGraph.open(path, schema: Self.schema)
      if turn == 0 {
        let users = try (0..<4).map { try graph.addUser("user \($0)") }
        try graph.follow(users[1], as: users[0])
        let post = try Self.post(graph, "post", by: users[2], at: 1_000, [PostEdge(Self.tag, to: users[3])])
        try graph.addEdge(Self.repost, from: users[1], to: post, at: 7_000)
      }
      pages.append(try Self.shown(graph, UserID(1)))
      pages.append(try Self.shown(graph, UserID(1), TimelineQuery(sources: .users([UserID(4)]))))
      #expect(graph.read { $0.verify().isEmpty })
      if turn == 1 { try graph.snapshot() }
      try graph.close()
    }
    #expect(pages == Array(repeating: [["post by user 1 at 7000"], ["post"]], count: 3).flatMap { $0 })
  }

  @Test("Places of posts and of reposts restore the screen, and survive as text")
  func places() throws {
    let graph = SocialGraph(schema: Self.schema)
    let users = try (0..<3).map { try graph.addUser("user \($0)") }
    try graph.follow(users[1], as: users[0])
    for number in 1...6 {
      let post = try Self.post(graph, "\(number)", by: users[number % 2 == 0 ? 1 : 2], at: Int64(number) * 1_000)
      if number % 2 == 1 {
        try graph.addEdge(Self.repost, from: users[1], to: post, at: Timestamp(Int64(number) * 1_000))
      }
    }
    for sources in [TimelineQuery.Sources.followees, .users([users[1]])] {
      let page = try graph.read { (view) throws(KithError) in
        try view.timeline(of: users[0], TimelineQuery(sources: sources))
      }
      #expect(page.map(\.text) == ["6", "5", "4", "3", "2", "1"])
      for index in page.indices {
        let place = Cursor(try #require(page.cursor(at: index)).text)
        let below = TimelineQuery(sources: sources, cursor: place, includesCursor: true)
        let above = TimelineQuery(direction: .newer, sources: sources, cursor: place)
        let found = try Self.shown(graph, users[0], above) + Self.shown(graph, users[0], below)
        #expect(found.map { $0.prefix(1) } == ["6", "5", "4", "3", "2", "1"])
      }
    }
    // A place at a repost is taken where none is shown.
    let page = try graph.read { (view) throws(KithError) in try view.timeline(of: users[0]) }
    let place = try #require(page.cursor(at: 1))
    #expect(try Self.shown(graph, users[0], TimelineQuery(reposts: .none, cursor: place)) == ["4", "2"])
    #expect(try Self.shown(graph, users[0], TimelineQuery(direction: .newer, reposts: .none, cursor: place)) == ["6"])
  }

  @Test("A live timeline follows reposts, tags, flags and what is hidden", .timeLimit(.minutes(1)))
  func live() async throws {
    let graph = SocialGraph(schema: Self.schema)
    let users = try Self.users(graph, ["ann", "bob", "cid", "#sea"])
    let (ann, bob, cid, sea) = (users[0], users[1], users[2], users[3])
    for user in [bob, sea] { try await graph.follow(user, as: ann) }
    let post = try Self.post(graph, "post", by: cid, at: 1_000)
    let query = TimelineQuery(includesOwnPosts: false, flags: FlagFilter(none: 4))
    var values = graph.values(of: .timeline(of: ann, query)).makeAsyncIterator()
    func next() async throws -> [String] { try await values.next()?.map(\.text) ?? ["ended"] }
    #expect(try await next() == [])
    try await graph.addEdge(Self.repost, from: bob, to: post)
    #expect(try await next() == ["post"])
    try await graph.editPost(post, fields: PostFields(flags: 4))
    #expect(try await next() == [])
    try await graph.editPost(post, fields: PostFields(flags: 0))
    #expect(try await next() == ["post"])
    try await graph.addEdge(Self.away, from: ann, to: cid)
    #expect(try await next() == [])
    try await graph.removeEdge(Self.away, from: ann, to: cid)
    #expect(try await next() == ["post"])
    try await graph.removeEdge(Self.repost, from: bob, to: post)
    #expect(try await next() == [])
    _ = try Self.post(graph, "tagged", by: cid, at: 2_000, [PostEdge(Self.tag, to: sea)])
    #expect(try await next() == ["tagged"])
  }

  @Test("A live timeline of any sources sees a repost that a like or another edge ends", .timeLimit(.minutes(1)))
  func liveEndings() async throws {
    let undo = Relation("undo", from: .user, to: .post)
    let repost = Relation("repost", from: .user, to: .post, isEndedBy: ["like", "undo"], entersTimelines: true)
    let reader = Relation("reader", from: .user, to: .user)
    let graph = SocialGraph(schema: SocialGraph.Schema([undo, repost, reader]))
    let users = try Self.users(graph, ["ann", "bob", "cid"])
    let (ann, bob, cid) = (users[0], users[1], users[2])
    try await graph.addEdge(reader, from: ann, to: bob)
    for sources in [TimelineQuery.Sources.targets([reader]), .author(bob), .users([bob])] {
      for endsByLike in [true, false] {
        let post = try Self.post(graph, "post", by: cid, at: 1_000)
        let query = TimelineQuery(includesOwnPosts: false, sources: sources)
        var values = graph.values(of: .timeline(of: ann, query)).makeAsyncIterator()
        func next() async throws -> [String] { try await values.next()?.map(\.text) ?? ["ended"] }
        #expect(try await next() == [])
        try await graph.addEdge(repost, from: bob, to: post)
        #expect(try await next() == ["post"])
        if endsByLike {
          try await graph.like(post, as: bob)
        } else {
          try await graph.addEdge(undo, from: bob, to: post)
        }
        #expect(try await next() == [])
      }
    }
    // Also of one that is not on the page: there is no next one then.
    let posts = try (1...2).map { try Self.post(graph, "\($0)", by: cid, at: 1_000) }
    for (second, post) in posts.enumerated() {
      try await graph.addEdge(repost, from: bob, to: post, at: Timestamp(Int64(second) * 1_000))
    }
    let query = TimelineQuery(sources: .author(bob), limit: 1)
    var values = graph.values(of: .timeline(of: ann, query)).makeAsyncIterator()
    #expect(try await values.next()?.next != nil)
    try await graph.like(posts[0], as: bob)
    let last = try await values.next()
    #expect(last?.map(\.text) == ["2"] && last?.next == nil)
  }
}
