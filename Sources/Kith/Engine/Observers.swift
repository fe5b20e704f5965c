import Synchronization

/// The observers of one graph: its change feed and its subscriptions. Created with the first observer.
final class Observers: Sendable {
  let feed = ChangeFeed()
  let subscriptions = SubscriptionIndex()
  /// The process whose observers they are: in a child they are gone, and notifying or leaving them does nothing.
  let mark = ProcessMark()
  private let count = Atomic(0)

  /// Whether there are observers. An observer is counted before it first reads the graph.
  @inline(__always)
  var areThere: Bool { count.load(ordering: .relaxed) > 0 }

  /// The number of observers.
  var total: Int { count.load(ordering: .relaxed) }

  func add() { count.wrappingAdd(1, ordering: .relaxed) }
  func remove() { count.wrappingSubtract(1, ordering: .relaxed) }
}

/// A change that was applied, with the observers to notify once it is durable.
struct PendingNotification {
  let made: AppliedChange
  let observers: Observers
}
