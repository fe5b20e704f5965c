import Synchronization

/// An event for an observer of all changes.
@nonexhaustive
public enum ChangeEvent: Hashable, Sendable {
  /// A committed change, complete, with its sequence number, which is one more than the previous one.
  case change(Change, sequence: UInt64)
  /// Changes that are no longer in the buffer, because the observer fell behind or began with an old change.
  /// `SocialGraph.journaledChanges(in:)` reads them from the store's journal.
  case missed(ClosedRange<UInt64>)
}

/// The newest changes in one bounded ring buffer, which all observers read at their own pace.
///
/// Changes are recorded under the graph's writer lock, in the order of their sequence numbers. They become visible when
/// they are as durable as the store's mode promises. Writers do not wait for observers: the oldest changes are dropped.
final class ChangeFeed: Sendable {
  /// The most changes kept, and the most bytes of their texts.
  static let capacity = 4_096
  static let byteLimit = 16 << 20

  private struct State: Sendable {
    /// The slot of a change is its sequence number modulo the capacity.
    var ring: [Change?] = []
    /// The sequence number of the oldest change kept, and of the next one to come.
    var first: UInt64 = 1
    var next: UInt64 = 1
    /// The sequence number of the last visible change.
    var committed: UInt64 = 0
    var textByteCount = 0
    var observerCount = 0
    /// The signals of observers that have read everything.
    var waiting: [AsyncSignal] = []
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

  /// Whether there are observers: a hint that spares writers the mutex. The count in `state` decides.
  private let isObserved = Atomic(false)
  private let state = Mutex(State())

  // MARK: - Writers

  /// Keeps an applied change. Call it under the graph's writer lock.
  func record(_ change: Change, sequence: UInt64) {
    // Also checked here: most changes have no observer, and the collection is a copy.
    guard isObserved.load(ordering: .relaxed) else { return }
    record(CollectionOfOne(change), after: sequence - 1)
  }

  /// Keeps changes that were applied together.
  func record(_ changes: some Sequence<Change>, after sequence: UInt64) {
    ifObserved { state in
      if sequence + 1 != state.next { state.clear(before: sequence + 1) }
      for change in changes { state.append(change) }
    }
  }

  /// Makes changes up to `sequence` visible. Those that were never recorded count as missed.
  func commit(through sequence: UInt64) {
    let waiting = ifObserved { state -> [AsyncSignal] in
      guard sequence > state.committed else { return [] }
      if sequence >= state.next { state.clear(before: sequence + 1) }
      state.committed = sequence
      defer { state.waiting = [] }
      return state.waiting
    }
    for signal in waiting ?? [] { signal.notify() }
  }

  /// The only access to the ring for writers. Observers come and go meanwhile, and the last one frees the ring.
  private func ifObserved<R: Sendable>(_ body: (inout sending State) -> sending R) -> R? {
    guard isObserved.load(ordering: .relaxed) else { return nil }
    return state.withLock { state in state.observerCount > 0 ? body(&state) : nil }
  }

  /// Ends the feed: no more changes follow.
  func finish() {
    let waiting = state.withLock { state -> [AsyncSignal] in
      state.isFinished = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for signal in waiting { signal.notify() }
  }

  // MARK: - Observers

  /// Adds an observer: changes from `sequence` + 1 on are kept. Call it under the graph's writer lock.
  func addObserver(after sequence: UInt64) {
    state.withLock { state in
      state.observerCount += 1
      guard state.observerCount == 1 else { return }
      state.clear(before: sequence + 1)
      state.committed = sequence
      isObserved.store(true, ordering: .relaxed)
    }
  }

  /// Removes an observer. The last one frees the ring.
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
    /// Nothing yet. The signal will be set.
    case nothing
    case finished
  }

  /// The next event of an observer that has read everything before `position`.
  func read(at position: UInt64, telling signal: AsyncSignal) -> Reading {
    state.withLock { state in
      if position <= state.committed {
        if position < state.first { return .event(.missed(position...min(state.first - 1, state.committed))) }
        guard let change = state.ring[Int(position % UInt64(Self.capacity))] else {
          preconditionFailure("a change between the first and the next is kept")
        }
        return .event(.change(change, sequence: position))
      }
      if state.isFinished { return .finished }
      state.waiting.append(signal)
      return .nothing
    }
  }

  /// Stops notifying the signal.
  func forget(_ signal: AsyncSignal) { state.withLock { $0.waiting.removeAll { $0 === signal } } }

  /// The number of observers, and of those that wait.
  var observerCounts: (all: Int, waiting: Int) { state.withLock { ($0.observerCount, $0.waiting.count) } }
}

extension Change {
  /// The bytes of text beside the fixed size.
  fileprivate var textByteCount: Int {
    switch self {
    case .addPost(_, _, let text, _, let edges, let fields):
      text.utf8.count + edges.count * MemoryLayout<PostEdge>.stride + (fields.payload?.count ?? 0)
    case .editPost(_, let text, let fields): (text?.utf8.count ?? 0) + (fields.payload?.count ?? 0)
    case .addUser(_, let name, let fields): name.utf8.count + (fields.payload?.count ?? 0)
    case .editUser(_, let fields): fields.payload?.count ?? 0
    case .renameUser(_, let name): name.utf8.count
    default: 0
    }
  }
}
