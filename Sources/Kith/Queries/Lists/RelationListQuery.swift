/// Lists the users at the other end of a user's edges: followees, followers, blocked or muted users.
///
/// Edges with times are listed newest first or by name, those without by id. Likes are between a user and a post, and
/// have separate queries (`LikersQuery`, `LikesQuery`).
struct RelationListQuery: Query {
  let kind: RelationKind
  let side: RelationSide
  let user: UserID
  let query: ListQuery

  /// A list that there is not, which `run` refuses, is counted with the relations.
  var operation: GraphOperation { GraphOperation(kind, side) ?? .relations }

  func run(_ state: borrowing GraphState) throws(KithError) -> Page<User> {
    try SocialGraph.Limits.check(pageLimit: query.limit)
    let visibility = try Visibility(of: query.viewer, state)
    // A private list is visible to its owner alone, and blocks hide nothing on it.
    let facts = kind.facts
    let own = facts.isPrivate ? try state.userRow(user) : try visibility.row(of: user, state)
    let items = facts.isPrivate ? visibility : try visibility.hidingMuted(query.leavesOutMuted, state)
    let order: RelationOrder = !facts.hasTime ? .id : query.order == .name ? .name : .newest
    guard let cursorKind = CursorContent.Kind(kind, side, order) else {
      throw .invalidRequest(.noSuchList(of: kind.plural))
    }
    let list = RelationList(
      kind: kind, side: side, own: own, visibility: items, cursor: query.cursor,
      page: EdgePage(kind: cursorKind, subject: user.rawValue, limit: query.limit, visibility: items),
      hidesNone: facts.isPrivate, event: kind == .follow ? .followed : .none)
    switch order {
    case .newest: return try list.byTime(isAscending: false, state)
    case .name: return try list.byName(state)
    case .id: return try list.byID(state)
    }
  }

  func dependencies(of page: Page<User>) -> [QueryDependency] {
    let isByName = query.order == .name && kind.facts.hasTime
    return [.edges(kind, side, of: user)] + (isByName ? [.anyName] : []) + QueryDependency.shown(page)
      + QueryDependency.hidden(from: query.viewer, leavesOutMuted: query.leavesOutMuted)
  }
}
