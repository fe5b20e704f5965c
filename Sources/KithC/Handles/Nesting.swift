import CKith
import CSupport
import Synchronization

/// What is held while a callback of the host runs, so that some calls wait until it has returned.
enum Held: Equatable, Sendable {
  /// The lock of a graph, by the body of a batch.
  case lock(ObjectIdentifier)
  /// The writing of a graph's snapshots, by the progress callback of one.
  case snapshots(ObjectIdentifier)
  /// A gate, by the callback for an event of a store.
  case events(ObjectIdentifier)
  /// A gate, by the callback of an observer.
  case notification(ObjectIdentifier)

  /// Why a call on the thread of the callback does not wait for it.
  fileprivate var reason: String {
    switch self {
    case .lock: "inside the body of a batch, use the handle that it is given"
    case .snapshots: "inside the progress callback of a snapshot, the graph writes no other one"
    case .events, .notification: "inside a callback, a call does not wait for its end"
    }
  }
}

/// The calls of the host that are nested: callbacks that run, and calls made inside them.
///
/// A call inside a callback that would wait for that callback, directly or because of what other threads wait for, is
/// refused. Only calls inside callbacks are recorded: a thread in no callback holds nothing that another waits for
/// until the host says so.
enum Nesting {
  private struct Step: Sendable {
    let thread: UInt
    /// What a callback holds; nil for a call.
    var held: Held?
    /// What a call may wait for.
    var awaited: [Held] = []
  }

  /// In the order of their beginnings. The last one of a thread is what it does now.
  private static let steps = Mutex<[Step]>([])

  /// Runs a callback of the host.
  static func callback<R>(holding held: Held, _ body: () -> R) -> R {
    let thread = kith_thread()
    steps.withLock { $0.append(Step(thread: thread, held: held)) }
    kith_callback_begin()
    defer {
      kith_callback_end()
      removeLast(of: thread)
    }
    return body()
  }

  /// Records a call, if it is made inside a callback. If the result is true, `endCall` follows.
  /// - Parameters:
  ///   - awaited: what the call may wait for.
  ///   - ending: the same, of a call that does not wait for it inside the callback that holds it.
  /// - Throws: `Failure.invalid` if the call would never return.
  @inline(__always)
  static func beginCall(_ awaited: @autoclosure () -> [Held], ending: @autoclosure () -> [Held] = []) throws -> Bool {
    if kith_callbacks() == 0 || kith_callback_depth() == 0 { return false }
    try begin(awaited(), ending())
    return true
  }

  @inline(never)
  private static func begin(_ awaited: [Held], _ ending: [Held]) throws {
    let thread = kith_thread()
    let reason: String? = steps.withLock { steps in
      if let own = steps.lazy.compactMap({ $0.thread == thread ? $0.held : nil }).first(where: awaited.contains) {
        return own.reason
      }
      let own = steps.compactMap { $0.thread == thread ? $0.held : nil }
      let waits = awaited + ending.filter { !own.contains($0) }
      if isCircle(steps, from: thread, waits) {
        return "another callback waits for this one to return, so this call would never end"
      }
      steps.append(Step(thread: thread, awaited: waits))
      return nil
    }
    if let reason { throw Failure.invalid(reason) }
  }

  /// Ends a call that was recorded.
  @inline(never)
  static func endCall() { removeLast(of: kith_thread()) }

  /// Refuses a call that waits for what may never happen, where others wait for the calling thread: inside the body of
  /// a batch, or the callback of an observer.
  static func checkMayWait() throws {
    if kith_callback_depth() == 0 { return }
    let thread = kith_thread()
    let isHolding = steps.withLock { steps in
      steps.contains { step in
        switch step.held {
        case .lock, .notification: step.thread == thread
        default: false
        }
      }
    }
    if isHolding { throw Failure.invalid("the body of a batch and the callback of an observer do not wait: poll") }
  }

  /// Whether a thread that waits would wait for itself.
  private static func isCircle(_ steps: [Step], from thread: UInt, _ waits: [Held]) -> Bool {
    var (pending, visited) = (waits, Set<UInt>())
    while let held = pending.popLast() {
      for holder in steps where holder.held == held {
        if holder.thread == thread { return true }
        guard visited.insert(holder.thread).inserted else { continue }
        if let last = steps.last(where: { $0.thread == holder.thread }) { pending += last.awaited }
      }
    }
    return false
  }

  private static func removeLast(of thread: UInt) {
    steps.withLock { steps in
      if let index = steps.lastIndex(where: { $0.thread == thread }) { steps.remove(at: index) }
    }
  }
}
