/// Live lists of the users at the ends of edges.
extension LiveQuery where Value == Page<User>, Failure == KithError {
  /// Who follows a user. See `GraphView.followers`.
  public static func followers(of user: UserID, _ query: ListQuery = ListQuery()) -> LiveQuery {
    LiveQuery(RelationListQuery(kind: .follow, side: .sources, user: user, query: query))
  }

  /// Whom a user follows. See `GraphView.followees`.
  public static func followees(of user: UserID, _ query: ListQuery = ListQuery()) -> LiveQuery {
    LiveQuery(RelationListQuery(kind: .follow, side: .targets, user: user, query: query))
  }

  /// Whom a user blocks. See `GraphView.blocked`.
  public static func blocked(by user: UserID, _ query: ListQuery = ListQuery()) -> LiveQuery {
    LiveQuery(RelationListQuery(kind: .block, side: .targets, user: user, query: query))
  }

  /// Whom a user mutes. See `GraphView.muted`.
  public static func muted(by user: UserID, _ query: ListQuery = ListQuery()) -> LiveQuery {
    LiveQuery(RelationListQuery(kind: .mute, side: .targets, user: user, query: query))
  }
}
