import Foundation

@testable import Kith

/// An open store and its graph: what `SocialGraph` does with them, without its lock.
final class CrashSession<D: Disk> {
  static var directoryPath: String { "/store" }
  /// Small, so that tiny stores reach the steps of preallocation.
  static var growthLimit: Int { 2_048 }

  let mode: SocialGraph.Durability
  let report: RecoveryReport
  private let store: Store<D>
  private var state: GraphState
  /// The changes of the open batch, and the state before it.
  private var batch: [Change]?
  private var before = GraphState()
  private let meanwhile = Meanwhile()

  /// - Parameter second: the clock's constant time.
  init(_ disk: D, mode: SocialGraph.Durability = .synced, second: Int64 = 1_700_000_000) throws(KithError) {
    self.mode = mode
    let meanwhile = meanwhile
    var opened = try Store<D>.open(
      Self.directoryPath, mode: mode, disk: disk,
      clock: {
        meanwhile.happen()
        return Timestamp(second * 1_000)
      }, growthLimit: Self.growthLimit)
    store = opened.store
    report = opened.report
    state = opened.state.pin()
  }

  /// The number of the last change in memory.
  var sequence: UInt64 { state.sequence }
  var digest: UInt64 { GraphDigest.of(state) }

  /// Whether changes are refused until a snapshot heals the store.
  var isPoisoned: Bool {
    do throws(KithError) {
      try store.checkWritable()
      return false
    } catch {
      return true
    }
  }

  func draw(_ draw: inout CrashGenerator) -> Change { draw.change(state) }

  // MARK: - Changes

  /// Applies a change in memory; one that a rule forbids changes nothing. Returns whether anything changed.
  func apply(_ change: Change) throws(KithError) -> Bool {
    try store.checkWritable()
    let changed: Bool
    do throws(KithError) {
      changed = try state.apply(change)
    } catch {
      return false
    }
    if !changed { return false }
    if batch == nil { store.enqueue([change]) } else { batch?.append(change) }
    return true
  }

  func commit(_ sequence: UInt64) throws(KithError) { try store.commit(sequence) }

  /// Commits for several callers at once: the first leads, and while it writes, the others arrive and wait.
  ///
  /// - Parameters:
  ///   - sequence: what the first one commits.
  ///   - others: makes changes, and returns what the others commit; not called when the first one need not write.
  /// - Returns: the outcome of each, the first one first.
  func commit(_ sequence: UInt64, others: @escaping () -> [UInt64]) -> [CommitOutcome] {
    var waiting: [WaitingWriter] = []
    meanwhile.plan { [store] in
      for sequence in others() {
        waiting.append(WaitingWriter(sequence, to: store))
        // One after the other, so that they queue in this order.
        while store.waiterCount < waiting.count { Thread.sleep(forTimeInterval: WaitingWriter.lookInterval) }
      }
    }
    let first = CommitOutcome(of: sequence) { () throws(KithError) in try store.commit(sequence) }
    meanwhile.forget()
    return [first] + waiting.map { $0.outcome() }
  }

  func beginBatch() {
    before = state.pin()
    batch = []
  }

  func endBatch() {
    if let batch, !batch.isEmpty { store.enqueue(batch) }
    batch = nil
  }

  func cancelBatch() {
    batch = nil
    state = before.pin()
  }

  // MARK: - Files

  /// Writes a snapshot. `meanwhile` is what other callers do between its version and its writing.
  /// - Returns: the number of its last change.
  func snapshot(_ meanwhile: () throws(KithError) -> Void = {}) throws(KithError) -> UInt64 {
    try store.snapshot { () throws(KithError) -> SocialGraph.Pin in
      store.seal()
      let pin = SocialGraph.Pin(GraphView(state.pin()))
      try meanwhile()
      return pin
    }.sequence
  }

  func close() throws(KithError) { try store.close() }

  // MARK: - Checks

  /// How the graph differs from one built from these changes, or violates its invariants; nil if it does neither.
  /// - Complexity: O(changes + graph), some hundred microseconds.
  func difference(from changes: some Sequence<Change>) -> String? {
    var other = GraphState()
    for change in changes {
      guard (try? other.apply(change)) == true else { return "\(change) did not change the graph it once changed" }
    }
    let sections = (GraphSections.sections(of: state), GraphSections.sections(of: other))
    for (mine, theirs) in zip(sections.0, sections.1) where mine.id != theirs.id || mine.content != theirs.content {
      return "section \(mine.id) is not what the changes make of it"
    }
    return state.checkInvariants().first.map { "\($0.place): \($0.message)" }
  }
}
