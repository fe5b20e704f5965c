import Dispatch
import Synchronization

/// Group commit: of the writers that wait for the disk, the first is the leader and flushes for all; the others wait
/// for its result.
///
/// Changes that arrive during a flush are written by the next leader in one flush. Batches thus form during the running
/// sync, without a timer or a dedicated thread. A leader completes the writers whose changes its flush made durable,
/// and makes the first of the others the next leader. So no writer flushes twice on behalf of others.
final class GroupCommit: Sendable {
  private enum Outcome: Sendable { case waiting, committed, failed(KithError), leads }

  private final class Waiter: Sendable {
    let sequence: UInt64
    let outcome = Mutex(Outcome.waiting)
    let semaphore = DispatchSemaphore(value: 0)

    init(_ sequence: UInt64) { self.sequence = sequence }

    func notify(_ outcome: Outcome) {
      self.outcome.withLock { $0 = outcome }
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

  /// The number of waiting writers, without the leader.
  var waiterCount: Int { standing.waiterCount }

  /// The last change that was committed here, and the number of waiting writers.
  var standing: (committed: UInt64, waiterCount: Int) { state.withLock { ($0.committed, $0.waiters.count) } }

  /// Returns when everything up to `sequence` is durable.
  /// - Parameter flush: makes everything that has formed durable, and returns up to which number. One call at a time.
  /// - Throws: `indeterminate`, with its cause, if the flush that should have made it durable failed.
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
      switch waiter.outcome.withLock({ $0 }) {
      case .committed: return
      case .leads: try lead(sequence, flush)
      case .failed(let error): throw .indeterminate(sequence: sequence, cause: error)
      case .waiting: preconditionFailure("a waiting writer gets its result before it is woken")
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
      for waiter in failed { waiter.notify(.failed(error)) }
      throw .indeterminate(sequence: sequence, cause: error)
    }
  }

  /// Completes the writers whose changes are durable, and makes the first of the others the leader.
  private func handOver(_ update: (inout State) -> Void) {
    let (served, next) = state.withLock { state -> ([Waiter], Waiter?) in
      update(&state)
      let served = state.waiters.filter { $0.sequence <= state.committed }
      state.waiters.removeAll { $0.sequence <= state.committed }
      let next = state.waiters.isEmpty ? nil : state.waiters.removeFirst()
      state.isLed = next != nil
      return (served, next)
    }
    next?.notify(.leads)
    for waiter in served { waiter.notify(.committed) }
  }
}
