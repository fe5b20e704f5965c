extension SocialGraph {
  /// All changes from one on, in order, without a gap: each is given, or named as missed.
  ///
  /// An observer sees a change when it is as safe as the store promised its writer (`Options.durability`): for a synced
  /// store, when it is on the disk; in memory, when it is made. Observers read at their own pace from one buffer of the
  /// newest 4,096 changes and 16 MiB of text; a writer never waits for them. Whoever falls behind, or begins with a
  /// change of long ago, is told the range that is missing, which `journaledChanges(in:)` reads:
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
  /// It ends with its task, or when the graph is closed.
  /// - Parameter sequence: the number of the first change; nil for the next one.
  /// - Complexity: a change O(1). Memory: the buffer, for all observers together.
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

/// The changes of a graph as they are committed: what `SocialGraph.changes(from:)` gives. Every iterator begins anew.
public struct Changes: AsyncSequence, Sendable {
  fileprivate let subscription: ChangeSubscription
  fileprivate let from: UInt64

  /// Begins at the first change asked for.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: subscription, position: from) }

  /// Gives one event after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: ChangeSubscription
    /// The number of the change that comes next.
    fileprivate var position: UInt64
    private let waker = Waker()

    fileprivate init(subscription: ChangeSubscription, position: UInt64) {
      self.subscription = subscription
      self.position = position
    }

    /// The next event; nil when the task is cancelled, or the graph is closed and everything was given.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> ChangeEvent? {
      let feed = subscription.observers.feed
      while !Task.isCancelled {
        switch feed.read(at: position, telling: waker) {
        case .finished: return nil
        case .nothing: await waker.wait(isolation: actor)
        case .event(let event):
          switch event {
          case .change(_, let sequence): position = sequence + 1
          case .missed(let range): position = range.upperBound + 1
          }
          return event
        }
      }
      feed.forget(waker)
      return nil
    }
  }
}

/// One who observes all changes, for as long as it is held.
private final class ChangeSubscription: Sendable {
  let graph: SocialGraph
  let observers: Observers

  init(graph: SocialGraph, _ observers: Observers) {
    self.graph = graph
    self.observers = observers
  }

  deinit {
    observers.feed.removeObserver()
    observers.remove()
  }
}
