import Kith

/// Timelines with filters and reposts, beside today's page: the plain timeline of the same network without a schema, in
/// turn with them. First pages, and the pages two to five.
///
/// Two of five posts are replies to earlier ones, half have a flag, and there are three reposts for ten posts: half of
/// what followees of the reposter posted, others of posts that many repost.
struct FilterWorkload {
  private static let repost = Relation("repost", from: .user, to: .post, entersTimelines: true)
  private static let reply = Relation("reply", from: .post, to: .post, isThread: true)
  private static let pageCount = 5

  let network: Network
  /// Without a schema.
  let graph: SocialGraph
  let seed: UInt64

  init(_ network: Network, _ graph: SocialGraph, seed: UInt64) {
    (self.network, self.graph, self.seed) = (network, graph, seed)
  }

  private static let queries: [(name: String, query: TimelineQuery)] = [
    ("nothing asked", TimelineQuery(reposts: .none)),
    ("a flag that half have", TimelineQuery(reposts: .none, flags: FlagFilter(all: 1))),
    ("replies to followed", TimelineQuery(replies: .toFollowed, reposts: .none)),
    ("reposts, all", TimelineQuery(reposts: .all)),
    ("reposts, once", TimelineQuery(reposts: .once)),
    ("flag, replies, reposts", TimelineQuery(replies: .toFollowed, reposts: .once, flags: FlagFilter(all: 1))),
    ("a flag that no post has", TimelineQuery(reposts: .once, flags: FlagFilter(all: 2))),
  ]

  /// Asked when some posts are for followers, or for those whom they mention.
  private static let audienceQueries: [(name: String, query: TimelineQuery)] = [
    ("posts with audiences", TimelineQuery(reposts: .none)),
    ("posts for everyone", TimelineQuery(reposts: .none, audiences: [.everyone])),
  ]

  func run(_ harness: inout Harness) throws -> [Measurement] {
    let filtered = try load()
    let measurements = try measure(Self.queries, filtered, &harness)
    try addAudiences(to: filtered)
    return measurements + (try measure(Self.audienceQueries, filtered, &harness))
  }

  private func measure(
    _ queries: [(name: String, query: TimelineQuery)], _ filtered: SocialGraph, _ harness: inout Harness
  ) throws -> [Measurement] {
    var measurements: [Measurement] = []
    for fanIn in network.fanIns where fanIn.followeeCount >= 100 && fanIn.followeeCount <= 1_000 {
      let users = fanIn.users.map { Network.userID($0) }
      let plain = try pages(graph, users, TimelineQuery())
      for (name, query) in queries {
        let asked = try pages(filtered, users, query)
        let title = "\(name), \(grouped(fanIn.followeeCount)) followed"
        let samples = query.flags.all == 2 ? 50 : nil
        for (words, range) in [("first page", 0..<1), ("pages 2 to 5", 1..<Self.pageCount)] {
          let (queries, others) = (asked.filter { range.contains($0.page) }, plain.filter { range.contains($0.page) })
          if queries.isEmpty { continue }
          measurements.append(
            try harness.measure("\(title), \(words)", questions: queries.count, samples: samples) { question in
              try count(filtered, queries[question])
            } baseline: { question in
              try count(graph, others[question % others.count])
            })
        }
      }
    }
    return measurements
  }

  private struct Asked {
    let user: UserID
    let query: TimelineQuery
    let page: Int
  }

  private func count(_ graph: SocialGraph, _ asked: Asked) throws(KithError) -> Int {
    try graph.read { (view) throws(KithError) in try view.timeline(of: asked.user, asked.query).count }
  }

  /// The queries of the first pages of each user.
  private func pages(_ graph: SocialGraph, _ users: [UserID], _ query: TimelineQuery) throws -> [Asked] {
    var asked: [Asked] = []
    for user in users {
      var query = query
      for page in 0..<Self.pageCount {
        asked.append(Asked(user: user, query: query, page: page))
        let found = try graph.read { (view) throws(KithError) in try view.timeline(of: user, query) }
        guard let next = found.next else { break }
        query.cursor = next
      }
    }
    return asked
  }

  /// Three of twenty posts are for followers, one for those whom it mentions, who are none.
  private func addAudiences(to graph: SocialGraph) throws {
    var random = RandomSource(seed: seed, stream: 22)
    let audiences = [Audience.followers, .followers, .followers, .mentioned]
    try Network.apply(network.authors.count, to: graph) { (post, batch) throws(KithError) in
      let place = Int(random.below(20))
      if place >= audiences.count { return }
      try batch.apply(.editPost(Network.postID(post), fields: PostFields(audience: audiences[place])))
    }
  }

  private func load() throws -> SocialGraph {
    var random = RandomSource(seed: seed, stream: 21)
    let graph = SocialGraph(schema: SocialGraph.Schema([Self.repost, Self.reply]))
    try network.load(into: graph) { post in
      let back = 1 + random.zipf(20_000)
      let isReply = back <= post && random.below(5) < 2
      let flags = UInt16(random.below(2))
      return (isReply ? [PostEdge(Self.reply, to: Network.postID(post - Int(back)))] : [], flags)
    }
    let postCount = network.authors.count
    let posts = Lists(grouping: network.authors, count: network.userCount)
    try Network.apply(postCount * 3 / 10, to: graph) { (_, batch) throws(KithError) in
      let user = Int(random.below(network.userCount))
      var post = postCount - 1 - Int(random.zipf(postCount))
      let followees = network.followees[user]
      if random.below(2) == 0, !followees.isEmpty {
        let followee = Int(followees[followees.startIndex + random.below(followees.count)])
        let own = posts[followee]
        if !own.isEmpty { post = Int(own[own.startIndex + random.below(own.count)]) }
      }
      let time = network.times[post] + Int64(random.zipf(1_000_000)) * 1_000
      try batch.apply(
        .addEdge(Self.repost, from: .user(Network.userID(user)), to: .post(Network.postID(post)), at: Timestamp(time)))
    }
    return graph
  }
}

extension Lists {
  /// The rows of each group.
  fileprivate init(grouping groups: [UInt32], count: Int) {
    var rows = [[UInt32]](repeating: [], count: count)
    for (row, group) in groups.enumerated() { rows[Int(group)].append(UInt32(row)) }
    self.init()
    for list in rows { append(list) }
  }
}
