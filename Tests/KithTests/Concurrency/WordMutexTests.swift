import Foundation
import Synchronization
import Testing

@testable import Kith

/// The mutex of the stripes.
@Suite struct WordMutexTests {
  /// A counter that is not atomic, and its mutex.
  @safe private final class Guarded: @unchecked Sendable {
    // Safety: `count` is accessed only while the mutex is held.
    private let word: UnsafeMutablePointer<UInt32>
    var mutex: WordMutex { unsafe WordMutex(word) }
    var count = 0

    init() {
      unsafe word = .allocate(capacity: 1)
      unsafe word.initialize(to: 0)
    }

    deinit {
      unsafe word.deallocate()
    }

    func add(_ number: Int) {
      unsafe mutex.lock()
      count += number
      unsafe mutex.unlock()
    }
  }

  @Test("Eight threads exclude each other, and none is forgotten")
  func exclusion() {
    let guarded = Guarded()
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for turn in 0..<20_000 {
        guarded.add(1)
        // Leaves the processor within the critical section now and then, so that others must sleep.
        if turn % 1_000 == 0 {
          unsafe guarded.mutex.lock()
          usleep(50)
          unsafe guarded.mutex.unlock()
        }
      }
    }
    #expect(guarded.count == 160_000)
  }

  @Test("Those who sleep are woken one after the other")
  func waking() {
    let guarded = Guarded()
    unsafe guarded.mutex.lock()
    let began = DispatchSemaphore(value: 0), ended = DispatchSemaphore(value: 0)
    for _ in 0..<4 {
      Thread.detachNewThread {
        began.signal()
        guarded.add(1)
        ended.signal()
      }
    }
    for _ in 0..<4 { began.wait() }
    usleep(20_000)
    #expect(guarded.count == 0)
    unsafe guarded.mutex.unlock()
    for _ in 0..<4 { ended.wait() }
    #expect(guarded.count == 4)
  }
}
