import CSupport
import Synchronization

/// A mutex without an owner, for the stripes of a `StripedLock`. Locking and unlocking take about three instructions
/// each while no thread waits.
///
/// On Linux the mutex of the standard library holds the thread id of its owner, and each object file caches that id for
/// each thread. The child of a fork keeps what was cached. Locked by the code of one file and unlocked by that of
/// another, such a mutex ends the child. It also hands itself to the thread that waits longest: beside eight readers a
/// writer then makes a hundredth of its changes.
///
/// On Linux a word is 0 (free), 1 (locked) or 2 (locked, and perhaps awaited). After U. Drepper, "Futexes Are Tricky",
/// 2011, section 6. Elsewhere it is the system's unfair lock.
///
/// The word is C's, and zero at first. It lasts longer than this.
@unsafe struct WordMutex {
  private let word: UnsafeMutablePointer<UInt32>

  @inline(__always)
  init(_ word: UnsafeMutablePointer<UInt32>) { unsafe self.word = unsafe word }

  /// Locks the mutex.
  /// - Parameter body: is called before it waits for another thread.
  @inline(__always)
  func lock(beforeWaiting body: () -> Void = {}) {
    #if os(Linux)
      if unsafe word.atomic.pointee.compareExchange(
        expected: 0, desired: 1, successOrdering: .acquiring, failureOrdering: .relaxed
      ).exchanged {
        return
      }
    #endif
    if unsafe kith_word_try(word) { return }
    body()
    unsafe kith_word_lock(word)
  }

  @inline(__always)
  func unlock() {
    #if os(Linux)
      if unsafe word.atomic.pointee.exchange(0, ordering: .releasing) != 2 { return }
    #endif
    unsafe kith_word_unlock(word)
  }
}

extension UnsafeMutablePointer<UInt32> {
  /// A word of C as an atomic one: `Atomic` has the size and the alignment of its value, and nothing beside it.
  var atomic: UnsafeMutablePointer<Atomic<UInt32>> {
    @inline(__always) get { unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: Atomic<UInt32>.self) }
  }
}

extension UnsafeMutablePointer<UInt> {
  var atomic: UnsafeMutablePointer<Atomic<UInt>> {
    @inline(__always) get { unsafe UnsafeMutableRawPointer(self).assumingMemoryBound(to: Atomic<UInt>.self) }
  }
}
