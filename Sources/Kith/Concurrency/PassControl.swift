import Synchronization

/// Reports the progress of a pass over the graph, or of its verification, and cancels it, from any thread.
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
  private static let rowsPerQuestion = 1 << 16

  private let isStopped = Atomic<Bool>(false)
  private let doneRows = Atomic<Int>(0)
  private let plannedRows = Atomic<Int>(0)
  let taskLimit: Int?
  /// Asked now and then by a verification whether no caller waits for it any more.
  private let isAbandoned: (@Sendable () -> Bool)?

  /// - Parameter taskLimit: the most cores that the pass may use; nil for all.
  public init(taskLimit: Int? = nil) {
    precondition(taskLimit.map { $0 > 0 } ?? true, "a pass needs a core at least")
    self.taskLimit = taskLimit
    isAbandoned = nil
  }

  /// - Parameter isAbandoned: called by the thread that verifies, several times a second: whether to cancel.
  package init(isAbandoned: @escaping @Sendable () -> Bool) {
    taskLimit = nil
    self.isAbandoned = isAbandoned
  }

  /// Cancels the work, which throws `cancelled`: a pass within about a millisecond.
  public func cancel() { isStopped.store(true, ordering: .relaxed) }

  /// Whether the pass was cancelled.
  public var isCancelled: Bool { isStopped.load(ordering: .relaxed) }

  /// The completed fraction, from 0 to 1. A computation that ends before all of its rounds jumps to 1.
  public var fraction: Double {
    let planned = plannedRows.load(ordering: .relaxed)
    return planned == 0 ? 0 : min(1, Double(doneRows.load(ordering: .relaxed)) / Double(planned))
  }

  /// Adds rows that a pass is going to visit.
  func plan(rows: Int) { plannedRows.add(rows, ordering: .relaxed) }

  func note(rows: Int) { doneRows.add(rows, ordering: .relaxed) }

  /// Notes rows that a verification has visited. Returns whether it goes on.
  func visit(rows: Int = 1) -> Bool {
    let (before, after) = doneRows.add(rows, ordering: .relaxed)
    if let isAbandoned, before / Self.rowsPerQuestion != after / Self.rowsPerQuestion, isAbandoned() { cancel() }
    return !isCancelled
  }

  /// Marks everything planned as done.
  func finish() { doneRows.store(plannedRows.load(ordering: .relaxed), ordering: .relaxed) }
}
