import CKith
import CSupport
import Kith
import Synchronization

/// A callback of the host with its context. The host says that both can be used from any thread.
struct Callback<Function>: @unchecked Sendable {
  let function: Function
  let context: UnsafeMutableRawPointer?
}

/// Calls a callback of the host: one call at a time, and none after the gate was closed.
final class Gate: Sendable {
  private let isOpen = Atomic(true)
  private let turn = Turn()
  private let callingThread = Atomic<UInt>(0)
  private let mark = ProcessMark()

  /// Runs the body unless the gate is closed.
  /// - Parameter held: what others wait for until it has ended.
  func call(holding held: Held, _ body: () -> Void) {
    turn.take {
      guard isOpen.load(ordering: .relaxed) else { return }
      callingThread.store(kith_thread(), ordering: .relaxed)
      Nesting.callback(holding: held, body)
      callingThread.store(0, ordering: .relaxed)
    }
  }

  /// Closes the gate, and waits for a call that is running, unless this is called by it.
  func close() {
    if !mark.isOwn { return }
    isOpen.store(false, ordering: .relaxed)
    if callingThread.load(ordering: .relaxed) != kith_thread() { turn.take {} }
  }
}
