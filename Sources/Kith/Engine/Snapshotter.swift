import Dispatch
import Synchronization

/// Decides when a store's next snapshot is due, and writes it in the background.
final class Snapshotter: Sendable {
  private struct State: Sendable {
    /// The sequence number of the last change in a snapshot.
    var saved: UInt64
    var isRunning = false
    var isTimed = false
    var isRecovering = false
  }

  /// The longest delay between two recovery attempts, in seconds.
  private static let maximumRecoveryDelay = Duration.seconds(300)

  /// How often the free space of a full disk is checked.
  private static let spaceCheckInterval = Duration.seconds(1)

  private let options: SocialGraph.Options
  private let state: Mutex<State>
  private let turn: SnapshotTurn

  init(_ options: SocialGraph.Options, turn: SnapshotTurn, sequence: UInt64) {
    self.options = options
    self.turn = turn
    state = Mutex(State(saved: sequence))
  }

  /// Called after a commit: begins a snapshot if one is due.
  func note(_ graph: SocialGraph, sequence: UInt64) {
    let (isDue, starts) = state.withLock { state -> (Bool, Bool) in
      if state.isRunning || sequence <= state.saved { return (false, false) }
      let isDue =
        options.snapshotAfterChangeCount.map { sequence - state.saved >= UInt64($0) } ?? false
        || (options.snapshotAfterByteCount.map { graph.journaledByteCount >= $0 } ?? false)
      if isDue { state.isRunning = true }
      let starts = !isDue && !state.isTimed && options.snapshotAfter != nil
      if starts { state.isTimed = true }
      return (isDue, starts)
    }
    // Without a thread, the next commit tries again.
    if isDue, !Threads.run(isBackground: true, { [weak graph] in graph.map(self.run) }) {
      state.withLock { $0.isRunning = false }
    }
    if starts, let delay = options.snapshotAfter {
      Threads.post(afterMilliseconds: delay.wholeMilliseconds) { [weak graph] in
        let isDue = self.state.withLock { state in
          state.isTimed = false
          defer { state.isRunning = true }
          return !state.isRunning
        }
        if isDue { graph.map(self.run) }
      }
    }
  }

  /// Called after the journal failed: tries to recover by a snapshot after a delay, which doubles with each attempt,
  /// until it succeeds or the graph is freed.
  func noteFailure(of graph: SocialGraph) {
    guard let delay = options.healAfter else { return }
    let isFirst = state.withLock { state in
      defer { state.isRecovering = true }
      return !state.isRecovering
    }
    if isFirst { recover(graph, after: delay) }
  }

  /// Tries after a delay; sooner when a disk that was full has enough free space.
  private func recover(_ graph: SocialGraph, after delay: Duration) {
    wait(delay, space: graph.store.map { FreeDiskSpace(of: $0) }, of: graph) { [weak graph] in
      guard let graph else { return }
      if graph.isJournalBroken { _ = try? graph.snapshot() }
      if graph.isJournalBroken && !graph.isClosed {
        self.recover(graph, after: min(max(.seconds(1), delay * 2), Self.maximumRecoveryDelay))
      } else {
        self.state.withLock { $0.isRecovering = false }
      }
    }
  }

  /// Calls `body` after a time, or once the disk has enough free space.
  private func wait(
    _ time: Duration, space: FreeDiskSpace?, of graph: SocialGraph, _ body: @escaping @Sendable () -> Void
  ) {
    let step = space?.wasLow == true ? min(time, Self.spaceCheckInterval) : time
    Threads.post(afterMilliseconds: step.wholeMilliseconds) { [weak graph] in
      guard step < time, let graph, let space, graph.isJournalBroken, !graph.isClosed, !space.isEnough else {
        return body()
      }
      self.wait(time - step, space: space, of: graph, body)
    }
  }

  /// Records a snapshot, whether automatic or requested.
  func noteSnapshot(sequence: UInt64) { state.withLock { $0.saved = max($0.saved, sequence) } }

  private func run(_ graph: SocialGraph) {
    let began = DispatchTime.now()
    // A failure is reported as an event and loses nothing: the journal holds every change, and the next commit tries
    // again.
    _ = try? graph.snapshot(coreCount: options.snapshotCoreCount ?? max(1, SystemDisk.coreCount - 1)) {
      [options, turn] progress in
      guard let bytesPerSecond = options.snapshotBytesPerSecond, case .writing(let byteCount) = progress else { return }
      turn.wait(until: began + Double(byteCount) / Double(max(1, bytesPerSecond)))
    }
    state.withLock { $0.isRunning = false }
  }
}
