/// How far apart two users are.
extension GraphView {
  /// A shortest way from one user to another along follows, in their direction. Blocks play no part: where there is one
  /// nobody follows.
  ///
  /// Errors: `unknownUser`, `invalidRequest` for a negative limit.
  /// - Complexity: O(follows read), at most `followLimit`; both ends are searched from, so two users of a large graph
  ///   mostly meet after a few thousand.
  public func distance(
    from user: UserID, to target: UserID, _ options: DistanceOptions = DistanceOptions()
  ) throws(KithError) -> Distance {
    try checkOpen()
    guard options.maximumHops >= 0, options.followLimit >= 0 else {
      throw .invalidRequest(reason: "hops and follows to read cannot be negative")
    }
    let (source, end) = (try state.userRow(user), try state.userRow(target))
    let outcome = PathSearch.run(
      from: source, to: end, in: state, maximumHops: options.maximumHops, followLimit: options.followLimit)
    switch outcome {
    case .path(let rows): return .path(rows.map { state.userID($0) })
    case .none: return .unreachable
    case .gaveUp: return .gaveUp
    }
  }
}
