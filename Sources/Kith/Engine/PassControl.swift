import Synchronization

/// Tells how far a pass over the graph is, and stops it: from any thread, while the pass runs on others.
///
/// ```swift
/// let control = PassControl()
/// let ranks = try await withTaskCancellationHandler {
///   try graph.pin().pageRank(control: control)
/// } onCancel: {
///   control.cancel()
/// }
/// ```
public final class PassControl: Sendable {
  private let isStopped = Atomic<Bool>(false)
  private let doneRows = Atomic<Int>(0)
  private let plannedRows = Atomic<Int>(0)
  let taskLimit: Int?

  /// - Parameter taskLimit: how many cores the pass may use; nil for all.
  public init(taskLimit: Int? = nil) {
    precondition(taskLimit.map { $0 > 0 } ?? true, "a pass needs a core at least")
    self.taskLimit = taskLimit
  }

  /// Stops the pass: it answers `cancelled`, within a millisecond or so.
  public func cancel() { isStopped.store(true, ordering: .relaxed) }

  /// Whether somebody stopped it.
  public var isCancelled: Bool { isStopped.load(ordering: .relaxed) }

  /// How much is done, from 0 to 1. What ends before all of its rounds jumps to 1.
  public var fraction: Double {
    let planned = plannedRows.load(ordering: .relaxed)
    return planned == 0 ? 0 : min(1, Double(doneRows.load(ordering: .relaxed)) / Double(planned))
  }

  /// A pass announces rows that it is going to visit.
  func plan(rows: Int) { plannedRows.add(rows, ordering: .relaxed) }

  func note(rows: Int) { doneRows.add(rows, ordering: .relaxed) }

  /// All that was planned is done.
  func finish() { doneRows.store(plannedRows.load(ordering: .relaxed), ordering: .relaxed) }
}
