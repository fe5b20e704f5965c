/// PageRank over follows: a user's score grows with the number and the scores of the user's followers.
///
/// The model is a random walk. From a user it moves to a random followee or, with a small probability, to any user. A
/// score is the probability that the walk is at the user; the scores of all users add up to 1. Scores can rank users
/// that were found otherwise (`sorted`), also in later views of the graph: the snapshot is not retained. Source: L.
/// Page, S. Brin, R. Motwani and T. Winograd, "The PageRank citation ranking", 1999.
public struct PageRank: Sendable {
  /// The parameters of the computation.
  public struct Options: Hashable, Sendable {
    /// The probability that the walk moves to a followee rather than to any user: 0…1.
    public var damping: Double
    /// The computation has converged when one round changes at most this share of all scores.
    public var tolerance: Double
    /// The most rounds, up to 1,000,000.
    public var maximumRounds: Int

    /// The defaults: a damping of 0.85, a tolerance of a millionth, a hundred rounds.
    public init(damping: Double = 0.85, tolerance: Double = 1e-6, maximumRounds: Int = 100) {
      self.damping = damping
      self.tolerance = tolerance
      self.maximumRounds = maximumRounds
    }
  }

  /// The score of every row; 0 for a removed user.
  public let scores: [Double]
  /// The number of rounds made.
  public let rounds: Int
  /// Whether the scores converged within them.
  public let isSettled: Bool

  /// The score of a user; 0 for one who does not exist, or did not when the scores were computed.
  /// - Parameters:
  ///   - user: any id.
  ///   - view: of the same graph, at that time or later.
  /// - Complexity: O(1).
  public func score(of user: UserID, in view: borrowing GraphView) -> Double {
    guard let row = view.state.users.row(of: user), row < scores.count else { return 0 }
    return scores[Int(row)]
  }

  /// The users with the highest scores, then the lowest ids, with their scores. Users removed since are omitted.
  /// - Complexity: O(rows + count · log count).
  public func top(_ count: Int, in view: borrowing GraphView) -> [(user: UserID, score: Double)] {
    if count < 1 { return [] }
    var best = TopK<WeightedID<Double>>(limit: count)
    for row in scores.indices where scores[row] > 0 {
      if let user = view.user(at: row) { best.push(WeightedID(weight: scores[row], id: user.rawValue)) }
    }
    return best.sorted().map { (UserID($0.id), $0.weight) }
  }

  /// Sorts given users by score, descending. Stable for equal scores.
  /// - Complexity: O(users · log users).
  public func sorted(_ users: some Sequence<User>, in view: borrowing GraphView) -> [User] {
    var ranked: [(user: User, score: Double)] = []
    for user in users { ranked.append((user, score(of: user.id, in: view))) }
    return ranked.enumerated().sorted { ($1.element.score, $0.offset) < ($0.element.score, $1.offset) }
      .map(\.element.user)
  }
}

extension SocialGraph.Pin {
  /// Computes the PageRank of every user.
  ///
  /// Results do not depend on the number of cores: every score is summed by one thread in the order of its followers,
  /// and sums over all users in the order of rows.
  /// - Throws: `KithError.cancelled`, `closed`, `invalidRequest` if a parameter is out of range.
  /// - Complexity: O(rounds · (users + follows)), on all cores; 32 bytes per user.
  public func pageRank(
    _ options: PageRank.Options = PageRank.Options(), control: PassControl = PassControl()
  ) throws(KithError) -> PageRank {
    guard (0...1).contains(options.damping), options.tolerance >= 0,
      (0...SocialGraph.Limits.roundCount).contains(options.maximumRounds)
    else {
      throw .invalidRequest(
        .pageRank(damping: options.damping, tolerance: options.tolerance, maximumRounds: options.maximumRounds))
    }
    let pass = GraphPass(self, control: control, rounds: 4 * options.maximumRounds + 2)
    let share = view.counts.users == 0 ? 0 : 1 / Double(view.counts.users)
    let parts = try pass.map(0) { view, row in
      let count = view.followeeCount(at: row)
      return count == 0 ? 0 : 1 / Double(count)
    }
    var scores = try pass.map(0) { view, row in view.user(at: row) == nil ? 0 : share }
    var rounds = 0
    var isSettled = options.maximumRounds == 0
    while rounds < options.maximumRounds && !isSettled {
      let next = try pass.round(scores, parts, share: share, damping: options.damping)
      rounds += 1
      isSettled = next.moved <= options.tolerance
      scores = next.scores
    }
    control.finish()
    return PageRank(scores: scores, rounds: rounds, isSettled: isSettled)
  }
}

extension GraphPass {
  /// One round: what each user passes on, then what each user receives.
  /// - Parameter parts: the part of a user's score that each followee receives; 0 for a user without followees.
  fileprivate func round(
    _ scores: [Double], _ parts: [Double], share: Double, damping: Double
  ) throws(KithError) -> (scores: [Double], moved: Double) {
    let passedOn = try map(0) { _, row in scores[row] * parts[row] }
    // From a user without followees, the walk moves to any user.
    let lost = try reduce(0) { sum, _, row in
      if parts[row] == 0 { sum += scores[row] }
    } merge: {
      $0 += $1
    }
    let base = share * (1 - damping + damping * lost)
    let next = try map(0) { view, row in
      scores[row] == 0 ? 0 : base + damping * Self.sum(of: passedOn.span, overFollowersOf: row, view)
    }
    let moved = try reduce(0) { sum, _, row in
      sum += abs(next[row] - scores[row])
    } merge: {
      $0 += $1
    }
    return (next, moved)
  }

  @inline(__always)
  private static func sum(
    of values: Span<Double>, overFollowersOf row: Int, _ view: borrowing GraphView
  ) -> Double {
    var sum = 0.0
    view.forEachFollowers(at: row) { followers in
      for index in followers.indices { sum += values[Int(followers[index])] }
    }
    return sum
  }
}
