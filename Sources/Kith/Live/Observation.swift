import Synchronization

/// What keeps an observer going: until it is cancelled, or nobody holds it.
///
/// When `cancel` returns, no call is under way and none will begin; only from within a call it returns before that
/// call.
public final class Observation: Sendable {
  private let gate = Gate()
  private let task: Task<Void, Never>

  /// Lets calls through, one at a time, until it is closed.
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
    task = Task { [gate] in await run(gate) }
  }

  deinit { cancel() }

  /// Ends it.
  public func cancel() {
    task.cancel()
    gate.close()
  }
}
