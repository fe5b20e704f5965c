extension SocialGraph {
  /// All changes from a sequence number on, in order and without gaps: each is delivered, or reported as missed.
  ///
  /// An observer sees a change when it is as durable as the store promises (`SocialGraph.Options.durability`): when
  /// synced to disk, or in memory when applied. Observers read at their own pace from one buffer of the newest 4,096
  /// changes and 16 MiB of text; writers never wait for them. An observer that falls behind, or begins with an old
  /// change, gets the range that is missing, which `journaledChanges(in:)` reads:
  ///
  /// ```swift
  /// for await event in graph.changes(from: lastSeen + 1) {
  ///   switch event {
  ///   case .change(let change, let sequence): index(change, sequence)
  ///   case .missed(let range): try graph.journaledChanges(in: range) { index($0, $1) }
  ///   }
  /// }
  /// ```
  ///
  /// The sequence ends with its task, or when the graph is closed.
  /// - Parameter sequence: the sequence number of the first change; nil for the next change.
  /// - Complexity: O(1) per change. Memory: one buffer for all observers.
  public func changes(from sequence: UInt64? = nil) -> Changes {
    let observers = anyObservers
    observers.add()
    let newest = withWriterLock { view -> UInt64 in
      observers.feed.addObserver(after: view.sequence)
      return view.sequence
    }
    return Changes(subscription: ChangeSubscription(graph: self, observers), from: max(1, sequence ?? newest + 1))
  }
}

extension SocialGraph {
  /// The committed changes of a graph (`SocialGraph.changes(from:)`). Each iterator begins at the start.
  public struct Changes: AsyncSequence, Sendable {
    fileprivate let subscription: ChangeSubscription
    fileprivate let from: UInt64

    /// Begins at the first requested change.
    public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription, position: from) }

    /// Iterates over change events.
    public struct Iterator: AsyncIteratorProtocol {
      fileprivate let subscription: ChangeSubscription
      /// The sequence number of the next change.
      fileprivate var position: UInt64
      private let signal = AsyncSignal()

      fileprivate init(subscription: ChangeSubscription, position: UInt64) {
        self.subscription = subscription
        self.position = position
      }

      /// The next event; nil when the task is cancelled, or the graph is closed and all events were delivered.
      public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> ChangeEvent? {
        let feed = subscription.observers.feed
        while !Task.isCancelled {
          switch feed.read(at: position, telling: signal) {
          case .finished: return nil
          case .nothing: await signal.wait(isolation: actor)
          case .event(let event):
            position = event.lastSequence + 1
            return event
          }
        }
        feed.forget(signal)
        return nil
      }
    }
  }
}

/// Reads the change feed without a task, for callers that wait in their own way. Not for several threads at a time.
package final class ChangeReader {
  private let subscription: ChangeSubscription
  /// The sequence number of the next change.
  private var position: UInt64
  private let signal: AsyncSignal
  /// Whether the feed will notify the signal.
  private var isWaiting = false
  package private(set) var hasEnded = false

  /// - Parameter signal: notified when there are changes after `next` has returned nil.
  package init(_ graph: SocialGraph, from sequence: UInt64?, telling signal: AsyncSignal) {
    let changes = graph.changes(from: sequence)
    (subscription, position, self.signal) = (changes.subscription, changes.from, signal)
  }

  deinit { if isWaiting, subscription.observers.mark.isOwn { subscription.observers.feed.forget(signal) } }

  /// The next event, if there is one.
  package func next() -> ChangeEvent? {
    let feed = subscription.observers.feed
    if isWaiting { feed.forget(signal) }
    isWaiting = false
    switch feed.read(at: position, telling: signal) {
    case .finished: hasEnded = true
    case .nothing: isWaiting = true
    case .event(let event):
      position = event.lastSequence + 1
      return event
    }
    return nil
  }
}

extension ChangeEvent {
  /// The sequence number of the change, or of the last one that was missed.
  fileprivate var lastSequence: UInt64 {
    switch self {
    case .change(_, let sequence): sequence
    case .missed(let range): range.upperBound
    }
  }
}

/// The subscription of one observer of all changes; it lasts as long as this object.
private final class ChangeSubscription: Sendable {
  let graph: SocialGraph
  let observers: Observers

  init(graph: SocialGraph, _ observers: Observers) {
    self.graph = graph
    self.observers = observers
  }

  deinit {
    if !observers.mark.isOwn { return }
    observers.feed.removeObserver()
    observers.remove()
  }
}
