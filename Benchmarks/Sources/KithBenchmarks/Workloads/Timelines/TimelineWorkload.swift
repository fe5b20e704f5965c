import Kith

/// The first page of home timelines, twenty posts with their authors, texts, counts and whether the viewer likes them,
/// by the viewer's followee count.
struct TimelineWorkload {
  private static let limit = 20
  private static let checked = 20

  let network: Network
  let graph: SocialGraph

  func run(_ harness: inout Harness, against plain: PlainAnswers) throws -> [Measurement] {
    let baseline = TimelineBaseline(network)
    var measurements: [Measurement] = []
    for fanIn in network.fanIns {
      for user in fanIn.users {
        let known = user - fanIn.users.lowerBound < Self.checked ? plain.timeline(of: user, limit: Self.limit) : nil
        try check(user, baseline, known)
      }
      let name = "timeline, first page, \(grouped(fanIn.followeeCount)) followed"
      func pages(_ name: String, _ engine: (UserID) throws -> Int) throws {
        measurements.append(
          try harness.measure(name, questions: fanIn.users.count) { question in
            try engine(Network.userID(fanIn.users.lowerBound + question))
          } baseline: { question in
            baseline.page(of: fanIn.users.lowerBound + question, limit: Self.limit)
          })
      }
      try pages(name) { id in try page(of: id).count }
      try pages("  with its strings") { id in
        try page(of: id).reduce(0) { $0 + $1.text.utf8.count + $1.author.username.utf8.count }
      }
      var ids: [PostID] = []
      try pages("  ids alone") { id in
        try graph.read { (view) throws(KithError) in try view.timelineIDs(of: id, into: &ids) }
        return ids.count
      }
    }
    return measurements
  }

  private func page(of user: UserID) throws(KithError) -> Page<Post> {
    try graph.read { (view) throws(KithError) in try view.timeline(of: user) }
  }

  private func check(_ user: Int, _ baseline: TimelineBaseline, _ known: [PlainPost]?) throws {
    let id = Network.userID(user)
    let page = try page(of: id).map {
      PlainPost(
        id: $0.id.rawValue, createdAt: $0.createdAt.rawValue, author: $0.author.id.rawValue,
        username: $0.author.username, text: $0.text, likeCount: $0.likeCount, liked: $0.isLikedByViewer == true)
    }
    let baselinePage = baseline.posts(of: user, limit: Self.limit)
    if let known, baselinePage != known {
      throw WrongAnswer(message: "the baseline's timeline of user \(id) is not that of the plain recomputation")
    }
    if page != baselinePage { throw WrongAnswer(message: "the engine's timeline of user \(id) is not the baseline's") }
  }
}
