@testable import Kith

/// A store that is open, and the graph that it keeps: what `SocialGraph` does with them, without its lock.
final class CrashSession<D: Disk> {
  static var directoryPath: String { "/store" }
  /// Small, so that tiny stores cross the steps of preallocation.
  static var growthLimit: Int { 2_048 }

  let mode: Durability
  let report: RecoveryReport
  private let store: Store<D>
  private var state: GraphState
  /// What a batch has changed so far, and the state before it.
  private var batch: [Change]?
  private var before = GraphState()

  /// - Parameter second: what the clock says, again and again.
  init(_ disk: D, mode: Durability = .synced, second: Int64 = 1_700_000_000) throws(KithError) {
    self.mode = mode
    var opened = try Store<D>.open(
      Self.directoryPath, mode: mode, disk: disk, clock: { Timestamp(second * 1_000) }, growthLimit: Self.growthLimit)
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

  func draw(_ draw: inout CrashDraw) -> Change { draw.change(state) }

  // MARK: - Changes

  /// Makes a change in memory; one that a rule forbids changes nothing. Returns whether anything changed.
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

  /// Writes a snapshot. `meanwhile` is what other callers do between its instant and its writing.
  /// - Returns: the number of its last change.
  func snapshot(_ meanwhile: () throws(KithError) -> Void = {}) throws(KithError) -> UInt64 {
    try store.snapshot { () throws(KithError) -> Pin in
      store.seal()
      let pin = Pin(GraphView(state.pin()))
      try meanwhile()
      return pin
    }.sequence
  }

  func close() throws(KithError) { try store.close() }

  // MARK: - Looking

  /// How the graph differs from one that is made of these changes, or from itself; nil if not at all.
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
