import Synchronization

/// Reports how much of the files one piece of work has read, and cancels it, from any thread.
package final class ReadControl: Sendable {
  private let isStopped = Atomic<Bool>(false)
  private let read = Atomic<Int>(0)

  package init() {}

  /// The bytes read so far.
  package var byteCount: Int { read.load(ordering: .relaxed) }

  /// Cancels the work: its next read throws `cancelled`.
  package func cancel() { isStopped.store(true, ordering: .relaxed) }
  package var isCancelled: Bool { isStopped.load(ordering: .relaxed) }

  func note(_ byteCount: Int) throws(KithError) {
    read.add(byteCount, ordering: .relaxed)
    if isCancelled { throw .cancelled }
  }
}
