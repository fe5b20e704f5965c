/// A question to the username index: which names, in which part of the order, how many.
///
/// The order is by a number, descending, then by name: the *front* that the one who asks gives every answer. Where the
/// order is by name alone, it is the same for all.
struct NameSearch {
  let query: NameQuery
  /// The place behind which to begin; nil for the beginning.
  var after: NameKey?
  /// The front of that place; nil where the order is by name alone, so that the walk can begin at the place itself.
  var afterFront: Int?
  /// Only names whose loose key comes before this.
  var below: [UInt8]?
  /// How many answers at most.
  var limit: Int
  /// No answer has a larger front: once so many of this front are found, a walk in order of name can end.
  var ceiling = 0

  /// What becomes of a name that answers the query.
  enum Judgement {
    case take(front: Int)
    case leaveOut
    /// The walk has cost enough: it ends as it stands.
    case stop
  }

  /// How a walk ended.
  enum End: Equatable {
    case complete
    /// By `Judgement.stop`: there may be other answers.
    case stopped
    /// The task that asks was cancelled.
    case cancelled
  }
}

/// What one search works with, from one segment to the next: room that is used again, and a look now and then whether
/// anybody still waits for the answer.
struct SearchWork {
  var candidates = GramPostings.Candidates()
  private var steps = 0
  private(set) var isCancelled = false

  /// Counts a block or a name that was looked at. False when the task was cancelled; it is asked about once in 1,024
  /// steps, some ten microseconds.
  @inline(__always)
  mutating func goesOn() -> Bool {
    steps &+= 1
    return steps & 1_023 != 0 || !cancelled()
  }

  @inline(never)
  private mutating func cancelled() -> Bool {
    isCancelled = Task.isCancelled
    return isCancelled
  }
}
