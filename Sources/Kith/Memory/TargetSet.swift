import CHints

/// The targets of one source, for somebody who asks of many rows in turn whether they are among them.
///
/// There is no branch that the processor could guess wrongly, so that questions which follow one another overlap
/// (`kith_lower_bound`). Of a long list it is noted once where its runs begin.
/// - Complexity: made in O(runs); asked in O(log targets).
@safe struct TargetSet: ~Copyable {
  @unsafe private struct Run {
    let base: UnsafePointer<UInt64>
    let count: Int
  }

  // Safety: both have `count` elements, and the runs lie in a graph that nobody changes while the set is lent.
  private let firsts: UnsafePointer<UInt64>
  private let runs: UnsafePointer<Run>
  private let count: Int

  /// Lends the targets of a source for as long as `body` runs.
  static func lend<R>(
    targetsOf source: UInt32, in relation: borrowing Relation, _ body: (borrowing TargetSet) -> R
  ) -> R {
    let capacity = relation.forward.runCount(of: Int(source))
    return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: capacity) { firsts in
      unsafe withUnsafeTemporaryAllocation(of: Run.self, capacity: capacity) { runs in
        guard let firstOfAll = firsts.baseAddress, let firstRun = runs.baseAddress else {
          preconditionFailure("a list has a run")
        }
        var count = 0
        relation.forward.forEachRun(of: Int(source)) { targets in
          unsafe targets.withUnsafeBufferPointer { elements in
            guard let base = elements.baseAddress else { return }
            // The first run is made to begin before all: whatever stands before it is looked for there.
            unsafe firsts[count] = unsafe count == 0 ? 0 : base[0]
            unsafe runs[count] = unsafe Run(base: base, count: elements.count)
            count += 1
          }
        }
        return body(unsafe TargetSet(firsts: firstOfAll, runs: firstRun, count: count))
      }
    }
  }

  private init(firsts: UnsafePointer<UInt64>, runs: UnsafePointer<Run>, count: Int) {
    unsafe self.firsts = unsafe firsts
    unsafe self.runs = unsafe runs
    self.count = count
  }

  @inline(__always)
  func contains(_ target: UInt32) -> Bool {
    assert(target < .max)
    if count == 0 { return false }
    // The last run that does not begin behind the target; the first begins before all.
    let run = unsafe runs[kith_lower_bound(firsts, count, (UInt64(target) + 1) << 32) - 1]
    let place = unsafe kith_lower_bound(run.base, run.count, UInt64(target) << 32)
    return unsafe place < run.count && Relation.target(run.base[place]) == target
  }
}
