import CSupport

/// The targets of one source, for testing the membership of many rows.
///
/// Branchless (`kith_lower_bound`): without mispredictions, consecutive tests overlap. The starts of a long list's runs
/// are collected once.
/// - Complexity: created in O(runs); a test takes O(log targets).
@safe struct TargetSet: ~Copyable {
  @unsafe private struct Run {
    let base: UnsafePointer<UInt64>
    let count: Int
  }

  // Safety: both have `count` elements, and the runs lie in a graph that is not changed while the set is lent.
  private let firsts: UnsafePointer<UInt64>
  private let runs: UnsafePointer<Run>
  private let count: Int

  /// Lends the targets of a source while `body` runs.
  static func lend<R>(
    targetsOf source: UInt32, in relation: borrowing Relation, _ body: (borrowing TargetSet) -> R
  ) -> R {
    if relation.form == .compact { return lendDecoded(targetsOf: source, in: relation, body) }
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
            // The first run gets the lowest possible start: anything below it is searched there.
            unsafe firsts[count] = unsafe count == 0 ? 0 : base[0]
            unsafe runs[count] = unsafe Run(base: base, count: elements.count)
            count += 1
          }
        }
        return body(unsafe TargetSet(firsts: firstOfAll, runs: firstRun, count: count))
      }
    }
  }

  /// Lends the targets of a compact list as one run.
  private static func lendDecoded<R>(
    targetsOf source: UInt32, in relation: borrowing Relation, _ body: (borrowing TargetSet) -> R
  ) -> R {
    let count = relation.targetCount(source)
    return unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: count + 1) { targets in
      guard let base = targets.baseAddress else { preconditionFailure("an allocation has an address") }
      unsafe relation.forward.copyAll(of: Int(source), to: base)
      return unsafe withUnsafePointer(to: Run(base: UnsafePointer(base), count: count)) { run in
        unsafe withUnsafePointer(to: UInt64(0)) { first in
          body(unsafe TargetSet(firsts: first, runs: run, count: 1))
        }
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
    // The last run that does not begin after the target. The first run begins before any target.
    let run = unsafe runs[kith_lower_bound(firsts, count, (UInt64(target) + 1) << 32) - 1]
    let place = unsafe kith_lower_bound(run.base, run.count, UInt64(target) << 32)
    return unsafe place < run.count && Relation.target(run.base[place]) == target
  }
}
