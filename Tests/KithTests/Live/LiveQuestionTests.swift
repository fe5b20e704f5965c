import Testing

@testable import Kith

/// Live questions against the same questions asked anew after every change.
@Suite struct LiveQuestionTests {
  /// One live question of any kind, and what it said last.
  private struct Followed {
    let name: String
    /// What differs from the question asked now; nil when nothing does.
    let check: () -> String?
  }

  private final class Follower<Value: Equatable & Sendable> {
    let graph: SocialGraph
    let question: LiveQuestion<Value>
    var subscription: LiveSubscription<Value>?
    var last: Value?

    init(_ graph: SocialGraph, _ question: LiveQuestion<Value>) {
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

  private func follow<Value>(_ name: String, _ graph: SocialGraph, _ question: LiveQuestion<Value>) -> Followed {
    let follower = Follower(graph, question)
    return Followed(name: name) { follower.check() }
  }

  /// A few of each kind, of users and posts that are mostly there.
  private func questions(_ draw: inout Draw, _ model: ReferenceModel, _ graph: SocialGraph) throws -> [Followed] {
    let (user, other, viewer) = (draw.user(model), draw.user(model), draw.user(model))
    let posts = [draw.post(model), draw.post(model)]
    let limit = 1 + draw.below(6)
    let options = ListOptions(order: draw.seldom(2) ? .name : .newest, limit: limit, viewer: viewer)
    let plain = ListOptions(limit: limit)
    var search = UserSearch(
      match: draw.pick([.substring, .prefix]), order: draw.pick([.name, .prefixFirst, .popular]), limit: limit)
    search.counting = draw.seldom(2)
    let (query, words) = (draw.nameQuery(model), draw.postQuery(model))
    let followed = UserSearch(order: .followedFirst, viewer: viewer, limit: limit)
    let home = TimelineOptions(limit: limit, direction: draw.pick([.older, .newer]), includeSelf: draw.seldom(2))
    var list = [
      follow("user \(user) as \(viewer)", graph, .user(user, as: viewer)), follow("user", graph, .user(other)),
      follow("timeline of \(user), \(home)", graph, .timeline(of: user, home)),
      follow("timeline of \(viewer)", graph, .timeline(of: viewer)),
      follow("followers \(options)", graph, .followers(of: user, options)),
      follow("followees \(options)", graph, .followees(of: user, options)),
      follow("likes", graph, .likes(of: user, options)), follow("likes", graph, .likes(of: other, plain)),
      follow("blocked", graph, .blocked(by: user, plain)), follow("muted", graph, .muted(by: user, options)),
      follow("relations", graph, .relations(of: user, to: [other, viewer])),
      follow("isFollowing", graph, .isFollowing(user, other)), follow("counts", graph, .counts),
      follow("search \(query) \(search)", graph, .search(query, search)),
      follow("search \(query) \(followed)", graph, .search(query, followed)),
      follow("posts \(words)", graph, .posts(words, PostSearch(viewer: viewer, limit: limit))),
      follow("posts of", graph, .posts(words, PostSearch(author: other, limit: limit))),
      follow("posts among", graph, .posts(words, PostSearch(following: true, viewer: viewer, limit: limit))),
      follow("mutual followees", graph, .mutualFollowees(of: user, and: other)),
      follow("mutual followers", graph, .mutualFollowers(of: user, and: other, MutualOptions(viewer: viewer))),
      follow(
        "suggestions", graph,
        LiveQuestion { (view) throws(KithError) in
          try view.suggestions(for: user).map(\.user.id)
        }),
    ]
    for post in posts {
      list.append(follow("post \(post) as \(viewer)", graph, .post(post, as: viewer)))
      list.append(follow("likers of \(post)", graph, .likers(of: post, options)))
    }
    let top = try? graph.read { (view) throws(KithError) in try view.timeline(of: user, TimelineOptions(limit: 3)) }
    if let place = top?.previous {
      list.append(follow("new posts", graph, .newPosts(for: user, after: place, limit: 3)))
    }
    return list
  }

  @Test("After every change each live question says what it says asked anew", arguments: 1...12 as ClosedRange<UInt64>)
  func everyChange(seed: UInt64) throws {
    let graph = SocialGraph()
    var model = ReferenceModel()
    var draw = Draw(seed: seed, userCount: 9)
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
      if step % 50 == 0 { #expect(graph.anyObservers.watchers.checkInvariants() == []) }
    }
    followed = []
    #expect(graph.anyObservers.watchers.watchedCount == 0 && !graph.anyObservers.areThere)
    #expect(graph.anyObservers.watchers.checkInvariants() == [])
  }

  @Test("A change that touches nothing of a question does not wake it")
  func untouched() throws {
    let graph = SocialGraph()
    let users = try (0..<20).map { try graph.addUser("user \($0)") }
    let posts = try users.map { try graph.addPost(by: $0, "a post") }
    try graph.follow(users[0], users[1])
    let asked = LiveSubscription(graph, .timeline(of: users[0]))
    let label = LiveSubscription(graph, .post(posts[1]))
    let search = LiveSubscription(graph, .search("user 1", UserSearch(viewer: users[0])))
    #expect(try asked.askIfTold()?.count == 2 && label.askIfTold()?.likeCount == 0)
    #expect(try search.askIfTold()?.count == 11)
    // Followers of others, likes of other posts, posts of strangers.
    try graph.follow(users[2], users[3])
    try graph.like(users[3], posts[4])
    try graph.addPost(by: users[5], "unseen")
    try graph.mute(users[6], users[7])
    try graph.remove(posts[8])
    for waker in [asked.waker, label.waker, search.waker] { #expect(!waker.takeTold()) }
    try graph.like(users[9], posts[1])
    #expect(asked.waker.takeTold() && label.waker.takeTold() && !search.waker.takeTold())
    try graph.addPost(by: users[1], "seen")
    #expect(asked.waker.takeTold() && !label.waker.takeTold())
    try graph.rename(users[1], to: "another")
    #expect(asked.waker.takeTold() && label.waker.takeTold() && search.waker.takeTold())
  }

  @Test("Watchers of one thing come and go in any order")
  func watchers() {
    let watchers = Watchers()
    var draw = Draw(seed: 3, userCount: 5)
    var watched: [(waker: Waker, dependencies: Set<Dependency>)] = []
    for _ in 0..<2_000 {
      if watched.isEmpty || draw.below(5) > 1 {
        var dependencies: Set<Dependency> = []
        for _ in 0..<1 + draw.below(4) {
          let user = UserID(Int64(draw.below(6)))
          let kinds: [Dependency] = [.user(user), .timeline(of: user), .posts(by: user), .anyName]
          dependencies.insert(draw.pick(kinds))
        }
        watched.append((Waker(), dependencies))
        watchers.add(watched[watched.count - 1].waker, to: dependencies)
      } else {
        let (waker, dependencies) = watched.remove(at: draw.below(watched.count))
        watchers.remove(waker, from: dependencies)
      }
      let told = Dependency.user(UserID(Int64(draw.below(6))))
      var wakeups = Wakeups()
      watchers.tell(told, &wakeups)
      wakeups.resume()
      for (waker, dependencies) in watched where waker.takeTold() != dependencies.contains(told) {
        Issue.record("\(told) and \(dependencies)")
      }
    }
    #expect(watchers.checkInvariants() == [])
    for (waker, dependencies) in watched { watchers.remove(waker, from: dependencies) }
    #expect(watchers.watchedCount == 0 && watchers.timelineUserCount == 0 && watchers.checkInvariants() == [])
  }
}
