/// Mutual follows, suggestions, shortest paths, and two-hop timelines, live.
extension LiveQuery where Value == Page<User>, Failure == KithError {
  /// The users whom both users follow. See `GraphView.mutualFollowees`.
  public static func mutualFollowees(
    of user: UserID, and other: UserID, _ query: MutualQuery = MutualQuery()
  ) -> LiveQuery {
    people([.followees(of: user), .followees(of: other)] + blocks(query.viewer)) { (view) throws(KithError) in
      try view.mutualFollowees(of: user, and: other, query)
    }
  }

  /// The users who follow both users. See `GraphView.mutualFollowers`.
  public static func mutualFollowers(
    of user: UserID, and other: UserID, _ query: MutualQuery = MutualQuery()
  ) -> LiveQuery {
    people([.followers(of: user), .followers(of: other)] + blocks(query.viewer)) { (view) throws(KithError) in
      try view.mutualFollowers(of: user, and: other, query)
    }
  }
}

extension LiveQuery where Value == Int, Failure == KithError {
  /// The number of users whom both users follow. See `GraphView.mutualFolloweeCount`.
  public static func mutualFolloweeCount(of user: UserID, and other: UserID) -> LiveQuery {
    LiveQuery(of: [.followees(of: user), .followees(of: other)]) { (view) throws(KithError) in
      try view.mutualFolloweeCount(of: user, and: other)
    }
  }
}

extension LiveQuery where Value == Page<Suggestion>, Failure == KithError {
  /// Follow recommendations. See `GraphView.suggestions`. Runs again after every follow of any user.
  public static func suggestions(
    for user: UserID, _ query: SuggestionQuery = SuggestionQuery()
  ) -> LiveQuery {
    LiveQuery(asking: { (view) throws(KithError) in
      let page = try view.suggestions(for: user, query)
      let shown = page.flatMap { [$0.user] + $0.mutuals }
      return (page, [.anyFollow] + blocks(user) + shown.map { .user($0.id) })
    })
  }
}

extension LiveQuery where Value == ShortestPath, Failure == KithError {
  /// A shortest path from one user to another. See `GraphView.shortestPath`. Runs again after every follow of any user.
  public static func shortestPath(
    from user: UserID, to target: UserID, _ query: PathQuery = PathQuery()
  ) -> LiveQuery {
    LiveQuery(of: [.anyFollow]) { (view) throws(KithError) in try view.shortestPath(from: user, to: target, query) }
  }
}

extension LiveQuery where Value == Page<Post>, Failure == KithError {
  /// The posts of a user's followees and of their followees. See `GraphView.twoHopTimeline`. Runs again after every
  /// follow of any user, and whenever a post is added or removed.
  public static func twoHopTimeline(
    of user: UserID, _ query: TimelineQuery = TimelineQuery(), followLimit: Int = SocialGraph.Limits.followCount
  ) -> LiveQuery {
    posts([.anyPost, .anyFollow] + QueryDependency.hidden(fromTimelinesOf: user)) { (view) throws(KithError) in
      try view.twoHopTimeline(of: user, query, followLimit: followLimit)
    }
  }
}
