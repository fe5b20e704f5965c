import Dispatch

/// The threads of a graph's async calls: a task suspends, and no thread of the cooperative pool waits for a lock or a
/// disk.
///
/// Changes take two queues: one applies, the other waits for the disk. So the changes that are applied during a sync
/// share the next one.
///
/// The child of a fork has none of these threads: there the calling thread does the work, as in the synchronous forms,
/// which refuse the parent's files before they wait.
final class AsyncWork: Sendable {
  /// The process that has the threads: the one that made the first graph.
  private static let owner = SystemDisk().processID
  private let applying = DispatchQueue(label: "kith.apply", qos: .userInitiated)
  private let committing = DispatchQueue(label: "kith.commit", qos: .userInitiated)

  init() { _ = Self.owner }

  /// Applies a change or a batch, then waits until it is durable.
  /// - Throws: `cancelled` if the task is cancelled before the change is handed over.
  func change<Applied: Sendable, R: Sendable>(
    _ apply: @escaping @Sendable () throws(KithError) -> Applied,
    finishing finish: @escaping @Sendable (Applied) throws(KithError) -> R
  ) async throws(KithError) -> R {
    try Self.checkCancellation()
    if Self.lacksThreads { return try finish(try apply()) }
    let outcome: Result<R, KithError> = await withCheckedContinuation { continuation in
      applying.async {
        do throws(KithError) {
          let applied = try apply()
          self.committing.async {
            continuation.resume(returning: Result { () throws(KithError) in try finish(applied) })
          }
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try outcome.get()
  }

  /// Runs blocking work on a thread of its own.
  static func run<R: Sendable>(_ body: @escaping @Sendable () throws(KithError) -> R) async throws(KithError) -> R {
    if lacksThreads { return try body() }
    return try await WorkQueue("kith.work").run(body)
  }

  private static var lacksThreads: Bool { SystemDisk().processID != owner }

  /// - Throws: `cancelled` if the current task is cancelled.
  static func checkCancellation() throws(KithError) { if Task.isCancelled { throw .cancelled } }
}
