import Synchronization
import Testing

@testable import Kith

/// Parallel loops: every item once, in order where order is promised, and the first failure in order.
@Suite struct ParallelTests {
  struct Failure: Error, Equatable { let index: Int }

  @Test("Tasks at once are parallel themselves, every one runs once, and the lowest failure is thrown")
  func together() {
    for _ in 0..<200 {
      let runs = Mutex([Int](repeating: 0, count: 9))
      Parallel.together(9, workers: 4) { (index) throws(Never) in runs.withLock { $0[index] += 1 } }
      #expect(runs.withLock { $0 } == [Int](repeating: 1, count: 9))
      let failure = #expect(throws: Failure.self) {
        try Parallel.together(9, workers: 4) { (index) throws(Failure) in
          if index > 2 { throw Failure(index: index) }
        }
      }
      #expect(failure == Failure(index: 3))
    }
    if SystemDisk.coreCount == 1 { return }
    // A task waits inside until another thread has joined it.
    let threads = Atomic(0)
    Parallel.together(4, workers: 2) { (index) throws(Never) in
      if index > 0 { return }
      Parallel.inOrder(2, workers: 2) { (_) throws(Never) -> Int in
        threads.add(1, ordering: .sequentiallyConsistent)
        let deadline = ContinuousClock.now + .seconds(100)
        while threads.load(ordering: .sequentiallyConsistent) < 2 && ContinuousClock.now < deadline {}
        return threads.load(ordering: .sequentiallyConsistent)
      } take: { (_, count) throws(Never) in
        #expect(count == 2)
      }
    }
  }

  private final class Counts: Sendable {
    let begun = Atomic(0)
    let ended = Atomic(0)
    let late = Atomic(0)
  }

  @Test("Workers of different pools do not wait for each other, however many there are")
  func pools() async {
    let poolCount = SystemDisk.coreCount + 6
    let pools = (0..<poolCount).map { _ in WorkerPool(maximumWorkerCount: 1) }
    let counts = Counts()
    for pool in pools {
      pool.wake {
        // Each works until all have begun, or too long.
        counts.begun.add(1, ordering: .sequentiallyConsistent)
        let deadline = ContinuousClock.now + .seconds(10)
        while counts.begun.load(ordering: .sequentiallyConsistent) < poolCount && ContinuousClock.now < deadline {}
        if ContinuousClock.now >= deadline { counts.late.add(1, ordering: .sequentiallyConsistent) }
        counts.ended.add(1, ordering: .sequentiallyConsistent)
        return false
      }
    }
    while counts.ended.load(ordering: .sequentiallyConsistent) < poolCount { await Task.yield() }
    #expect(counts.late.load(ordering: .sequentiallyConsistent) == 0)
  }

  @Test("Values are taken one at a time and in order", arguments: [0, 1, 2, 7, 1_000], [1, 2, 3, 8])
  func valuesInOrder(count: Int, workers: Int) {
    var taken: [Int] = []
    let ahead = Atomic(0)
    let furthest = Atomic(0)
    Parallel.inOrder(count, workers: workers) { (index) throws(Never) -> Int in
      furthest.max(ahead.add(1, ordering: .relaxed).newValue, ordering: .relaxed)
      return index * 3
    } take: { (index, value) throws(Never) in
      #expect(value == index * 3)
      taken.append(index)
      ahead.subtract(1, ordering: .relaxed)
    }
    #expect(taken == Array(0..<count))
    #expect(furthest.load(ordering: .relaxed) <= max(1, 2 * workers + 1))
  }

  @Test("The first failure in order is the one that is thrown", arguments: [1, 2, 4, 8])
  func firstFailure(workers: Int) {
    for _ in 0..<50 {
      var taken = 0
      let failure = #expect(throws: Failure.self) {
        try Parallel.inOrder(200, workers: workers) { (index) throws(Failure) -> Int in
          if index % 40 == 39 { throw Failure(index: index) }
          return index
        } take: { (index, _) throws(Failure) in
          #expect(index == taken)
          taken += 1
        }
      }
      #expect(failure == Failure(index: 39) && taken == 39)
      let inTaking = #expect(throws: Failure.self) {
        try Parallel.inOrder(200, workers: workers) { (index) throws(Failure) in
          index
        } take: {
          (index, _) throws(Failure) in
          if index >= 50 { throw Failure(index: index) }
        }
      }
      #expect(inTaking == Failure(index: 50))
    }
  }

  @Test("Every index is run once, and the lowest failure is thrown")
  func everyIndexOnce() {
    let runs = Mutex([Int](repeating: 0, count: 500))
    Parallel.forEach(500) { (index) throws(Never) in runs.withLock { $0[index] += 1 } }
    #expect(runs.withLock { $0 } == [Int](repeating: 1, count: 500))
    for _ in 0..<50 {
      let failure = #expect(throws: Failure.self) {
        try Parallel.forEach(100) { (index) throws(Failure) in if index > 2 { throw Failure(index: index) } }
      }
      #expect(failure == Failure(index: 3))
    }
  }
}
