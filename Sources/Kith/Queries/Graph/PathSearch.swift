/// Finds a shortest path along follows by bidirectional breadth-first search. Each step expands the side whose next
/// level has fewer follows to read.
///
/// A level is read to its end, or to the first user that the other side has visited. Users nearer to either end were
/// visited before. So that user is on the other side's frontier, and no path is shorter. Source: I. Pohl,
/// "Bi-directional search", 1971.
/// - Complexity: O(follows read), which a limit bounds.
struct PathSearch {
  /// The result of a search.
  enum Outcome: Equatable {
    /// Rows from the source to the target.
    case path([UInt32])
    /// There is no path of at most the maximum number of hops.
    case none
    /// The limit of follows was reached before a path was found or ruled out.
    case gaveUp
  }

  /// The users visited from one end, level by level.
  private struct Side {
    let isForward: Bool
    var rows: [UInt32]
    /// For each user, the index in `rows` of the user it was visited from.
    var parents: [UInt32] = [0]
    /// The start of the last level in `rows`.
    var level = 0
    /// The number of follows to read for the next level.
    var cost: Int

    var mark: UInt16 { isForward ? 1 : 2 }

    init(_ row: UInt32, isForward: Bool, _ follows: borrowing Adjacency) {
      self.isForward = isForward
      rows = [row]
      cost = isForward ? follows.targetCount(row) : follows.sourceCount(row)
    }

    /// The rows from an index in `rows` back to the end where this side began.
    func path(from place: Int) -> [UInt32] {
      var path = [rows[place]]
      var place = place
      while place > 0 {
        place = Int(parents[place])
        path.append(rows[place])
      }
      return path
    }
  }

  private var sources: Side
  private var targets: Side
  private var followsLeft: Int

  /// - Parameters:
  ///   - maximumHops: the most follows in the path, 0 or more.
  ///   - followLimit: the most follows to read.
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

  private mutating func run(in follows: borrowing Adjacency, _ marks: VisitCounters, maximumHops: Int) -> Outcome {
    var hops = 0
    while hops < maximumHops && sources.cost > 0 && targets.cost > 0 {
      let isForward = sources.cost <= targets.cost
      let ended =
        isForward
        ? Self.advance(&sources, towards: targets, &followsLeft, follows, marks)
        : Self.advance(&targets, towards: sources, &followsLeft, follows, marks)
      switch ended {
      case .path(let path): return .path(isForward ? path : path.reversed())
      case .gaveUp: return .gaveUp
      case .none: hops += 1
      }
    }
    return .none
  }

  /// Reads one more level. If it meets the other side, returns the path from the advancing side's end to the other end.
  private static func advance(
    _ side: inout Side, towards other: Side, _ followsLeft: inout Int, _ follows: borrowing Adjacency,
    _ marks: VisitCounters
  ) -> Outcome {
    let level = side.level..<side.rows.count
    side.level = level.upperBound
    for place in level {
      let list = Int(side.rows[place])
      let count = side.isForward ? follows.forward.count(of: list) : follows.backward.count(of: list)
      followsLeft -= count
      if followsLeft < 0 { return .gaveUp }
      let sharedRow =
        side.isForward
        ? visitTargets(of: list, at: place, &side, follows, marks)
        : visitSources(of: list, at: place, &side, follows, marks)
      if let sharedRow, let meeting = other.rows.lastIndex(of: sharedRow) {
        return .path(side.path(from: place).reversed() + other.path(from: meeting))
      }
    }
    side.cost = 0
    for place in side.level..<side.rows.count {
      let row = side.rows[place]
      side.cost += side.isForward ? follows.targetCount(row) : follows.sourceCount(row)
    }
    return .none
  }

  /// Visits a user's followees; stops at one that the other side has visited.
  private static func visitTargets(
    of list: Int, at place: Int, _ side: inout Side, _ follows: borrowing Adjacency, _ marks: VisitCounters
  ) -> UInt32? {
    var shared: UInt32?
    follows.forward.visitRuns(
      of: list,
      while: { targets in
        for index in targets.indices {
          let row = Adjacency.target(targets[index])
          if isShared(row, at: place, &side, marks) {
            shared = row
            return false
          }
        }
        return true
      })
    return shared
  }

  /// Visits a user's followers; stops at one that the other side has visited.
  private static func visitSources(
    of list: Int, at place: Int, _ side: inout Side, _ follows: borrowing Adjacency, _ marks: VisitCounters
  ) -> UInt32? {
    var shared: UInt32?
    follows.backward.visitRuns(
      of: list,
      while: { sources in
        for index in sources.indices where isShared(sources[index], at: place, &side, marks) {
          shared = sources[index]
          return false
        }
        return true
      })
    return shared
  }

  /// Whether the other side has visited a user. A user visited by neither side is added to this side.
  @inline(__always)
  private static func isShared(_ row: UInt32, at place: Int, _ side: inout Side, _ marks: VisitCounters) -> Bool {
    let mark = marks[row]
    if mark == 0 {
      marks[row] = side.mark
      side.rows.append(row)
      side.parents.append(UInt32(place))
    }
    return mark != 0 && mark != side.mark
  }
}
