import Kith

/// The queries of each group, in the order in which they are shown.
extension BenchQuery {
  static func searches(_ sample: BenchSample, _ view: borrowing GraphView) -> [BenchQuery] {
    func people(_ name: String, _ queries: [String], _ search: UserQuery) -> BenchQuery {
      BenchQuery(group: .search, name: name) { (view, place) throws(KithError) in
        var search = search
        search.viewer = sample.users.cycled(place + 1)
        do throws(KithError) {
          return try view.searchUsers(queries.cycled(place), search).count
        } catch {
          // A pattern over many names may cost more than a query can have: its time to that end is measured.
          guard error == .budgetExceeded else { throw error }
          return 0
        }
      }
    }
    func posts(_ name: String, _ queries: [String], _ following: Bool = false) -> BenchQuery {
      BenchQuery(group: .search, name: name) { (view, place) throws(KithError) in
        let search = PostQuery(followedOnly: following, viewer: sample.users.cycled(place))
        return try view.searchPosts(queries.cycled(place), search).count
      }
    }
    var questions = [
      search(sample),
      people("prefix of a name", sample.beginnings, UserQuery(match: .prefix)),
      people("a whole name", sample.names, UserQuery(match: .exact)),
      people("fuzzy: a name without one letter", sample.edits, UserQuery(match: .fuzzy)),
      people("prefix matches first", sample.parts, UserQuery(order: .prefixFirst)),
      people("followed users first", sample.parts, UserQuery(order: .followedFirst)),
      people("most followed users first", sample.parts, UserQuery(order: .popular)),
    ]
    // Only in a build with the trait Regex.
    let plain = sample.beginnings.filter { $0.allSatisfy { $0.isLetter || $0.isNumber } }
    if !plain.isEmpty, (try? view.searchUsers("^a", UserQuery(match: .regex, limit: 1))) != nil {
      questions.append(people("a regular expression", plain.map { "^\($0)" }, UserQuery(match: .regex)))
    }
    if sample.words.isEmpty { return questions }
    let pairs = sample.words.indices.map { "\(sample.words[$0]) \(sample.words.cycled($0 &* 7 &+ 1))" }
    return questions + [
      posts("posts with a word", sample.words), posts("posts with two words", pairs),
      posts("posts with a word by followees", sample.words, true),
    ]
  }

  static func timelines(
    _ sample: BenchSample, _ view: borrowing GraphView
  ) throws(KithError) -> [BenchQuery] {
    var further: [(user: UserID, cursor: Cursor)] = []
    for user in sample.users.prefix(2_000) {
      if let next = try view.timeline(of: user).next { further.append((user, next)) }
    }
    var questions = [
      timeline(sample),
      BenchQuery(group: .timelines, name: "with its 40 strings read") { (view, place) throws(KithError) in
        var byteCount = 0
        for post in try view.timeline(of: sample.users.cycled(place)) {
          byteCount += post.text.utf8.count + post.author.username.utf8.count
        }
        return byteCount
      },
      BenchQuery(group: .timelines, name: "ids alone") { (view, place) throws(KithError) in
        var ids: [PostID] = []
        try view.timelineIDs(of: sample.users.cycled(place), into: &ids)
        return ids.count
      },
    ]
    if !further.isEmpty {
      questions.append(
        BenchQuery(group: .timelines, name: "second page") { [further] (view, place) throws(KithError) in
          let (user, cursor) = further.cycled(place)
          return try view.timeline(of: user, TimelineQuery(cursor: cursor)).count
        })
    }
    return questions + [
      BenchQuery(group: .timelines, name: "over two hops") { (view, place) throws(KithError) in
        try view.twoHopTimeline(of: sample.users.cycled(place)).count
      }
    ]
  }

  static func people(_ sample: BenchSample) -> [BenchQuery] {
    let groups = sample.users.twenties
    return [
      isFollowing(sample),
      BenchQuery(group: .people, name: "relations to twenty others") { (view, place) throws(KithError) in
        try view.relations(of: sample.users.cycled(place), to: groups.cycled(place)).count
      },
      BenchQuery(group: .people, name: "a user by name") { (view, place) throws(KithError) in
        guard let user = view.findUser(named: sample.names.cycled(place)) else { return 0 }
        return try view.user(user).followerCount
      },
      BenchQuery(group: .people, name: "twenty users by id") { (view, place) throws(KithError) in
        try view.users(groups.cycled(place)).count
      },
      BenchQuery(group: .people, name: "newest followers") { (view, place) throws(KithError) in
        try view.followers(of: sample.users.cycled(place)).count
      },
      BenchQuery(group: .people, name: "newest followees") { (view, place) throws(KithError) in
        try view.followees(of: sample.users.cycled(place)).count
      },
      BenchQuery(group: .people, name: "blocks and mutes of a user") { (view, place) throws(KithError) in
        let user = sample.users.cycled(place)
        return try view.blocked(by: user).count + view.muted(by: user).count
      },
    ]
  }

  static func likes(_ sample: BenchSample) -> [BenchQuery] {
    let groups = sample.posts.twenties
    return [
      BenchQuery(group: .people, name: "twenty posts by id") { (view, place) throws(KithError) in
        try view.posts(groups.cycled(place)).count
      },
      BenchQuery(group: .people, name: "likers of a post") { (view, place) throws(KithError) in
        try view.likers(of: sample.posts.cycled(place)).count
      },
      BenchQuery(group: .people, name: "likes of a user") { (view, place) throws(KithError) in
        try view.likes(of: sample.users.cycled(place)).count
      },
    ]
  }

  static func graph(_ sample: BenchSample) -> [BenchQuery] {
    [
      BenchQuery(group: .graph, name: "common followees") { (view, place) throws(KithError) in
        let one = sample.followers.cycled(place)
        return try view.mutualFollowees(of: one, and: sample.followers.cycled(place + 1)).count
      },
      BenchQuery(group: .graph, name: "count of common followees") { (view, place) throws(KithError) in
        try view.mutualFolloweeCount(of: sample.followers.cycled(place), and: sample.followers.cycled(place + 1))
      },
      BenchQuery(group: .graph, name: "common followers") { (view, place) throws(KithError) in
        try view.mutualFollowers(of: sample.users.cycled(place), and: sample.users.cycled(place + 1)).count
      },
      BenchQuery(group: .graph, name: "recommendations") { (view, place) throws(KithError) in
        try view.suggestions(for: sample.followers.cycled(place)).count
      },
      BenchQuery(group: .graph, name: "shortest path, at most 6 follows") { (view, place) throws(KithError) in
        try view.shortestPath(from: sample.followers.cycled(place), to: sample.users.cycled(place + 1)).hops ?? 0
      },
    ]
  }
}

extension Array {
  /// All elements in order, twenty at a time: as many as a page has.
  fileprivate var twenties: [[Element]] {
    stride(from: 0, to: count, by: 20).map { Array(self[$0..<Swift.min(count, $0 + 20)]) }
  }
}
