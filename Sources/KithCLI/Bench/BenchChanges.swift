import Kith

/// Changes of a scratch graph in memory, each measured alone: nothing is journaled, and no store is changed.
struct BenchChanges {
  let graph: SocialGraph
  let sample: BenchSample
  let count: Int

  /// The name of a kind of change, and how long it took.
  typealias Measured = (name: String, latencies: Latencies)

  /// Adds edges that do not exist, then removes them, so that each change has an effect.
  func measure(_ progress: inout Progress) throws(KithError) -> [Measured] {
    var random = RandomSource(seed: 1, stream: 21)
    var measured: [Measured] = []
    let pairs = try followsToMake(&random)
    let likes = try likesToGive(&random)
    let newcomers = freeNames("newcomer")
    func apply(_ name: String, _ changes: [Change]) throws(KithError) -> [ChangeResult] {
      progress.next("measuring changes: \(name)")
      guard !changes.isEmpty else { return [] }
      var applied: [ChangeResult] = []
      applied.reserveCapacity(changes.count)
      do throws(KithError) {
        let latencies = try Latencies(count: changes.count) { (place) throws(KithError) in
          applied.append(try graph.apply(changes[place]))
        }
        measured.append((name, latencies))
      } catch {
        // A graph whose ids are used up takes no more users or posts: that is not measured.
        guard case .limitExceeded(.assignedIDs) = error else { throw error }
      }
      return applied
    }
    _ = try apply("follow", pairs.map { .follow(as: $0, target: $1, at: nil) })
    _ = try apply("unfollow", pairs.map { .unfollow(as: $0, target: $1) })
    _ = try apply("like", likes.map { .like(as: $0, post: $1, at: nil) })
    _ = try apply("unlike", likes.map { .unlike(as: $0, post: $1) })
    let text = "a post of a bench, about as long as posts are: a hundred bytes, a sentence or two of small talk"
    let posts = try apply(
      "add a post", (0..<count).map { .addPost(id: nil, by: sample.users.cycled($0), text: text, createdAt: nil) })
    _ = try apply("remove a post", posts.compactMap { $0.post.map(Change.removePost) })
    let users = try apply("add a user", newcomers.map { .addUser(id: nil, username: $0) })
    let renamed = zip(users, freeNames("renamed"))
    _ = try apply("rename a user", renamed.compactMap { user, name in user.user.map { .renameUser($0, to: name) } })
    _ = try apply("mute", pairs.map { .mute(as: $0, target: $1) })
    _ = try apply("block", pairs.map { .block(as: $0, target: $1) })
    return measured
  }

  /// As many names as changes that no user has.
  private func freeNames(_ word: String) -> [String] {
    graph.read { view in
      var names: [String] = []
      var number = 0
      while names.count < count {
        if view.findUser(named: "\(word) \(number)") == nil { names.append("\(word) \(number)") }
        number += 1
      }
      return names
    }
  }

  private func followsToMake(_ random: inout RandomSource) throws(KithError) -> [(UserID, UserID)] {
    let candidates = (0..<count).map { _ in (random.pick(sample.users), random.pick(sample.users)) }
    return try distinct(candidates) { (view, pair) throws(KithError) in
      guard pair.0 != pair.1 else { return false }
      let relations = try view.relations(of: pair.0, to: [pair.1])
      return relations.allSatisfy { !$0.isFollowing && !$0.isBlocking && !$0.isBlockedBy }
    }
  }

  private func likesToGive(_ random: inout RandomSource) throws(KithError) -> [(UserID, PostID)] {
    guard !sample.posts.isEmpty else { return [] }
    let candidates = (0..<count).map { _ in (random.pick(sample.users), random.pick(sample.posts)) }
    return try distinct(candidates) { (view, pair) throws(KithError) in
      // A user across a block is hidden from the viewer.
      try view.posts([pair.1], as: pair.0).allSatisfy { $0?.isLikedByViewer == false }
    }
  }

  /// The pairs that can be added, each once.
  private func distinct<Target: Hashable>(
    _ candidates: [(UserID, Target)],
    _ isPossible: (borrowing GraphView, (UserID, Target)) throws(KithError) -> Bool
  ) throws(KithError) -> [(UserID, Target)] {
    try graph.read { (view) throws(KithError) in
      var seen: [UserID: Set<Target>] = [:]
      var pairs: [(UserID, Target)] = []
      for pair in candidates where try isPossible(view, pair) && seen[pair.0, default: []].insert(pair.1).inserted {
        pairs.append(pair)
      }
      return pairs
    }
  }
}
