import Synchronization

/// Keeps an observer active until it is cancelled or freed.
///
/// When `cancel` returns, no call is running and none will begin. Called from within a callback, it returns before that
/// callback ends.
public final class ObservationToken: Sendable {
  private let gate = Gate()
  private let mark = ProcessMark()
  private let task: Task<Void, Never>

  /// Admits one call at a time, until it is closed.
  final class Gate: Sendable {
    private let isOpen = Atomic(true)
    private let turn = Mutex(())
    @TaskLocal private static var calling: ObjectIdentifier?

    func call(_ body: () -> Void) {
      turn.withLock { _ in
        if isOpen.load(ordering: .relaxed) { Self.$calling.withValue(ObjectIdentifier(self), operation: body) }
      }
    }

    func close() {
      isOpen.store(false, ordering: .relaxed)
      if Self.calling != ObjectIdentifier(self) { turn.withLock { _ in } }
    }
  }

  init(_ run: @escaping @Sendable (Gate) async -> Void) {
    task = Task(executorPreference: ThreadExecutor.shared) { [gate] in await run(gate) }
  }

  deinit { cancel() }

  /// Ends the observation.
  public func cancel() {
    if !mark.isOwn { return }
    task.cancel()
    gate.close()
  }
}
