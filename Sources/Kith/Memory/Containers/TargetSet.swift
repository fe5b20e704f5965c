import CSupport

/// The targets of one source, for testing the membership of many rows.
///
/// Branchless (`kith_lower_bound`): without mispredictions, consecutive tests overlap. The starts of a long list's runs
/// are collected once.
/// - Complexity: created in O(runs), of a compact list in O(targets / 16); a test takes O(log targets).
@safe struct TargetSet: ~Copyable {
  /// The number of rows that are tested at once.
  static var laneCount: Int { kith_lane_count }

  /// The targets of a piece of a compact list: at most two to this power.
  private static let pieceShift = 4

  // Safety: they have `count` elements, runs or pieces according to the form of the list, and these lie in a graph that
  // is not changed while the set is lent.
  private let firsts: UnsafePointer<UInt64>
  private let runs: UnsafePointer<kith_plain_run>?
  private let pieces: UnsafePointer<kith_packed_run>?
  private let count: Int

  /// Lends the targets of a source while `body` runs.
  static func lend<R>(
    targetsOf source: UInt32, in relation: borrowing Adjacency, _ body: (borrowing TargetSet) -> R
  ) -> R {
    if relation.form == .compact { return lendPieces(targetsOf: source, in: relation, body) }
    let capacity = relation.forward.runCount(of: Int(source))
    return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: capacity) { firsts in
      unsafe withUnsafeTemporaryAllocation(of: kith_plain_run.self, capacity: capacity) { runs in
        guard let firstOfAll = firsts.baseAddress, let firstRun = runs.baseAddress else {
          preconditionFailure("a list has a run")
        }
        var count = 0
        relation.forward.forEachRun(of: Int(source)) { targets in
          unsafe targets.withUnsafeBufferPointer { elements in
            guard let base = elements.baseAddress, elements.count > 0 else { return }
            // The first run gets the lowest possible start: anything below it is searched there.
            unsafe firsts[count] = unsafe count == 0 ? 0 : base[0]
            unsafe runs[count] = unsafe kith_plain_run(start: base, count: elements.count)
            count += 1
          }
        }
        return body(unsafe TargetSet(firsts: firstOfAll, runs: firstRun, pieces: nil, count: count))
      }
    }
  }

  /// Lends the targets of a compact list, in pieces whose first targets are decoded; the rest is read in place.
  private static func lendPieces<R>(
    targetsOf source: UInt32, in relation: borrowing Adjacency, _ body: (borrowing TargetSet) -> R
  ) -> R {
    let runCount = relation.forward.compactRunCount(of: Int(source))
    let pieceLength = 1 << pieceShift
    let capacity = relation.targetCount(source) / pieceLength + runCount
    return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: capacity) { firsts in
      unsafe withUnsafeTemporaryAllocation(of: kith_packed_run.self, capacity: capacity) { pieces in
        guard let firstOfAll = firsts.baseAddress, let firstPiece = pieces.baseAddress else {
          preconditionFailure("a list has a run")
        }
        var count = 0
        for index in 0..<runCount {
          let run = relation.forward.compactRun(index, of: Int(source))
          for start in stride(from: 0, to: run.count, by: pieceLength) {
            // As in `lend`.
            unsafe firsts[count] = count == 0 ? 0 : run[start]
            let length = min(pieceLength, run.count - start)
            unsafe pieces[count] = run.page.packedRun(run.start + start, count: length)
            count += 1
          }
        }
        return body(unsafe TargetSet(firsts: firstOfAll, runs: nil, pieces: firstPiece, count: count))
      }
    }
  }

  private init(
    firsts: UnsafePointer<UInt64>, runs: UnsafePointer<kith_plain_run>?, pieces: UnsafePointer<kith_packed_run>?,
    count: Int
  ) {
    unsafe self.firsts = unsafe firsts
    unsafe self.runs = unsafe runs
    unsafe self.pieces = unsafe pieces
    self.count = count
  }

  @inline(__always)
  func contains(_ target: UInt32) -> Bool {
    assert(target < .max)
    if count == 0 { return false }
    // The last run that does not begin after the target. The first run begins before any target.
    let index = unsafe kith_lower_bound(firsts, count, (UInt64(target) + 1) << 32) - 1
    guard let runs = unsafe runs else {
      // Safety: without runs there are pieces, none of which is empty.
      return unsafe kith_packed_contains(pieces.unsafelyUnwrapped + index, target) != 0
    }
    let run = unsafe runs[index]
    let place = unsafe kith_lower_bound(run.start, run.count, UInt64(target) << 32)
    return unsafe place < run.count && Adjacency.target(run.start[place]) == target
  }

  /// Which of eight rows are targets: bit n for row n. Half the time of as many tests.
  @inline(__always)
  func members(among rows: Span<UInt32>) -> UInt32 {
    precondition(rows.count == Self.laneCount)
    if count == 0 { return 0 }
    // Safety: it reads as many numbers as the lanes, which are there, and the runs or pieces, none of which is empty.
    return unsafe rows.withUnsafeBufferPointer { rows in
      if let runs = unsafe runs { return unsafe kith_members(firsts, runs, count, rows.baseAddress) }
      return unsafe kith_packed_members(firsts, pieces, count, Int32(Self.pieceShift), rows.baseAddress)
    }
  }
}
