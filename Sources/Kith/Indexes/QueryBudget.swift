/// The remaining cost budget of a query. One value is passed down from the query to its loops. Each loop takes its next
/// piece of work from the budget, and ends when the budget is exhausted. Only the budget knows why a query ended.
struct QueryBudget {
  /// A limit that was reached.
  enum Limit {
    /// The current plan reached its limit: another plan takes over.
    case plan
    /// Too many names were compared with a pattern, or a regular expression took too long.
    case comparisons
    /// The task was cancelled.
    case cancellation
  }

  /// The most names that one query compares with a pattern: about fifty milliseconds.
  static let maximumComparisonCount = 1_000_000
  /// The steps between two checks for cancellation: about ten microseconds.
  private static let stepsPerCheck = 1_024

  /// The limit that was reached; nil while the query may continue.
  private(set) var reached: Limit?
  private var stepCount = 0
  private var comparisonsLeft = maximumComparisonCount
  private var planLeft = Int.max

  @inline(__always)
  var canContinue: Bool { reached == nil }

  /// Begins a plan with a limit; by default without one.
  mutating func beginPlan(limit: Int = .max) {
    planLeft = limit
    if reached == .plan { reached = nil }
  }

  /// Takes matches, posts or names, in the unit of the plan's limit.
  /// - Returns: false if the limit is exceeded.
  @inline(__always)
  mutating func take(_ count: Int = 1) -> Bool {
    planLeft &-= count
    return planLeft >= 0 || end(by: .plan)
  }

  /// Counts a visited block or name.
  /// - Returns: false if the task was cancelled.
  @inline(__always)
  mutating func takeStep() -> Bool {
    stepCount &+= 1
    return stepCount & (Self.stepsPerCheck - 1) != 0 || !isCancelled()
  }

  /// Counts several visited names.
  /// - Returns: false if the task was cancelled.
  mutating func takeSteps(_ count: Int) -> Bool {
    let before = stepCount
    stepCount &+= count
    return before / Self.stepsPerCheck == stepCount / Self.stepsPerCheck || !isCancelled()
  }

  /// Counts a comparison with a pattern.
  /// - Returns: false if there were too many.
  @inline(__always)
  mutating func takeComparison() -> Bool {
    comparisonsLeft &-= 1
    return comparisonsLeft >= 0 || end(by: .comparisons)
  }

  /// Ends the budget because a regular expression used up its time.
  mutating func endTime() { _ = end(by: .comparisons) }

  /// - Throws: `cancelled`, `budgetExceeded`.
  func check() throws(KithError) {
    switch reached {
    case nil, .plan: return
    case .comparisons: throw .budgetExceeded
    case .cancellation: throw .cancelled
    }
  }

  @inline(never)
  private mutating func isCancelled() -> Bool { Task.isCancelled && !end(by: .cancellation) }

  @inline(never)
  private mutating func end(by limit: Limit) -> Bool {
    reached = limit
    return false
  }
}
