import Dispatch
import Synchronization

/// Many who wait for one disk: the first to come leads and flushes, the others wait to be told.
///
/// What they brought meanwhile goes into the leader's successor's flush as one, so that the batch forms during the
/// running sync: no timer, no thread of its own. A leader serves whoever its flush made safe and hands the lead to the
/// first it did not, so nobody flushes twice for others' sake.
final class GroupCommit: Sendable {
  private enum Verdict: Sendable { case waiting, committed, failed(KithError), leads }

  private final class Waiter: Sendable {
    let sequence: UInt64
    let verdict = Mutex(Verdict.waiting)
    let semaphore = DispatchSemaphore(value: 0)

    init(_ sequence: UInt64) { self.sequence = sequence }

    func tell(_ verdict: Verdict) {
      self.verdict.withLock { $0 = verdict }
      semaphore.signal()
    }
  }

  private struct State: Sendable {
    var committed: UInt64
    var isLed = false
    var waiters: [Waiter] = []
  }

  private enum Turn { case isCommitted, leads, waits(Waiter) }

  private let state: Mutex<State>

  init(committed: UInt64) { state = Mutex(State(committed: committed)) }

  /// Returns when everything up to `sequence` is safe.
  ///
  /// Errors: `indeterminate`, with its cause, when the flush that should have made it safe failed.
  /// - Parameter flush: makes all that has formed safe and says up to where; one at a time.
  func commit(_ sequence: UInt64, flush: () throws(KithError) -> UInt64) throws(KithError) {
    let turn = state.withLock { state -> Turn in
      if state.committed >= sequence { return .isCommitted }
      if state.isLed {
        let waiter = Waiter(sequence)
        state.waiters.append(waiter)
        return .waits(waiter)
      }
      state.isLed = true
      return .leads
    }
    switch turn {
    case .isCommitted: return
    case .leads: try lead(sequence, flush)
    case .waits(let waiter):
      waiter.semaphore.wait()
      switch waiter.verdict.withLock({ $0 }) {
      case .committed: return
      case .leads: try lead(sequence, flush)
      case .failed(let error): throw .indeterminate(sequence: sequence, cause: error)
      case .waiting: preconditionFailure("who waits is told before it is woken")
      }
    }
  }

  private func lead(_ sequence: UInt64, _ flush: () throws(KithError) -> UInt64) throws(KithError) {
    do throws(KithError) {
      let committed = try flush()
      handOver { $0.committed = max($0.committed, committed) }
    } catch {
      let failed = state.withLock { state in
        defer { state.waiters = [] }
        state.isLed = false
        return state.waiters
      }
      for waiter in failed { waiter.tell(.failed(error)) }
      throw .indeterminate(sequence: sequence, cause: error)
    }
  }

  /// Serves those who are safe now, and lets the first of the others lead.
  private func handOver(_ update: (inout State) -> Void) {
    let (served, next) = state.withLock { state -> ([Waiter], Waiter?) in
      update(&state)
      let served = state.waiters.filter { $0.sequence <= state.committed }
      state.waiters.removeAll { $0.sequence <= state.committed }
      let next = state.waiters.isEmpty ? nil : state.waiters.removeFirst()
      state.isLed = next != nil
      return (served, next)
    }
    next?.tell(.leads)
    for waiter in served { waiter.tell(.committed) }
  }
}
