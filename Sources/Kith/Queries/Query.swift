/// A query: its parameters as a value, executed over one state of the graph.
///
/// A query holds no result and no part of the state, so it can be built anywhere and run over any snapshot.
protocol Query: Sendable {
  /// The type of the result.
  associatedtype Output: Equatable & Sendable

  /// What statistics count it as.
  var operation: GraphOperation { get }

  /// Executes the query.
  /// - Throws: the errors documented at the method of `GraphView` that builds the query.
  func run(_ state: borrowing GraphState) throws(KithError) -> Output

  /// What a result depends on: a change that touches none of it does not alter the result.
  func dependencies(of result: Output) -> [QueryDependency]
}

extension SocialGraph.Limits {
  /// Checks that a page limit is in range.
  /// - Throws: `invalidRequest`.
  static func check(pageLimit limit: Int) throws(KithError) {
    guard (1...pageCount).contains(limit) else {
      throw .invalidRequest(.limit(limit))
    }
  }

  /// Checks that a query has not too many ids.
  /// - Throws: `invalidRequest`.
  static func check(idCount count: Int) throws(KithError) {
    if count > idCount { throw .invalidRequest(.idCount(count)) }
  }
}
