import Synchronization

/// A pool of objects that are expensive to create and that one thread uses at a time.
final class Pool<Item: Sendable>: Sendable {
  /// The most idle items kept.
  private static var capacity: Int { 16 }

  private let idle = Mutex<[Item]>([])

  /// Lends an item, created if none is idle.
  func lend<R, Failure: Error>(
    making make: () throws(Failure) -> Item, _ body: (Item) throws(Failure) -> R
  ) throws(Failure) -> R {
    let item: Item
    if let waiting = take() { item = waiting } else { item = try make() }
    defer { put(item) }
    return try body(item)
  }

  /// Takes an idle item, if there is one.
  func take() -> Item? { idle.withLock { $0.popLast() } }

  /// Puts an item back for reuse.
  func put(_ item: Item) { idle.withLock { idle in if idle.count < Self.capacity { idle.append(item) } } }
}

/// A pool of values that queries reuse. It consists of a few stacks, selected by thread, so that readers rarely
/// contend.
final class StripedPool<Item: Sendable>: Sendable {
  /// The most idle values per stack.
  private static var capacity: Int { 8 }

  private let stripes: [Stripe]

  private final class Stripe: Sendable {
    let idle = Mutex<[Item]>([])
  }

  init() { stripes = (0..<StripedLock.stripeCount).map { _ in Stripe() } }

  /// Takes an idle value, if there is one.
  @inline(__always)
  func take() -> Item? { stripes[StripedLock.ownStripe()].idle.withLock { $0.popLast() } }

  /// Puts a value back for reuse.
  @inline(__always)
  func put(_ item: Item) {
    stripes[StripedLock.ownStripe()].idle.withLock { idle in if idle.count < Self.capacity { idle.append(item) } }
  }
}
