/// A shortest way from one user to another along follows: breadth first from both ends, always on the side whose next
/// level has fewer follows to read.
///
/// A level is read to its end or to the first user whom the other side has met. Whoever is nearer to either end was met
/// before, so that user lies at the edge of the other side, and no way is shorter than the one found.
/// Source: I. Pohl, "Bi-directional search", 1971.
/// - Complexity: O(follows read), which a limit bounds.
struct PathSearch {
  /// How it ended.
  enum Outcome: Equatable {
    /// Rows from the first user to the last.
    case path([UInt32])
    /// There is no way within the hops asked for.
    case none
    /// The limit of follows was reached before that was certain.
    case gaveUp
  }

  /// The users met from one end, level by level.
  private struct Side {
    let isForward: Bool
    var rows: [UInt32]
    /// For each the place in `rows` of the one it was met from.
    var parents: [UInt32] = [0]
    /// Where the last level begins.
    var level = 0
    /// Follows to read for the next one.
    var cost: Int

    var mark: UInt16 { isForward ? 1 : 2 }

    init(_ row: UInt32, isForward: Bool, _ follows: borrowing Relation) {
      self.isForward = isForward
      rows = [row]
      cost = isForward ? follows.targetCount(row) : follows.sourceCount(row)
    }

    /// Rows from a place in `rows` back to the end where this side began.
    func way(from place: Int) -> [UInt32] {
      var way = [rows[place]]
      var place = place
      while place > 0 {
        place = Int(parents[place])
        way.append(rows[place])
      }
      return way
    }
  }

  private var sources: Side
  private var targets: Side
  private var followsLeft: Int

  /// - Parameters:
  ///   - maximumHops: follows of the way at most, 0 or more.
  ///   - followLimit: follows that may be read.
  static func run(
    from source: UInt32, to target: UInt32, in state: borrowing GraphState, maximumHops: Int, followLimit: Int
  ) -> Outcome {
    if source == target { return .path([source]) }
    var search = PathSearch(
      sources: Side(source, isForward: true, state.follows), targets: Side(target, isForward: false, state.follows),
      followsLeft: followLimit)
    return state.marks.lend(rowCount: state.users.rowCount) { marks in
      defer {
        for row in search.sources.rows { marks[row] = 0 }
        for row in search.targets.rows { marks[row] = 0 }
      }
      marks[source] = search.sources.mark
      marks[target] = search.targets.mark
      return search.run(in: state.follows, marks, maximumHops: maximumHops)
    }
  }

  private mutating func run(in follows: borrowing Relation, _ marks: RowMarks, maximumHops: Int) -> Outcome {
    var hops = 0
    while hops < maximumHops && sources.cost > 0 && targets.cost > 0 {
      let isForward = sources.cost <= targets.cost
      let ended =
        isForward
        ? Self.advance(&sources, towards: targets, &followsLeft, follows, marks)
        : Self.advance(&targets, towards: sources, &followsLeft, follows, marks)
      switch ended {
      case .path(let way): return .path(isForward ? way : way.reversed())
      case .gaveUp: return .gaveUp
      case .none: hops += 1
      }
    }
    return .none
  }

  /// Reads one more level. A path is given from the end of the advancing side to the other.
  private static func advance(
    _ side: inout Side, towards other: Side, _ followsLeft: inout Int, _ follows: borrowing Relation, _ marks: RowMarks
  ) -> Outcome {
    let level = side.level..<side.rows.count
    side.level = level.upperBound
    for place in level {
      let list = Int(side.rows[place])
      let count = side.isForward ? follows.forward.count(of: list) : follows.backward.count(of: list)
      followsLeft -= count
      if followsLeft < 0 { return .gaveUp }
      let met =
        side.isForward
        ? meetTargets(of: list, at: place, &side, follows, marks)
        : meetSources(of: list, at: place, &side, follows, marks)
      if let met, let meeting = other.rows.lastIndex(of: met) {
        return .path(side.way(from: place).reversed() + other.way(from: meeting))
      }
    }
    side.cost = 0
    for place in side.level..<side.rows.count {
      let row = side.rows[place]
      side.cost += side.isForward ? follows.targetCount(row) : follows.sourceCount(row)
    }
    return .none
  }

  /// Notes whom a user follows; stops at one whom the other side has met.
  private static func meetTargets(
    of list: Int, at place: Int, _ side: inout Side, _ follows: borrowing Relation, _ marks: RowMarks
  ) -> UInt32? {
    for run in 0..<follows.forward.runCount(of: list) {
      let targets = follows.forward.run(run, of: list)
      for index in targets.indices {
        let row = Relation.target(targets[index])
        if isOther(row, at: place, &side, marks) { return row }
      }
    }
    return nil
  }

  /// Notes who follows a user; stops at one whom the other side has met.
  private static func meetSources(
    of list: Int, at place: Int, _ side: inout Side, _ follows: borrowing Relation, _ marks: RowMarks
  ) -> UInt32? {
    for run in 0..<follows.backward.runCount(of: list) {
      let sources = follows.backward.run(run, of: list)
      for index in sources.indices where isOther(sources[index], at: place, &side, marks) { return sources[index] }
    }
    return nil
  }

  /// Whether the other side has met a user; one whom nobody has met joins this side.
  @inline(__always)
  private static func isOther(_ row: UInt32, at place: Int, _ side: inout Side, _ marks: RowMarks) -> Bool {
    let mark = marks[row]
    if mark == 0 {
      marks[row] = side.mark
      side.rows.append(row)
      side.parents.append(UInt32(place))
    }
    return mark != 0 && mark != side.mark
  }
}
