import Foundation
import Synchronization
import Testing

@testable import Kith

/// Concurrent readers and a writer, on threads of their own.
@Suite struct ConcurrencyTests {
  /// Runs every body on its own thread and waits for all.
  private func inParallel(_ bodies: [@Sendable () -> Void]) {
    let group = DispatchGroup()
    for body in bodies {
      group.enter()
      Thread {
        body()
        group.leave()
      }.start()
    }
    group.wait()
  }

  /// Two numbers that are equal whenever no thread holds the lock for writing.
  @safe private final class Pair: @unchecked Sendable {
    // Safety: accessed only under the test's lock.
    var first = 0
    var second = 0
  }

  @Test("A reader sees no partial write, and no write is lost")
  func stripedLock() {
    let lock = StripedLock()
    let pair = Pair()
    let isDone = Atomic(false)
    let differences = Atomic(0)
    let (readers, writers) = (3, 2)
    inParallel(
      Array(
        repeating: {
          for _ in 0..<4_000 {
            lock.write {
              pair.first += 1
              pair.second = pair.first
            }
          }
          isDone.store(true, ordering: .releasing)
        }, count: writers)
        + Array(
          repeating: {
            while !isDone.load(ordering: .acquiring) {
              if lock.read({ pair.first != pair.second }) { differences.add(1, ordering: .relaxed) }
            }
          }, count: readers))
    #expect(pair.first == 8_000 && pair.second == 8_000)
    #expect(differences.load(ordering: .relaxed) == 0)
  }

  @Test("An error releases the lock")
  func throwing() {
    let lock = StripedLock()
    #expect(throws: KithError.cancelled) { try lock.write { () throws(KithError) -> Int in throw .cancelled } }
    #expect(throws: KithError.closed) { try lock.read { () throws(KithError) -> Int in throw .closed } }
    #expect(lock.write { 1 } + lock.read { 2 } == 3)
  }

  /// Every batch renames Ann and Bob alike but for one letter, adds a post each, and reverses their follow of Cid.
  /// Every read, live or pinned, must see all of a batch or none of it.
  @Test("Every query sees one version while batches, rollbacks and single changes run")
  func oneInstant() throws {
    let graph = SocialGraph()
    let (ann, bob, cid) = (try graph.addUser("a 0"), try graph.addUser("b 0"), try graph.addUser("cid"))
    try graph.follow(ann, as: cid)
    try graph.follow(bob, as: cid)
    let isDone = Atomic(false)
    let faults = Mutex<[String]>([])
    let questions = Atomic(0)
    @Sendable func check(_ view: borrowing GraphView) throws {
      let people = try view.searchUsers("").items
      let posts = try view.timeline(of: cid, TimelineQuery(limit: 1_000)).items
      let numbers = Set(people.filter { $0.id != cid }.map { $0.username.dropFirst(2) })
      let counts = people.filter { $0.id != cid }.map(\.postCount)
      let follows = try view.isFollowing(cid, as: ann) ? 4 : 2
      let isWhole =
        numbers.count == 1 && counts[0] == counts[1] && posts.count == counts[0] * 2
        && zip(posts, posts.dropFirst()).allSatisfy { ($0.createdAt, $0.id) > ($1.createdAt, $1.id) }
        && people.allSatisfy { $0.username != "never" }
        && view.counts
          == SocialGraph.Counts(users: 3, posts: posts.count, follows: follows, likes: 0, blocks: 0, mutes: 0)
      if !isWhole { faults.withLock { $0.append("\(numbers) \(counts) \(posts.count) \(view.counts)") } }
      questions.add(1, ordering: .relaxed)
    }
    let reader: @Sendable () -> Void = {
      var pins: [SocialGraph.Pin] = []
      while !isDone.load(ordering: .acquiring) {
        do {
          try graph.read { view in try check(view) }
          pins.append(graph.pin())
          if pins.count > 5 { pins.removeFirst() }
          for pin in pins { try check(pin.view) }
        } catch {
          faults.withLock { $0.append("\(error)") }
        }
      }
    }
    let writer: @Sendable () -> Void = {
      do {
        for round in 1...150 {
          try Self.write(round, graph, ann, bob, cid)
          // A writer that never pauses could be done before the readers have had their turns.
          while questions.load(ordering: .relaxed) < round / 7 && faults.withLock({ $0.isEmpty }) {}
        }
      } catch {
        faults.withLock { $0.append("\(error)") }
      }
      isDone.store(true, ordering: .releasing)
    }
    inParallel([reader, reader, reader, writer])
    #expect(faults.withLock { $0.prefix(3) } == [])
    #expect(questions.load(ordering: .relaxed) > 20)
    #expect(graph.read { $0.verify() } == [])
  }

  private static func write(
    _ round: Int, _ graph: SocialGraph, _ ann: UserID, _ bob: UserID, _ cid: UserID
  ) throws(KithError) {
    try graph.batch { batch throws(KithError) in
      for (user, letter) in [(ann, "a"), (bob, "b")] {
        try batch.apply(.renameUser(user, to: "\(letter) \(round)"))
        try batch.apply(
          .addPost(id: nil, by: user, text: "post \(round)", createdAt: Timestamp(Int64(round * 37 % 100))))
        try batch.apply(round % 2 == 1 ? .follow(as: user, target: cid, at: 0) : .unfollow(as: user, target: cid))
      }
    }
    do {
      try graph.batch { batch throws(KithError) in
        try batch.apply(.renameUser(ann, to: "never"))
        try batch.apply(.removeUser(bob))
        throw KithError.cancelled
      }
    } catch .cancelled {}
  }
}
