import Synchronization

/// Things that take long to make and serve one thread at a time.
final class Pool<Item: Sendable>: Sendable {
  private let idle = Mutex<[Item]>([])

  /// Lends an item, made when none is idle.
  func lend<R, Failure: Error>(
    making make: () throws(Failure) -> Item, _ body: (Item) throws(Failure) -> R
  ) throws(Failure) -> R {
    let item: Item
    if let waiting = idle.withLock({ $0.popLast() }) { item = waiting } else { item = try make() }
    defer { idle.withLock { $0.append(item) } }
    return try body(item)
  }
}
