/// Mutual follows, suggestions, shortest paths, and two-hop timelines, live.
extension LiveQuery where Value == Page<User>, Failure == KithError {
  /// The users whom both users follow. See `GraphView.mutualFollowees`.
  public static func mutualFollowees(
    of user: UserID, and other: UserID, _ query: MutualQuery = MutualQuery()
  ) -> LiveQuery {
    LiveQuery(MutualUsers(side: .followees, user: user, other: other, query: query))
  }

  /// The users who follow both users. See `GraphView.mutualFollowers`.
  public static func mutualFollowers(
    of user: UserID, and other: UserID, _ query: MutualQuery = MutualQuery()
  ) -> LiveQuery {
    LiveQuery(MutualUsers(side: .followers, user: user, other: other, query: query))
  }

  /// The followers of a user whom a viewer follows. See `GraphView.familiarFollowers`.
  public static func familiarFollowers(
    of user: UserID, as viewer: UserID, _ query: MutualQuery = MutualQuery()
  ) -> LiveQuery {
    LiveQuery(MutualUsers(side: .familiar, user: user, other: viewer, query: query))
  }
}

extension LiveQuery where Value == Int, Failure == KithError {
  /// The number of users whom both users follow. See `GraphView.mutualFolloweeCount`.
  public static func mutualFolloweeCount(of user: UserID, and other: UserID) -> LiveQuery {
    LiveQuery(MutualFolloweeCount(user: user, other: other))
  }
}

extension LiveQuery where Value == Page<Suggestion>, Failure == KithError {
  /// Follow recommendations. See `GraphView.suggestions`. Runs again after every follow of any user.
  public static func suggestions(
    for user: UserID, _ query: SuggestionQuery = SuggestionQuery()
  ) -> LiveQuery {
    LiveQuery(SuggestedUsers(user: user, query: query))
  }
}

extension LiveQuery where Value == ShortestPath, Failure == KithError {
  /// A shortest path from one user to another. See `GraphView.shortestPath`. Runs again after every follow of any user.
  public static func shortestPath(
    from user: UserID, to target: UserID, _ query: PathQuery = PathQuery()
  ) -> LiveQuery {
    LiveQuery(PathBetweenUsers(user: user, target: target, query: query))
  }
}

extension LiveQuery where Value == Page<Post>, Failure == KithError {
  /// The posts of a user's followees and of their followees. See `GraphView.twoHopTimeline`. Runs again after every
  /// follow of any user, and whenever a post is added or removed.
  public static func twoHopTimeline(
    of user: UserID, _ query: TimelineQuery = TimelineQuery(), followLimit: Int = SocialGraph.Limits.followCount
  ) -> LiveQuery {
    LiveQuery(TimelinePosts(user: user, query: query, scope: .twoHops(followLimit: followLimit)))
  }
}
