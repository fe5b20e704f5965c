/// Live lists of the users at the ends of edges.
extension LiveQuery where Value == Page<User>, Failure == KithError {
  /// Who follows a user. See `GraphView.followers`.
  public static func followers(of user: UserID, _ query: ListQuery = ListQuery()) -> LiveQuery {
    list(.follow, .sources, of: user, query)
  }

  /// Whom a user follows. See `GraphView.followees`.
  public static func followees(of user: UserID, _ query: ListQuery = ListQuery()) -> LiveQuery {
    list(.follow, .targets, of: user, query)
  }

  /// Whom a user blocks. See `GraphView.blocked`.
  public static func blocked(by user: UserID, _ query: ListQuery = ListQuery()) -> LiveQuery {
    list(.block, .targets, of: user, query)
  }

  /// Whom a user mutes. See `GraphView.muted`.
  public static func muted(by user: UserID, _ query: ListQuery = ListQuery()) -> LiveQuery {
    list(.mute, .targets, of: user, query)
  }

  /// The users at one end of a user's edges. See `GraphView.list`.
  package static func list(
    _ kind: RelationKind, _ side: RelationSide, of user: UserID, _ query: ListQuery
  ) -> LiveQuery {
    let isByName = query.order == .name && kind.schema.hasTime
    let dependencies = [.edges(kind, side, of: user)] + (isByName ? [.anyName] : []) + blocks(query.viewer)
    return people(dependencies) { (view) throws(KithError) in try view.list(kind, side, of: user, query) }
  }
}

/// The edges that results depend on.
extension QueryDependency {
  /// Whom a user follows.
  public static func followees(of user: UserID) -> QueryDependency { edges(.follow, .targets, of: user) }
  /// Who follows a user.
  public static func followers(of user: UserID) -> QueryDependency { edges(.follow, .sources, of: user) }
  /// The posts that a user likes.
  public static func likes(of user: UserID) -> QueryDependency { edges(.like, of: user) }
  /// Whom a user mutes.
  public static func mutes(of user: UserID) -> QueryDependency { edges(.mute, of: user) }
  /// Whom a user blocks, and who blocks them.
  public static func blocks(of user: UserID) -> QueryDependency { edges(.block, of: user) }
}
