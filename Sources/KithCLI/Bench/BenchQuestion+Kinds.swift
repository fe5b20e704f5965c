import Kith

/// The questions of each group, those of one group in the order in which they are shown.
extension BenchQuestion {
  static func searches(_ sample: BenchSample, _ view: borrowing GraphView) -> [BenchQuestion] {
    func people(_ name: String, _ queries: [String], _ search: UserSearch) -> BenchQuestion {
      BenchQuestion(group: .search, name: name) { (view, place) throws(KithError) in
        var search = search
        search.viewer = sample.users.cycled(place + 1)
        return try view.searchUsers(queries.cycled(place), search).count
      }
    }
    func posts(_ name: String, _ queries: [String], _ following: Bool = false) -> BenchQuestion {
      BenchQuestion(group: .search, name: name) { (view, place) throws(KithError) in
        let search = PostSearch(following: following, viewer: sample.users.cycled(place))
        return try view.searchPosts(queries.cycled(place), search).count
      }
    }
    var questions = [
      search(sample),
      people("how a name begins", sample.beginnings, UserSearch(match: .prefix)),
      people("a whole name", sample.names, UserSearch(match: .exact)),
      people("a name with a letter left out", sample.slips, UserSearch(match: .fuzzy)),
      people("names that begin so first", sample.parts, UserSearch(order: .prefixFirst)),
      people("whom one follows first", sample.parts, UserSearch(order: .followedFirst)),
      people("whom most follow first", sample.parts, UserSearch(order: .popular)),
    ]
    // Only in a build with the trait Regex.
    let plain = sample.beginnings.filter { $0.allSatisfy { $0.isLetter || $0.isNumber } }
    if !plain.isEmpty, (try? view.searchUsers("^a", UserSearch(match: .regex, limit: 1))) != nil {
      questions.append(people("a regular expression", plain.map { "^\($0)" }, UserSearch(match: .regex)))
    }
    if sample.words.isEmpty { return questions }
    let pairs = sample.words.indices.map { "\(sample.words[$0]) \(sample.words.cycled($0 &* 7 &+ 1))" }
    return questions + [
      posts("posts with a word", sample.words), posts("posts with two words", pairs),
      posts("posts with a word by those one follows", sample.words, true),
    ]
  }

  static func timelines(
    _ sample: BenchSample, _ view: borrowing GraphView
  ) throws(KithError) -> [BenchQuestion] {
    var further: [(user: UserID, cursor: Cursor)] = []
    for user in sample.users.prefix(2_000) {
      if let next = try view.timeline(of: user).next { further.append((user, next)) }
    }
    var questions = [
      timeline(sample),
      BenchQuestion(group: .timelines, name: "with its 40 strings made") { (view, place) throws(KithError) in
        var byteCount = 0
        for post in try view.timeline(of: sample.users.cycled(place)) {
          byteCount += post.text.utf8.count + post.author.username.utf8.count
        }
        return byteCount
      },
      BenchQuestion(group: .timelines, name: "ids alone") { (view, place) throws(KithError) in
        var ids: [PostID] = []
        try view.timelineIDs(of: sample.users.cycled(place), into: &ids)
        return ids.count
      },
    ]
    if !further.isEmpty {
      questions.append(
        BenchQuestion(group: .timelines, name: "second page") { [further] (view, place) throws(KithError) in
          let (user, cursor) = further.cycled(place)
          return try view.timeline(of: user, TimelineOptions(cursor: cursor)).count
        })
    }
    return questions + [
      BenchQuestion(group: .timelines, name: "over two hops") { (view, place) throws(KithError) in
        try view.twoHopTimeline(of: sample.users.cycled(place)).count
      }
    ]
  }

  static func people(_ sample: BenchSample) -> [BenchQuestion] {
    let groups = sample.users.twenties
    return [
      isFollowing(sample),
      BenchQuestion(group: .people, name: "how one stands to twenty others") { (view, place) throws(KithError) in
        try view.relations(of: sample.users.cycled(place), to: groups.cycled(place)).count
      },
      BenchQuestion(group: .people, name: "a user by name") { (view, place) throws(KithError) in
        guard let user = view.findUser(named: sample.names.cycled(place)) else { return 0 }
        return try view.user(user).followerCount
      },
      BenchQuestion(group: .people, name: "twenty users by id") { (view, place) throws(KithError) in
        try view.users(groups.cycled(place)).count
      },
      BenchQuestion(group: .people, name: "newest followers") { (view, place) throws(KithError) in
        try view.followers(of: sample.users.cycled(place)).count
      },
      BenchQuestion(group: .people, name: "newest followees") { (view, place) throws(KithError) in
        try view.followees(of: sample.users.cycled(place)).count
      },
      BenchQuestion(group: .people, name: "whom a user blocks and mutes") { (view, place) throws(KithError) in
        let user = sample.users.cycled(place)
        return try view.blocked(by: user).count + view.muted(by: user).count
      },
    ]
  }

  static func likes(_ sample: BenchSample) -> [BenchQuestion] {
    let groups = sample.posts.twenties
    return [
      BenchQuestion(group: .people, name: "twenty posts by id") { (view, place) throws(KithError) in
        try view.posts(groups.cycled(place)).count
      },
      BenchQuestion(group: .people, name: "who likes a post") { (view, place) throws(KithError) in
        try view.likers(of: sample.posts.cycled(place)).count
      },
      BenchQuestion(group: .people, name: "what a user likes") { (view, place) throws(KithError) in
        try view.likes(of: sample.users.cycled(place)).count
      },
    ]
  }

  static func graph(_ sample: BenchSample) -> [BenchQuestion] {
    [
      BenchQuestion(group: .graph, name: "whom both follow") { (view, place) throws(KithError) in
        let one = sample.followers.cycled(place)
        return try view.mutualFollowees(of: one, and: sample.followers.cycled(place + 1)).count
      },
      BenchQuestion(group: .graph, name: "how many both follow") { (view, place) throws(KithError) in
        try view.mutualFolloweeCount(of: sample.followers.cycled(place), and: sample.followers.cycled(place + 1))
      },
      BenchQuestion(group: .graph, name: "who follows both") { (view, place) throws(KithError) in
        try view.mutualFollowers(of: sample.users.cycled(place), and: sample.users.cycled(place + 1)).count
      },
      BenchQuestion(group: .graph, name: "whom to follow next") { (view, place) throws(KithError) in
        try view.suggestions(for: sample.followers.cycled(place)).count
      },
      BenchQuestion(group: .graph, name: "shortest way, at most 6 follows") { (view, place) throws(KithError) in
        try view.distance(from: sample.followers.cycled(place), to: sample.users.cycled(place + 1)).hops ?? 0
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
