/// A shortest path from one user to another along follows.
struct PathBetweenUsers: Query {
  let user: UserID
  let target: UserID
  let query: PathQuery
  var operation: GraphOperation { .shortestPath }

  func run(_ state: borrowing GraphState) throws(KithError) -> ShortestPath {
    guard query.maximumHops >= 0, query.followLimit >= 0 else {
      throw .invalidRequest(.path(maximumHops: query.maximumHops, followLimit: query.followLimit))
    }
    let (source, end) = (try state.userRow(user), try state.userRow(target))
    let outcome = PathSearch.run(
      from: source, to: end, in: state, maximumHops: query.maximumHops, followLimit: query.followLimit)
    switch outcome {
    case .path(let rows): return .path(rows.map { state.userID($0) })
    case .none: return .unreachable
    case .gaveUp: return .gaveUp
    }
  }

  func dependencies(of path: ShortestPath) -> [QueryDependency] { [.anyFollow] }
}
