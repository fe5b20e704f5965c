/// One user by id.
struct UserByID: Query {
  let id: UserID
  let viewer: UserID?
  var includesBlocked = false
  var operation: GraphOperation { .user }

  func run(_ state: borrowing GraphState) throws(KithError) -> User {
    let visibility = try Visibility(of: viewer, includesBlocked: includesBlocked, state)
    let row = CollectionOfOne(try visibility.row(of: id, state))
    return User(UserRecords(row.span, viewer: visibility.viewer, state) { $0 }, 0)
  }

  func dependencies(of user: User) -> [QueryDependency] { [.user(id)] + QueryDependency.hidden(from: viewer) }
}

/// Many users by id; nil for an unknown or hidden user.
struct UsersByID: Query {
  let ids: [UserID]
  let viewer: UserID?
  var includesBlocked = false
  var operation: GraphOperation { .user }

  func run(_ state: borrowing GraphState) throws(KithError) -> [User?] {
    try SocialGraph.Limits.check(idCount: ids.count)
    let visibility = try Visibility(of: viewer, includesBlocked: includesBlocked, state)
    let found = FoundRows(ids) { id in
      guard let row = state.users.row(of: id), !visibility.hides(row, state) else { return nil }
      return row
    }
    let records = UserRecords(found.rows.span, viewer: visibility.viewer, state) { $0 }
    return User.list(found, records)
  }

  func dependencies(of users: [User?]) -> [QueryDependency] {
    ids.map { .user($0) } + QueryDependency.hidden(from: viewer)
  }
}

/// Whether the first user follows the second.
struct FollowExists: Query {
  let user: UserID
  let target: UserID
  var operation: GraphOperation { .isFollowing }

  // Inlined, because a call costs more than the lookup of an id.
  @inline(__always)
  func run(_ state: borrowing GraphState) throws(KithError) -> Bool {
    state.follows.contains(try state.userRow(user), try state.userRow(target))
  }

  func dependencies(of isFollowing: Bool) -> [QueryDependency] { [.followees(of: user)] }
}

/// The follows, blocks and mutes between a user and others.
struct RelationsQuery: Query {
  let user: UserID
  let targets: [UserID]
  var operation: GraphOperation { .relations }

  func run(_ state: borrowing GraphState) throws(KithError) -> [User.Relations] {
    try SocialGraph.Limits.check(idCount: targets.count)
    let own = try state.userRow(user)
    var relations: [User.Relations] = []
    relations.reserveCapacity(targets.count)
    for target in targets {
      let other = try state.userRow(target)
      relations.append(
        User.Relations(
          isFollowing: state.follows.contains(own, other), isFollowedBy: state.follows.contains(other, own),
          isBlocking: state.blocks.contains(own, other), isBlockedBy: state.blocks.contains(other, own),
          isMuting: state.mutes.contains(own, other)))
    }
    return relations
  }

  func dependencies(of relations: [User.Relations]) -> [QueryDependency] {
    [.followees(of: user), .followers(of: user), .blocks(of: user), .mutes(of: user)]
  }
}
