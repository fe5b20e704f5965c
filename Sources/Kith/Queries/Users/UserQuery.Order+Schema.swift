/// The orders of user search, with one row each. The protocol takes the word of an order from its case.
extension UserQuery.Order {
  /// The data that ranks are computed from. A change of it can change the order.
  package enum RankSource: Sendable {
    case nothing
    /// Whom the viewer follows.
    case followees
    /// Who follows whom.
    case follows
  }

  /// The facts about an order.
  package struct Schema: Sendable {
    /// The kind of its cursors.
    let cursorKind: CursorContent.Kind
    package var ranksBy = RankSource.nothing
    /// Whether the order requires a viewer.
    package var needsViewer = false
    /// Whether ranks depend on the text. If so, results cannot be narrowed as the text grows.
    package var dependsOnText = false
  }

  package var schema: Schema {
    switch self {
    case .name: Schema(cursorKind: .usersByName)
    case .prefixFirst: Schema(cursorKind: .usersPrefixFirst, dependsOnText: true)
    case .followedFirst: Schema(cursorKind: .usersFollowedFirst, ranksBy: .followees, needsViewer: true)
    case .popular: Schema(cursorKind: .usersPopular, ranksBy: .follows)
    }
  }

  /// Executes the plan of this order.
  func execute(_ plan: UserQueryPlan, _ state: borrowing GraphState, _ budget: inout QueryBudget) throws(KithError)
    -> [FoundName]
  {
    switch self {
    case .name: try plan.byName(state, &budget)
    case .prefixFirst: try plan.prefixFirst(state, &budget)
    case .followedFirst: try plan.followedFirst(state, &budget)
    case .popular: try plan.popular(state, &budget)
    }
  }
}
