/// The threads of a graph's async calls: a task suspends, and no thread of the cooperative pool waits for a lock or a
/// disk.
///
/// Changes take two queues: one applies, the other waits for the disk. So the changes that are applied during a sync
/// share the next one.
///
/// The calling thread does the work where the system gives no other, and in the child of a fork, whose tasks lack
/// threads to go on: as in the synchronous forms, which refuse the parent's files before they wait.
final class AsyncWork: Sendable {
  /// The process that has the threads: the one that made the first graph.
  private static let owner = ProcessMark()
  private let applying = WorkQueue()
  private let committing = WorkQueue()

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
      applying.post {
        do throws(KithError) {
          let applied = try apply()
          self.committing.post {
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
    return try await WorkQueue().run(body)
  }

  /// The outcome of blocking work on a thread of its own.
  static func outcome<R: Sendable>(
    _ body: @escaping @Sendable () throws(KithError) -> R
  ) async -> Result<R, KithError> {
    do throws(KithError) { return .success(try await run(body)) } catch { return .failure(error) }
  }

  private static var lacksThreads: Bool { !owner.isOwn }

  /// - Throws: `cancelled` if the current task is cancelled.
  static func checkCancellation() throws(KithError) { if Task.isCancelled { throw .cancelled } }
}
