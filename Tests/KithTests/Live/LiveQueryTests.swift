import Testing

@testable import Kith

/// Live queries against new queries after every change.
@Suite struct LiveQueryTests {
  /// One live query of any kind, and its last value.
  private struct Followed {
    let name: String
    /// The difference from a new query; nil if there is none.
    let check: () -> String?
  }

  private final class Follower<Value: Equatable & Sendable> {
    let graph: SocialGraph
    let question: LiveQuery<Value, KithError>
    var subscription: LiveSubscription<Value, KithError>?
    var last: Value?

    init(_ graph: SocialGraph, _ question: LiveQuery<Value, KithError>) {
      (self.graph, self.question) = (graph, question)
    }

    func check() -> String? {
      let now = Result { () throws(KithError) in
        try graph.read { (view) throws(KithError) in try question.ask(view).value }
      }
      if subscription == nil {
        last = nil
        guard case .success = now else { return nil }
        subscription = LiveSubscription(graph, question)
      }
      do throws(KithError) {
        if let value = try subscription?.askIfTold() {
          if value == last { return "\(value) came twice" }
          last = value
        }
      } catch {
        subscription = nil
        if case .failure(error) = now { return nil }
        return "it ended with \(error), and answers \(now)"
      }
      switch now {
      case .success(let value): return value == last ? nil : "it says \(String(describing: last)), right is \(value)"
      case .failure(let error): return "it did not end with \(error)"
      }
    }
  }

  private func follow<Value>(_ name: String, _ graph: SocialGraph, _ question: LiveQuery<Value, KithError>) -> Followed
  {
    let follower = Follower(graph, question)
    return Followed(name: name) { follower.check() }
  }

  /// A few of each kind, of mostly existing users and posts.
  private func questions(_ draw: inout Draw, _ model: ReferenceModel, _ graph: SocialGraph) throws -> [Followed] {
    let (user, other, viewer) = (draw.user(model), draw.user(model), draw.user(model))
    let posts = [draw.post(model), draw.post(model)]
    let limit = 1 + draw.below(6)
    let options = ListQuery(order: draw.seldom(2) ? .name : .newest, limit: limit, viewer: viewer)
    let plain = ListQuery(limit: limit)
    var search = UserQuery(
      match: draw.pick([.substring, .prefix]), order: draw.pick([.name, .prefixFirst, .popular]), limit: limit)
    (search.countsMatches, search.includesBlocked, search.viewer) = (draw.seldom(2), draw.seldom(2), viewer)
    let (query, words) = (draw.nameQuery(model), draw.postQuery(model))
    let followed = UserQuery(order: .followedFirst, limit: limit, viewer: viewer)
    let home = TimelineQuery(direction: draw.pick([.older, .newer]), includesOwnPosts: draw.seldom(2), limit: limit)
    let (authored, detailed) = (
      TimelineQuery(includesAuthors: true, limit: limit), ListQuery(includesAuthors: true, viewer: viewer)
    )
    let authoredPosts = PostQuery(includesAuthors: true, limit: limit, viewer: viewer)
    var list = [
      follow("user \(user) as \(viewer)", graph, .user(user, as: viewer)), follow("user", graph, .user(other)),
      follow("blocked", graph, .user(user, as: viewer, includesBlocked: true)),
      follow("timeline of \(user), \(home)", graph, .timeline(of: user, home)),
      follow("timeline of \(viewer)", graph, .timeline(of: viewer)),
      follow("followers \(options)", graph, .followers(of: user, options)),
      follow("followees \(options)", graph, .followees(of: user, options)),
      follow("timeline with authors", graph, .timeline(of: viewer, authored)),
      follow("timeline with filters", graph, .timeline(of: user, draw.timelineOptions(model))),
      follow("timeline of others", graph, .timeline(of: viewer, draw.timelineOptions(model))),
      follow("likes with authors", graph, .likes(of: user, detailed)),
      follow("posts with authors", graph, .searchPosts(words, authoredPosts)),
      follow("likes", graph, .likes(of: user, options)), follow("likes", graph, .likes(of: other, plain)),
      follow("blocked", graph, .blocked(by: user, plain)), follow("muted", graph, .muted(by: user, options)),
      follow("relations", graph, .relations(of: user, to: [other, viewer])),
      follow("isFollowing", graph, .isFollowing(other, as: user)), follow("counts", graph, .counts),
      follow("search \(query) \(search)", graph, .searchUsers(query, search)),
      follow("search \(query) \(followed)", graph, .searchUsers(query, followed)),
      follow("posts \(words)", graph, .searchPosts(words, PostQuery(limit: limit, viewer: viewer))),
      follow("posts of", graph, .searchPosts(words, PostQuery(author: other, limit: limit))),
      follow("posts among", graph, .searchPosts(words, PostQuery(followedOnly: true, limit: limit, viewer: viewer))),
      follow("mutual followees", graph, .mutualFollowees(of: user, and: other)),
      follow("familiar followers", graph, .familiarFollowers(of: user, as: other, MutualQuery(limit: limit))),
      follow("mutual followers", graph, .mutualFollowers(of: user, and: other, MutualQuery(viewer: viewer))),
      follow(
        "any", graph, LiveQuery { (view) throws(KithError) in try view.suggestions(for: user).map(\.user.id) }),
    ]
    list += acrossTheGraph(&draw, model, graph)
    if model.declared != nil { list += edges(&draw, model, graph) }
    for post in posts {
      list.append(follow("post \(post) as \(viewer)", graph, .post(post, as: viewer)))
      list.append(follow("post \(post), author", graph, .post(post, as: viewer, includesAuthors: true)))
      list.append(follow("likers of \(post)", graph, .likers(of: post, options)))
    }
    let top = try? graph.read { (view) throws(KithError) in try view.timeline(of: user, TimelineQuery(limit: 3)) }
    if let place = top?.previous {
      list.append(follow("new posts", graph, .newPosts(for: user, after: place, limit: 3)))
    }
    return list
  }

  /// Edges of relations that the host declared, and of the four.
  private func edges(_ draw: inout Draw, _ model: ReferenceModel, _ graph: SocialGraph) -> [Followed] {
    (0..<20).map { _ in
      // Some with counts and marks.
      let details = draw.seldom(2) ? draw.details(model) : ResultDetails()
      func live(_ read: Read) -> LiveQuery<Kith.Answer, KithError> {
        details.isEmpty ? read.live : Read.adding(details, to: read).live
      }
      switch draw.edgeQuestion(model) {
      case .edgeList(let relation, let side, let node, let options):
        let name = "\(side) of \(node), \(relation), \(options), \(details)"
        return follow(name, graph, live(.edgeList(relation, side, of: node, options)))
      case .thread(let post, let options):
        return follow("thread of \(post), \(options), \(details)", graph, live(.thread(of: post, options)))
      case .ancestors(let post, let limit, let viewer, let includesAuthors):
        let read = Read.ancestors(of: post, limit: limit, as: viewer, includesAuthors: includesAuthors)
        return follow("ancestors of \(post), \(details)", graph, live(read))
      case .incoming(let user, let options):
        return follow("incoming of \(user), \(options), \(details)", graph, live(.incoming(to: user, options)))
      case .incomingCount(let user, let options):
        return follow("incoming count of \(user), \(options)", graph, .incomingCount(to: user, options))
      case .edges(let node, let others):
        return follow("edges of \(node) and \(others)", graph, .edges(between: node, and: others))
      default: preconditionFailure("a question about edges")
      }
    }
  }

  /// Queries over several hops, and queries by ids and names, some of which may not exist.
  private func acrossTheGraph(_ draw: inout Draw, _ model: ReferenceModel, _ graph: SocialGraph) -> [Followed] {
    let (user, other, viewer) = (draw.user(model), draw.user(model), draw.user(model))
    let limit = 1 + draw.below(6)
    let named = SuggestionQuery(namedCount: draw.below(3), limit: limit)
    let short = SuggestionQuery(followLimit: draw.below(8))
    let hops = PathQuery(maximumHops: draw.below(4))
    let home = TimelineQuery(direction: draw.pick([.older, .newer]), includesOwnPosts: draw.seldom(2), limit: limit)
    let (users, posts) = ([user, other, viewer], (0..<3).map { _ in draw.post(model) })
    return [
      follow("mutual followee count", graph, .mutualFolloweeCount(of: user, and: other)),
      follow("suggestions \(named)", graph, .suggestions(for: user, named)),
      follow("suggestions \(short)", graph, .suggestions(for: other, short)),
      follow("incoming", graph, .incoming(to: user, IncomingQuery(limit: limit))),
      follow("distance", graph, .shortestPath(from: user, to: other)),
      follow("distance \(hops)", graph, .shortestPath(from: other, to: viewer, hops)),
      follow("two hops of \(user), \(home)", graph, .twoHopTimeline(of: user, home)),
      follow("two hops of \(other), few follows", graph, .twoHopTimeline(of: other, followLimit: draw.below(8))),
      follow("users \(users) as \(viewer)", graph, .users(users, as: viewer)),
      follow("users and blocked", graph, .users(users, as: viewer, includesBlocked: true)),
      follow("posts \(posts) as \(viewer)", graph, .posts(posts, as: viewer)),
      follow("posts with authors", graph, .posts(posts, as: viewer, includesAuthors: true)),
      follow("user named", graph, .findUser(named: draw.name())),
    ]
  }

  @Test("After every change each live query equals a new query", arguments: 1...12 as ClosedRange<UInt64>)
  func everyChange(seed: UInt64) throws { try play(seed, hasSchema: false) }

  @Test("With a schema each live query equals a new query, too", arguments: 21...28 as ClosedRange<UInt64>)
  func everyChangeOfEdges(seed: UInt64) throws { try play(seed, hasSchema: true) }

  private func play(_ seed: UInt64, hasSchema: Bool) throws {
    var model = ReferenceModel()
    var draw = Draw(seed: seed, userCount: 9)
    model.declared = hasSchema ? draw.schema() : nil
    let graph = SocialGraph(schema: model.declared.map { SocialGraph.Schema($0) })
    var followed: [Followed] = []
    for step in 1...400 {
      if step % 40 == 1 { followed = try questions(&draw, model, graph) }
      var changes = [draw.change(for: model)]
      let isBatch = draw.seldom(8)
      if isBatch { changes += (0..<draw.below(4)).map { _ in draw.change(for: model) } }
      if isBatch {
        let before = model
        do {
          try graph.batch { batch throws(KithError) in
            for change in changes {
              _ = model.outcome(of: change)
              try batch.apply(change)
            }
          }
        } catch { model = before }
      } else {
        _ = model.outcome(of: changes[0])
        _ = graph.outcome(of: changes[0])
      }
      for question in followed {
        if let difference = question.check() {
          Issue.record("seed \(seed), step \(step), \(changes): \(question.name): \(difference)")
          return
        }
      }
      if step % 50 == 0 { #expect(graph.anyObservers.subscriptions.checkInvariants() == []) }
    }
    followed = []
    #expect(graph.anyObservers.subscriptions.watchedCount == 0 && !graph.anyObservers.areThere)
    #expect(graph.anyObservers.subscriptions.checkInvariants() == [])
  }

  @Test("A change that does not concern a query does not run it")
  func untouched() throws {
    let graph = SocialGraph()
    let users = try (0..<20).map { try graph.addUser("user \($0)") }
    let posts = try users.map { try graph.addPost("a post", by: $0) }
    try graph.follow(users[1], as: users[0])
    let asked = LiveSubscription(graph, .timeline(of: users[0]))
    let label = LiveSubscription(graph, .post(posts[1]))
    let search = LiveSubscription(graph, .searchUsers("user 1", UserQuery(viewer: users[0])))
    #expect(try asked.askIfTold()?.count == 2 && label.askIfTold()?.likeCount == 0)
    #expect(try search.askIfTold()?.count == 11)
    // Followers of others, likes of other posts, posts of strangers.
    try graph.follow(users[3], as: users[2])
    try graph.like(posts[4], as: users[3])
    try graph.addPost("unseen", by: users[5])
    try graph.mute(users[7], as: users[6])
    try graph.removePost(posts[8])
    for signal in [asked.signal, label.signal, search.signal] { #expect(!signal.takeNotification()) }
    try graph.like(posts[1], as: users[9])
    #expect(asked.signal.takeNotification() && label.signal.takeNotification() && !search.signal.takeNotification())
    try graph.addPost("seen", by: users[1])
    #expect(asked.signal.takeNotification() && !label.signal.takeNotification())
    try graph.renameUser(users[1], to: "another")
    #expect(asked.signal.takeNotification() && label.signal.takeNotification() && search.signal.takeNotification())
  }

  @Test("Subscribers of one key come and go in any order")
  func subscriptions() {
    let subscriptions = SubscriptionIndex()
    var draw = Draw(seed: 3, userCount: 5)
    var watched: [(signal: AsyncSignal, dependencies: Set<QueryDependency>)] = []
    for _ in 0..<2_000 {
      if watched.isEmpty || draw.below(5) > 1 {
        var dependencies: Set<QueryDependency> = []
        for _ in 0..<1 + draw.below(4) {
          let user = UserID(Int64(draw.below(6)))
          let kinds: [QueryDependency] = [.user(user), .timeline(of: user), .posts(by: user), .anyName]
          dependencies.insert(draw.pick(kinds))
        }
        watched.append((AsyncSignal(), dependencies))
        subscriptions.add(watched[watched.count - 1].signal, to: dependencies)
      } else {
        let (signal, dependencies) = watched.remove(at: draw.below(watched.count))
        subscriptions.remove(signal, from: dependencies)
      }
      let changed = QueryDependency.user(UserID(Int64(draw.below(6))))
      var wakeups = PendingWakeups()
      subscriptions.notify(changed, &wakeups)
      wakeups.resume()
      for (signal, dependencies) in watched where signal.takeNotification() != dependencies.contains(changed) {
        Issue.record("\(changed) and \(dependencies)")
      }
    }
    #expect(subscriptions.checkInvariants() == [])
    for (signal, dependencies) in watched { subscriptions.remove(signal, from: dependencies) }
    #expect(
      subscriptions.watchedCount == 0 && subscriptions.timelineUserCount == 0 && subscriptions.checkInvariants() == [])
  }

  @Test("The example of a live query of a closure runs")
  func closure() throws {
    let graph = SocialGraph()
    let (ann, bob, cy) = (try graph.addUser("ann"), try graph.addUser("bob"), try graph.addUser("cy"))
    let question = LiveQuery { (view) throws(KithError) in try view.user(ann).followerCount >= 2 }
    let subscription = LiveSubscription(graph, question)
    #expect(try subscription.askIfTold() == false)
    try graph.follow(ann, as: bob)
    #expect(try subscription.askIfTold() == nil)
    try graph.follow(ann, as: cy)
    #expect(try subscription.askIfTold() == true)
  }
}
