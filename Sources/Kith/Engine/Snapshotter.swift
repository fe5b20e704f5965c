import Dispatch
import Synchronization

/// Decides when a store's next snapshot is due, and has it written in the background.
final class Snapshotter: Sendable {
  private struct State: Sendable {
    /// The last change that a snapshot holds.
    var saved: UInt64
    var isRunning = false
    var isTimed = false
    var isHealing = false
  }

  /// Seconds between two attempts at healing, at most.
  private static let longestHealingDelay = 300

  private let options: Options
  private let state: Mutex<State>
  private static let queue = DispatchQueue(label: "kith.snapshotter", qos: .utility)

  init(_ options: Options, sequence: UInt64) {
    self.options = options
    state = Mutex(State(saved: sequence))
  }

  /// A change was committed: begins a snapshot if one is due.
  func note(_ graph: SocialGraph, sequence: UInt64) {
    let (isDue, starts) = state.withLock { state -> (Bool, Bool) in
      if state.isRunning || sequence <= state.saved { return (false, false) }
      let isDue =
        options.snapshotAfterChangeCount.map { sequence - state.saved >= UInt64($0) } ?? false
        || (options.snapshotAfterByteCount.map { graph.journaledByteCount >= $0 } ?? false)
      if isDue { state.isRunning = true }
      let starts = !isDue && !state.isTimed && options.snapshotAfterSeconds != nil
      if starts { state.isTimed = true }
      return (isDue, starts)
    }
    if isDue { Self.queue.async { [weak graph] in graph.map(self.run) } }
    if starts, let seconds = options.snapshotAfterSeconds {
      Self.queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [weak graph] in
        let isDue = self.state.withLock { state in
          state.isTimed = false
          defer { state.isRunning = true }
          return !state.isRunning
        }
        if isDue { graph.map(self.run) }
      }
    }
  }

  /// The journal failed: tries to heal it by a snapshot, after a while, and again after twice as long, until it is
  /// healed or the graph is gone.
  func noteFailure(of graph: SocialGraph) {
    guard let seconds = options.healAfterSeconds else { return }
    let isFirst = state.withLock { state in
      defer { state.isHealing = true }
      return !state.isHealing
    }
    if isFirst { heal(graph, after: seconds) }
  }

  private func heal(_ graph: SocialGraph, after seconds: Int) {
    Self.queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [weak graph] in
      guard let graph else { return }
      if graph.isJournalBroken { _ = try? graph.snapshot() }
      if graph.isJournalBroken && !graph.isClosed {
        self.heal(graph, after: min(max(1, 2 * seconds), Self.longestHealingDelay))
      } else {
        self.state.withLock { $0.isHealing = false }
      }
    }
  }

  /// A snapshot was written, by whomever.
  func noteSnapshot(sequence: UInt64) { state.withLock { $0.saved = max($0.saved, sequence) } }

  private func run(_ graph: SocialGraph) {
    let pace = options.snapshotBytesPerSecond.map { Pace(bytesPerSecond: $0) }
    // A failure is told as an event and loses nothing: the journal holds every change, and the next commit tries again.
    _ = try? graph.snapshot(coreCount: options.snapshotCoreCount ?? max(1, SystemDisk.coreCount - 1)) { progress in
      if case .writing(let byteCount) = progress { pace?.wait(at: byteCount) }
    }
    state.withLock { $0.isRunning = false }
  }
}

/// Holds work back to a rate.
private struct Pace {
  let bytesPerSecond: Int
  private let began = DispatchTime.now()
  private let never = DispatchSemaphore(value: 0)

  init(bytesPerSecond: Int) { self.bytesPerSecond = max(1, bytesPerSecond) }

  /// Returns when so many bytes may have been written.
  func wait(at byteCount: Int) {
    _ = never.wait(timeout: began + Double(byteCount) / Double(bytesPerSecond))
  }
}

/// Commits for those who suspend instead of blocking: one thread waits for all of them.
enum Committer {
  private static let queue = DispatchQueue(label: "kith.committer", qos: .userInitiated)

  static func commit(_ sequence: UInt64, to store: Store<SystemDisk>) async -> Result<Void, KithError> {
    await withCheckedContinuation { continuation in
      queue.async {
        do throws(KithError) {
          try store.commit(sequence)
          continuation.resume(returning: .success(()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
  }
}
