import Synchronization

/// Things that take long to make and serve one thread at a time.
final class Pool<Item: Sendable>: Sendable {
  /// Idle items that are kept at most.
  private static var capacity: Int { 16 }

  private let idle = Mutex<[Item]>([])

  /// Lends an item, made when none is idle.
  func lend<R, Failure: Error>(
    making make: () throws(Failure) -> Item, _ body: (Item) throws(Failure) -> R
  ) throws(Failure) -> R {
    let item: Item
    if let waiting = idle.withLock({ $0.popLast() }) { item = waiting } else { item = try make() }
    defer { idle.withLock { idle in if idle.count < Self.capacity { idle.append(item) } } }
    return try body(item)
  }
}

/// Values that questions use and leave behind for the next: each thread tends to its own of a few stacks, so that
/// readers seldom meet.
final class StripedPool<Item: Sendable>: Sendable {
  /// Idle values that a stripe keeps at most.
  private static var capacity: Int { 8 }

  private let stripes: [Stripe]

  private final class Stripe: Sendable {
    let idle = Mutex<[Item]>([])
  }

  init() { stripes = (0..<StripedLock.stripeCount).map { _ in Stripe() } }

  /// An idle value, if there is one.
  @inline(__always)
  func take() -> Item? { stripes[StripedLock.ownStripe()].idle.withLock { $0.popLast() } }

  /// Leaves a value for the next.
  @inline(__always)
  func put(_ item: Item) {
    stripes[StripedLock.ownStripe()].idle.withLock { idle in if idle.count < Self.capacity { idle.append(item) } }
  }
}
