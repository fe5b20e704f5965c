/// How much attention reaches every user along follows: the more, and the more regarded, their followers.
///
/// Whoever reads somebody goes on with one of their followees, at random, or, once in a while, with anybody; a score is
/// how likely a reader is found there. Scores of all users add up to 1. They can serve as an order of people who were
/// found otherwise (`sorted`), also in later views of the graph: nothing of the instant is held.
/// Source: L. Page, S. Brin, R. Motwani and T. Winograd, "The PageRank citation ranking", 1999.
public struct PageRank: Sendable {
  /// How it is computed.
  public struct Options: Hashable, Sendable {
    /// How likely a reader follows a followee, rather than beginning anew: 0…1.
    public var damping: Double
    /// It has settled when one round moves no more than this share of all scores.
    public var tolerance: Double
    /// Rounds at most.
    public var maximumRounds: Int

    /// The defaults: 0.85, a millionth, a hundred rounds.
    public init(damping: Double = 0.85, tolerance: Double = 1e-6, maximumRounds: Int = 100) {
      self.damping = damping
      self.tolerance = tolerance
      self.maximumRounds = maximumRounds
    }
  }

  /// The score of every row; 0 where a user was removed.
  public let scores: [Double]
  /// Rounds that were made.
  public let rounds: Int
  /// Whether it settled within them.
  public let isSettled: Bool

  /// The score of a user; 0 for one who is not there, or was not when the scores were made.
  /// - Parameter view: of the same graph, then or later.
  /// - Complexity: O(1).
  public func score(of user: UserID, in view: borrowing GraphView) -> Double {
    guard let row = view.state.users.row(of: user), row < scores.count else { return 0 }
    return scores[Int(row)]
  }

  /// The users of highest score, then lowest id, with their scores; without those removed since.
  /// - Complexity: O(rows + count · log count).
  public func top(_ count: Int, in view: borrowing GraphView) -> [(user: UserID, score: Double)] {
    if count < 1 { return [] }
    var best = BestKeys<WeightedID<Double>>(limit: count)
    for row in scores.indices where scores[row] > 0 {
      if let user = view.user(at: row) { best.push(WeightedID(weight: scores[row], id: user.rawValue)) }
    }
    return best.sorted().map { (UserID($0.id), $0.weight) }
  }

  /// People who were found otherwise in the order of their scores; those that tie stay as they are.
  /// - Complexity: O(users · log users).
  public func sorted(_ users: some Sequence<User>, in view: borrowing GraphView) -> [User] {
    var ranked: [(user: User, score: Double)] = []
    for user in users { ranked.append((user, score(of: user.id, in: view))) }
    return ranked.enumerated().sorted { ($1.element.score, $0.offset) < ($0.element.score, $1.offset) }
      .map(\.element.user)
  }
}

extension Pin {
  /// The PageRank of every user. Errors: `cancelled`, `closed`, `invalidRequest`.
  ///
  /// It is the same for any number of cores: every score is summed by one thread in the order of its followers, and
  /// sums over all users in the order of rows.
  /// - Complexity: O(rounds · (users + follows)), on all cores; 32 bytes a user.
  public func pageRank(
    _ options: PageRank.Options = PageRank.Options(), control: PassControl = PassControl()
  ) throws(KithError) -> PageRank {
    guard (0...1).contains(options.damping), options.tolerance >= 0, options.maximumRounds >= 0 else {
      throw .invalidRequest(reason: "damping is 0 to 1, tolerance and rounds are not negative")
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
  /// One round: what each user passes on, then what each gets.
  /// - Parameter parts: which part of a user's score goes to each followee; 0 for who follows nobody.
  fileprivate func round(
    _ scores: [Double], _ parts: [Double], share: Double, damping: Double
  ) throws(KithError) -> (scores: [Double], moved: Double) {
    let passedOn = try map(0) { _, row in scores[row] * parts[row] }
    // Whoever follows nobody begins anew.
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
