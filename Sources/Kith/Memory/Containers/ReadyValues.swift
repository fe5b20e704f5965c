import Synchronization

/// Values that are all made the same way, a few of them ahead by another thread.
///
/// The first write to each page of new memory takes the system two microseconds, and the C library's allocator may
/// first sort thousands of blocks that other threads freed. A change that needs such a value should take neither.
final class ReadyValues<Value: Sendable>: Sendable {
  /// How many are kept: where more threads run than there are cores, the one that makes them waits for some.
  private static var stockCount: Int { 4 }

  /// Whether a thread makes some.
  private let isMaking = Atomic(false)
  private let make: @Sendable () -> Value
  private let stock = Mutex<[Value]>([])

  init(_ make: @escaping @Sendable () -> Value) { self.make = make }

  /// A value that no one else has.
  /// - Parameter preparesNext: whether others will soon be needed, which takes the memory for them.
  func take(preparesNext: Bool) -> Value {
    let ready = stock.withLock { $0.popLast() }
    if preparesNext, !isMaking.exchange(true, ordering: .acquiring), !Threads.run(isBackground: true, { self.fill() }) {
      isMaking.store(false, ordering: .releasing)
    }
    return ready ?? make()
  }

  private func fill() {
    while stock.withLock({ $0.count }) < Self.stockCount {
      let value = make()
      stock.withLock { $0.append(value) }
    }
    isMaking.store(false, ordering: .releasing)
  }
}
