import Kith

/// A kind of question, asked about one of the sample after another.
struct BenchQuestion: Sendable {
  enum Group: String, CaseIterable, Sendable {
    case search = "Search"
    case timelines = "Timelines"
    case people = "People and likes"
    case graph = "Graph questions"
    case changes = "Changes"
  }

  typealias Ask = @Sendable (_ view: borrowing GraphView, _ repetition: Int) throws(KithError) -> Int

  let group: Group
  let name: String
  /// Asks, and answers a number that depends on the answer, so that no call can be left out.
  let ask: Ask

  /// Every question that a graph can be asked; those about posts only where the sample has some.
  static func all(_ sample: BenchSample, _ view: borrowing GraphView) throws(KithError) -> [BenchQuestion] {
    var questions = searches(sample)
    if !sample.posts.isEmpty { questions += try timelines(sample, view) }
    questions += people(sample)
    if !sample.posts.isEmpty { questions += likes(sample) }
    if !sample.followers.isEmpty { questions += graph(sample) }
    return questions
  }

  /// The two that stand for all where only a few can be shown: over graph sizes and threads.
  static func search(_ sample: BenchSample) -> BenchQuestion {
    BenchQuestion(group: .search, name: "any part of a name, 1 to 8 letters") { (view, place) throws(KithError) in
      let viewer = sample.users.cycled(place + 1)
      return try view.searchUsers(sample.parts.cycled(place), UserSearch(viewer: viewer, excluding: viewer)).count
    }
  }

  static func timeline(_ sample: BenchSample) -> BenchQuestion {
    BenchQuestion(group: .timelines, name: "first page") { (view, place) throws(KithError) in
      try view.timeline(of: sample.users.cycled(place)).count
    }
  }

  static func isFollowing(_ sample: BenchSample) -> BenchQuestion {
    BenchQuestion(group: .people, name: "whether one follows another") { (view, place) throws(KithError) in
      try view.isFollowing(sample.users.cycled(place), sample.users.cycled(place &* 7 &+ 1)) ? 1 : 0
    }
  }

  // MARK: - Groups

  private static func searches(_ sample: BenchSample) -> [BenchQuestion] {
    func orders(_ name: String, _ order: UserSearch.Order) -> BenchQuestion {
      BenchQuestion(group: .search, name: name) { (view, place) throws(KithError) in
        let search = UserSearch(order: order, viewer: sample.users.cycled(place + 1))
        return try view.searchUsers(sample.parts.cycled(place), search).count
      }
    }
    var questions = [
      search(sample),
      BenchQuestion(group: .search, name: "how a name begins") { (view, place) throws(KithError) in
        try view.searchUsers(sample.beginnings.cycled(place), UserSearch(match: .prefix)).count
      },
      orders("whom one follows first", .followedFirst),
      orders("whom most follow first", .popular),
    ]
    if !sample.words.isEmpty {
      questions.append(
        BenchQuestion(group: .search, name: "posts with a word") { (view, place) throws(KithError) in
          try view.searchPosts(sample.words.cycled(place)).count
        })
    }
    return questions
  }

  private static func timelines(
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
    ]
    if !further.isEmpty {
      questions.append(
        BenchQuestion(group: .timelines, name: "second page") { [further] (view, place) throws(KithError) in
          let (user, cursor) = further.cycled(place)
          return try view.timeline(of: user, TimelineOptions(cursor: cursor)).count
        })
    }
    questions.append(
      BenchQuestion(group: .timelines, name: "over two hops") { (view, place) throws(KithError) in
        try view.twoHopTimeline(of: sample.users.cycled(place)).count
      })
    return questions
  }

  private static func people(_ sample: BenchSample) -> [BenchQuestion] {
    [
      isFollowing(sample),
      BenchQuestion(group: .people, name: "a user by name") { (view, place) throws(KithError) in
        guard let user = view.findUser(named: sample.names.cycled(place)) else { return 0 }
        return try view.user(user).followerCount
      },
      BenchQuestion(group: .people, name: "newest followers") { (view, place) throws(KithError) in
        try view.followers(of: sample.users.cycled(place)).count
      },
      BenchQuestion(group: .people, name: "newest followees") { (view, place) throws(KithError) in
        try view.followees(of: sample.users.cycled(place)).count
      },
    ]
  }

  private static func likes(_ sample: BenchSample) -> [BenchQuestion] {
    [
      BenchQuestion(group: .people, name: "who likes a post") { (view, place) throws(KithError) in
        try view.likers(of: sample.posts.cycled(place)).count
      },
      BenchQuestion(group: .people, name: "what a user likes") { (view, place) throws(KithError) in
        try view.likes(of: sample.users.cycled(place)).count
      },
    ]
  }

  private static func graph(_ sample: BenchSample) -> [BenchQuestion] {
    [
      BenchQuestion(group: .graph, name: "whom both follow") { (view, place) throws(KithError) in
        let one = sample.followers.cycled(place)
        return try view.mutualFollowees(of: one, and: sample.followers.cycled(place + 1)).count
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
  /// The element at a place of the array repeated without end; the array is not empty.
  func cycled(_ place: Int) -> Element { self[Int(UInt(bitPattern: place) % UInt(count))] }
}
