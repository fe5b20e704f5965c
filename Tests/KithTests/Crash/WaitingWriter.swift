import Foundation
import Synchronization

@testable import Kith

/// The outcome of a caller's commit.
struct CommitOutcome: Sendable {
  let sequence: UInt64
  /// Nil when its change was acknowledged.
  let failure: KithError?

  init(of sequence: UInt64, _ commit: () throws(KithError) -> Void) {
    self.sequence = sequence
    do throws(KithError) {
      try commit()
      failure = nil
    } catch {
      failure = error
    }
  }

  /// What is wrong with the outcomes of callers who committed ascending numbers to one journal; nil if nothing.
  ///
  /// A journal holds no change after one that it may have lost, and each outcome is right for its own change.
  static func objection(to outcomes: [CommitOutcome]) -> String? {
    var failed: UInt64?
    for outcome in outcomes {
      switch outcome.failure {
      case nil:
        if let failed { return "change \(outcome.sequence) was called safe, change \(failed) before it was not" }
      case .indeterminate(outcome.sequence, _): failed = outcome.sequence
      case let error?: return "the caller of change \(outcome.sequence) got: \(error.description)"
      }
    }
    return nil
  }
}

/// A caller on a thread of its own that commits and waits.
final class WaitingWriter: Sendable {
  /// Seconds between two polls of the number of waiters.
  static let lookInterval = 1e-5

  typealias Commit = @Sendable (UInt64) throws(KithError) -> Void

  private let commit: Mutex<Commit?>
  private let result = Mutex<CommitOutcome?>(nil)
  private let end = DispatchSemaphore(value: 0)

  init(_ sequence: UInt64, commit: @escaping Commit) {
    self.commit = Mutex(commit)
    Thread.detachNewThread { [self] in
      run(sequence)
      // It has released the store now, which can be opened again at once.
      end.signal()
    }
  }

  private func run(_ sequence: UInt64) {
    let commit = commit.withLock { commit in
      defer { commit = nil }
      return commit
    }
    let outcome = CommitOutcome(of: sequence) { () throws(KithError) in try commit?(sequence) }
    result.withLock { $0 = outcome }
  }

  convenience init<D: Disk>(_ sequence: UInt64, to store: Store<D>) {
    self.init(sequence) { (sequence) throws(KithError) in try store.commit(sequence) }
  }

  /// Waits for its outcome.
  func outcome() -> CommitOutcome {
    end.wait()
    guard let outcome = result.withLock({ $0 }) else { preconditionFailure("set before the end") }
    return outcome
  }
}

/// Something that happens once, when a store reads its clock for the time of a write.
final class Meanwhile: @unchecked Sendable {
  // Safety: one thread runs a session, and sets, calls and resets it. A store's other threads, which lead after it,
  // find it reset.
  private let lock = NSLock()
  private var body: (() -> Void)?

  func plan(_ body: @escaping () -> Void) { lock.withLock { self.body = body } }
  func forget() { lock.withLock { body = nil } }

  func happen() {
    let planned = lock.withLock {
      defer { body = nil }
      return body
    }
    planned?()
  }
}
