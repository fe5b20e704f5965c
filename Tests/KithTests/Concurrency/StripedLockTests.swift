import Foundation
import Synchronization
import Testing

@testable import Kith

/// The lock of a graph: readers in slots, and writers in two parts. Waits are by turns that the test counts, never by
/// time, so that a starved machine cannot fail it.
@Suite struct StripedLockTests {
  private func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let group = DispatchGroup()
    for number in 0..<count {
      group.enter()
      Thread {
        body(number)
        group.leave()
      }.start()
    }
    group.wait()
  }

  /// A count that threads raise, and wait for.
  private final class Turn: Sendable {
    let count = Atomic(0)

    func raise() { count.add(1, ordering: .sequentiallyConsistent) }

    func wait(for least: Int) {
      while count.load(ordering: .sequentiallyConsistent) < least { Thread.sleep(forTimeInterval: 0.000_1) }
    }
  }

  @safe private final class Numbers: @unchecked Sendable {
    // Safety: accessed only under the test's lock.
    var first = 0
    var second = 0
  }

  @Test("As many readers as there are slots are inside at once: none waits for another")
  func readersTogether() {
    let lock = StripedLock()
    let inside = Turn()
    onThreads(StripedLock.slotCount) { _ in
      lock.read {
        inside.raise()
        inside.wait(for: StripedLock.slotCount)
      }
    }
    #expect(inside.count.load(ordering: .relaxed) == StripedLock.slotCount)
    #expect(lock.write { true })
  }

  @Test("A reader without a slot waits until one is empty")
  func moreReadersThanSlots() {
    let lock = StripedLock()
    let (inside, leaving) = (Turn(), Turn())
    onThreads(StripedLock.slotCount + 2) { number in
      if number < StripedLock.slotCount {
        lock.read {
          inside.raise()
          leaving.wait(for: 2)
        }
        return
      }
      inside.wait(for: StripedLock.slotCount)
      leaving.raise()
      lock.read { inside.raise() }
    }
    #expect(inside.count.load(ordering: .relaxed) == StripedLock.slotCount + 2)
  }

  @Test("The first part of a change runs beside a reader; the second waits until the reader has left")
  func twoParts() {
    let lock = StripedLock()
    let (reading, prepared) = (Turn(), Turn())
    let hasLeft = Atomic(false)
    onThreads(2) { number in
      if number == 0 {
        lock.read {
          reading.raise()
          prepared.wait(for: 1)
          Thread.sleep(forTimeInterval: 0.01)
          hasLeft.store(true, ordering: .sequentiallyConsistent)
        }
        return
      }
      reading.wait(for: 1)
      lock.serially {
        prepared.raise()
        let isAlone = lock.exclusively { hasLeft.load(ordering: .sequentiallyConsistent) }
        #expect(isAlone)
      }
    }
  }

  /// No time heals a lost wakeup: then everybody sleeps, and the count of changes stands still.
  @Test("A writer that sleeps until readers have left is woken by the last, however many of each there are")
  func sleepingWriter() {
    let lock = StripedLock()
    let numbers = Numbers()
    let made = Atomic(0)
    let (readerCount, writerCount, changeCount) = (12, 2, 400)
    let ended = Atomic(0)
    let group = DispatchGroup()
    for number in 0..<readerCount + writerCount {
      group.enter()
      Thread {
        if number < writerCount {
          for _ in 0..<changeCount {
            lock.write { numbers.first += 1 }
            made.add(1, ordering: .relaxed)
          }
          ended.add(1, ordering: .sequentiallyConsistent)
        } else {
          // Some leave at once, some while the writer still looks, some when it sleeps.
          var turn = number
          while ended.load(ordering: .sequentiallyConsistent) < writerCount {
            lock.read { if turn % 4 != 0 { usleep(UInt32(turn % 4) * 20) } }
            turn += 1
          }
        }
        group.leave()
      }.start()
    }
    var last = -1
    while group.wait(timeout: .now() + 150) == .timedOut {
      let count = made.load(ordering: .relaxed)
      if count == last { break }
      last = count
    }
    #expect(made.load(ordering: .relaxed) == writerCount * changeCount)
    #expect(ended.load(ordering: .relaxed) == writerCount)
  }

  #if os(Linux)
    @Test("A writer sleeps once, and does not look again and again, while a reader stays")
    func restingWriter() {
      let lock = StripedLock()
      let (reading, waiting) = (Turn(), Turn())
      let naps = Atomic(0)
      onThreads(2) { number in
        if number == 0 {
          lock.read {
            reading.raise()
            waiting.wait(for: 1)
            usleep(200_000)
          }
          return
        }
        reading.wait(for: 1)
        let before = Self.waitsOfThread()
        waiting.raise()
        lock.write {}
        naps.store(Self.waitsOfThread() - before, ordering: .relaxed)
      }
      #expect(naps.load(ordering: .relaxed) < 100)
    }

    /// How often the thread has given up its processor to wait.
    private static func waitsOfThread() -> Int {
      var usage = rusage()
      // RUSAGE_THREAD, which the module of the C library leaves out.
      unsafe getrusage(1, &usage)
      return usage.ru_nvcsw
    }
  #endif

  @Test("Readers that sleep while a long change is made all wake, and see it")
  func sleepers() {
    let lock = StripedLock()
    let numbers = Numbers()
    let (writing, seen) = (Turn(), Turn())
    onThreads(9) { number in
      if number == 0 {
        lock.write {
          writing.raise()
          Thread.sleep(forTimeInterval: 0.05)
          numbers.first = 1
        }
        return
      }
      writing.wait(for: 1)
      lock.read { if numbers.first == 1 { seen.raise() } }
    }
    #expect(seen.count.load(ordering: .relaxed) == 8)
  }

  @Test("A reader sees no part of a change made in two parts, no change is lost, and a returned one is seen")
  func changesInTwoParts() {
    let lock = StripedLock()
    let numbers = Numbers()
    let returned = Atomic(0)
    let faults = Atomic(0)
    let ended = Atomic(0)
    let (writerCount, changeCount) = (2, 5_000)
    onThreads(writerCount + 3) { number in
      if number < writerCount {
        for _ in 0..<changeCount {
          let made = lock.serially {
            let next = numbers.first + 1
            lock.exclusively {
              numbers.first = next
              numbers.second = next
            }
            return next
          }
          _ = returned.max(made, ordering: .sequentiallyConsistent)
        }
        ended.add(1, ordering: .sequentiallyConsistent)
        return
      }
      while ended.load(ordering: .sequentiallyConsistent) < writerCount {
        let least = returned.load(ordering: .sequentiallyConsistent)
        let (first, second) = lock.read { (numbers.first, numbers.second) }
        if first != second || first < least { faults.add(1, ordering: .relaxed) }
      }
    }
    #expect(numbers.first == writerCount * changeCount && numbers.second == writerCount * changeCount)
    #expect(faults.load(ordering: .relaxed) == 0)
  }

  @Test("A nested change ends the process with the rule, also where another thread had the reader's usual slot")
  func nestedElsewhere() async {
    let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Self.changeInRead(besideWriter: false)
    }
    let message = String(decoding: ending?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("\(StripedLock.rule)"))
  }

  @Test("A nested change ends the process with the rule, also where another writer waits for the reader")
  func nestedBesideWriter() async {
    let ending = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Self.changeInRead(besideWriter: true)
    }
    let message = String(decoding: ending?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("\(StripedLock.rule)"))
  }

  private static func changeInRead(besideWriter: Bool) {
    let lock = StripedLock()
    let inside = DispatchSemaphore(value: 0)
    let enough = DispatchSemaphore(value: 0)
    // As many as fit, so that the last ones are not in their usual slots.
    for _ in 0..<StripedLock.slotCount - 1 {
      Thread {
        lock.read {
          inside.signal()
          enough.wait()
        }
      }.start()
    }
    for _ in 0..<StripedLock.slotCount - 1 { inside.wait() }
    // Ends a process that waits for itself.
    alarm(30)
    lock.read {
      if besideWriter {
        Thread {
          lock.serially {
            inside.signal()
            lock.exclusively {}
          }
        }.start()
        inside.wait()
      }
      lock.write {}
    }
  }

  /// The writer follows and unfollows in turn, so that the parity of the sequence number tells what a read must see.
  @Test("A read sees all of a follow or nothing: both lists, both counts, the number", arguments: [false, true])
  func followsWhole(compact: Bool) throws {
    let graph = SocialGraph(options: SocialGraph.Options { $0.compactLists = compact })
    for number in 1...40 { try graph.addUser("user \(number)") }
    // The lists of neighbours share their blocks, which grow and shrink meanwhile.
    for number in 4...40 { try graph.follow(UserID(Int64(number)), as: 3) }
    let (ann, bob): (UserID, UserID) = (1, 2)
    let first = graph.read { $0.sequence }
    let isDone = Atomic(false)
    let faults = Mutex<[String]>([])
    onThreads(4) { number in
      do {
        if number == 0 {
          for turn in 0..<3_000 {
            if turn.isMultiple(of: 2) { try graph.follow(bob, as: ann) } else { try graph.unfollow(bob, as: ann) }
            if turn.isMultiple(of: 500) { _ = graph.pin() }
          }
          return isDone.store(true, ordering: .releasing)
        }
        while !isDone.load(ordering: .acquiring) {
          try graph.read { view in
            let expected = !(view.sequence - first).isMultiple(of: 2)
            let lists =
              try view.followees(of: ann).contains { $0.id == bob } == expected
              && view.followers(of: bob).contains { $0.id == ann } == expected
            let counts = try view.user(ann).followeeCount == (expected ? 1 : 0)
            if try view.isFollowing(bob, as: ann) != expected || !lists || !counts {
              faults.withLock { $0.append("at \(view.sequence)") }
            }
          }
        }
      } catch {
        faults.withLock { $0.append("\(error)") }
        isDone.store(true, ordering: .releasing)
      }
    }
    #expect(faults.withLock { $0.prefix(3) } == [])
    #expect(graph.read { $0.verify() }.isEmpty)
  }
}
