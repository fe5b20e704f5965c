import Synchronization

/// What an observer of all changes is told.
public enum ChangeEvent: Hashable, Sendable {
  /// A change, with its number: complete, committed, and one more than the number before.
  case change(Change, sequence: UInt64)
  /// The observer was slower than the buffer is long, or began with a change that was not in it any more: these are
  /// missed. `SocialGraph.journaledChanges(in:)` reads them from the store's journal.
  case missed(ClosedRange<UInt64>)
}

/// The newest changes, for observers to read at their own pace: one ring for all of them, of bounded length.
///
/// Changes are recorded under the graph's writer lock, in the order of their numbers, and become visible when they are
/// as safe as the store's mode promises. Whoever is too slow finds the oldest gone; nobody waits for them.
final class ChangeFeed: Sendable {
  /// Changes kept at most, and bytes of their texts.
  static let capacity = 4_096
  static let byteLimit = 16 << 20

  private struct State: Sendable {
    /// A change stands where its number, less what does not fit, says.
    var ring: [Change?] = []
    /// The number of the oldest that is kept, and of the one that comes next.
    var first: UInt64 = 1
    var next: UInt64 = 1
    /// The last that may be seen.
    var committed: UInt64 = 0
    var textByteCount = 0
    var observerCount = 0
    /// Who has seen all there is.
    var waiting: [Waker] = []
    var isFinished = false

    mutating func clear(before sequence: UInt64) {
      ring = Array(repeating: nil, count: ChangeFeed.capacity)
      first = sequence
      next = sequence
      textByteCount = 0
    }

    mutating func append(_ change: Change) {
      if next - first == UInt64(ChangeFeed.capacity) { dropFirst() }
      ring[Int(next % UInt64(ChangeFeed.capacity))] = change
      textByteCount += change.textByteCount
      next += 1
      while textByteCount > ChangeFeed.byteLimit { dropFirst() }
    }

    private mutating func dropFirst() {
      let place = Int(first % UInt64(ChangeFeed.capacity))
      textByteCount -= ring[place]?.textByteCount ?? 0
      ring[place] = nil
      first += 1
    }
  }

  /// Whether anybody observes.
  private let isObserved = Atomic(false)
  private let state = Mutex(State())

  // MARK: - Writers

  /// Keeps a change that was applied. Called under the graph's writer lock.
  func record(_ change: Change, sequence: UInt64) {
    // Here as well: most are not observed, and the collection is a copy.
    guard isObserved.load(ordering: .relaxed) else { return }
    record(CollectionOfOne(change), after: sequence - 1)
  }

  /// Keeps changes that were applied together.
  func record(_ changes: some Sequence<Change>, after sequence: UInt64) {
    guard isObserved.load(ordering: .relaxed) else { return }
    state.withLock { state in
      if sequence + 1 != state.next { state.clear(before: sequence + 1) }
      for change in changes { state.append(change) }
    }
  }

  /// Changes up to `sequence` may be seen; those of them that were never recorded are missed.
  func commit(through sequence: UInt64) {
    guard isObserved.load(ordering: .relaxed) else { return }
    let waiting = state.withLock { state -> [Waker] in
      guard sequence > state.committed else { return [] }
      if sequence >= state.next { state.clear(before: sequence + 1) }
      state.committed = sequence
      defer { state.waiting = [] }
      return state.waiting
    }
    for waker in waiting { waker.tell() }
  }

  /// No more will come.
  func finish() {
    let waiting = state.withLock { state -> [Waker] in
      state.isFinished = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for waker in waiting { waker.tell() }
  }

  // MARK: - Observers

  /// One more observes: changes from `sequence` + 1 on are kept. Called under the graph's writer lock.
  func addObserver(after sequence: UInt64) {
    state.withLock { state in
      state.observerCount += 1
      guard state.observerCount == 1 else { return }
      state.clear(before: sequence + 1)
      state.committed = sequence
      isObserved.store(true, ordering: .relaxed)
    }
  }

  /// One observer fewer; the last one takes the memory along.
  func removeObserver() {
    state.withLock { state in
      state.observerCount -= 1
      guard state.observerCount == 0 else { return }
      isObserved.store(false, ordering: .relaxed)
      state.ring = []
      state.first = state.next
    }
  }

  enum Reading {
    case event(ChangeEvent)
    /// Nothing yet: the waker will be told.
    case nothing
    case finished
  }

  /// What an observer that has seen everything before `position` sees next.
  func read(at position: UInt64, telling waker: Waker) -> Reading {
    state.withLock { state in
      if position <= state.committed {
        if position < state.first { return .event(.missed(position...min(state.first - 1, state.committed))) }
        guard let change = state.ring[Int(position % UInt64(Self.capacity))] else {
          preconditionFailure("a change between the first and the next is kept")
        }
        return .event(.change(change, sequence: position))
      }
      if state.isFinished { return .finished }
      state.waiting.append(waker)
      return .nothing
    }
  }

  /// The waker is not told any more.
  func forget(_ waker: Waker) { state.withLock { $0.waiting.removeAll { $0 === waker } } }

  /// How many observe, and how many of them wait.
  var observerCounts: (all: Int, waiting: Int) { state.withLock { ($0.observerCount, $0.waiting.count) } }
}

extension Change {
  /// Bytes that it takes beside its own fixed size.
  fileprivate var textByteCount: Int {
    switch self {
    case .addPost(_, _, let text, _): text.utf8.count
    case .addUser(_, let name), .renameUser(_, let name): name.utf8.count
    default: 0
    }
  }
}
