import Synchronization

/// When each pin that is held was taken. It takes 16 bytes for each that was ever held at one time.
final class PinRegistry: Sendable {
  private struct Slot: Sendable {
    /// When the pin was taken; 0 for a free slot.
    var start: UInt64
    /// Of a free slot: the next one; -1 for none.
    var nextFree: Int
  }

  private struct State: Sendable {
    var slots: [Slot] = []
    var firstFree = -1
  }

  private let state = Mutex(State())
  private let mark = ProcessMark()

  /// Enters a pin. Returns its slot. The child of a fork counts none.
  func add() -> Int {
    if !mark.isOwn { return 0 }
    let now = max(1, MonotonicClock.nanoseconds())
    return state.withLock { state in
      let slot = state.firstFree
      if slot >= 0 {
        state.firstFree = state.slots[slot].nextFree
        state.slots[slot].start = now
        return slot
      }
      state.slots.append(Slot(start: now, nextFree: -1))
      return state.slots.count - 1
    }
  }

  /// Removes the pin of a slot. The child of a fork only forgets it.
  func remove(_ slot: Int) {
    if !mark.isOwn { return }
    state.withLock { state in
      state.slots[slot] = Slot(start: 0, nextFree: state.firstFree)
      state.firstFree = slot
    }
  }

  /// The pins that are held.
  /// - Complexity: O(most pins held at one time).
  func read() -> SocialGraph.Statistics.Pins {
    let starts = state.withLock { $0.slots.map(\.start) }.filter { $0 > 0 }
    let oldest = starts.min().map { Int(clamping: MonotonicClock.nanoseconds(since: $0)) }
    return .init(count: starts.count, oldestNanoseconds: oldest)
  }
}
