import Dispatch
import Synchronization

/// Arrays of zeros of one length, of which the next is made ahead by another thread: the first write to each of its
/// pages takes the system two microseconds, and the change that needs the array should not take these.
final class ReadyZeros: Sendable {
  private static let queue = DispatchQueue(label: "kith.arrays", qos: .utility)

  private let count: Int
  private let next = Mutex<[UInt64]?>(nil)

  init(count: Int) { self.count = count }

  /// An array of zeros.
  /// - Parameter preparesNext: whether another will soon be needed, which takes the memory for it.
  func take(preparesNext: Bool) -> [UInt64] {
    let ready = next.withLock { next in
      defer { next = nil }
      return next
    }
    if preparesNext {
      Self.queue.async {
        let zeros = [UInt64](repeating: 0, count: self.count)
        self.next.withLock { $0 = zeros }
      }
    }
    return ready ?? [UInt64](repeating: 0, count: count)
  }
}
