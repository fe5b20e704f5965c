import Synchronization
import Testing

@testable import Kith

/// The feed of committed changes.
@Suite struct ChangesTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// The events up to a number.
  private func events(_ changes: SocialGraph.Changes, through last: UInt64) async -> [ChangeEvent] {
    var events: [ChangeEvent] = []
    for await event in changes {
      events.append(event)
      if event.last >= last { break }
    }
    return events
  }

  @Test("Every change comes once, in order and complete; a change without effect does not come")
  func order() async throws {
    let graph = SocialGraph()
    try await graph.addUser("before")
    let changes = graph.changes()
    let ann = try await graph.addUser("ann")
    let bob = try await graph.addUser("bob")
    try await graph.follow(bob, as: ann, at: 5_000)
    try await graph.follow(bob, as: ann, at: 9_000)
    try await graph.batch { batch throws(KithError) in
      try batch.apply(.addPost(id: nil, by: bob, text: "hello", createdAt: 7))
      try batch.apply(.like(as: ann, post: 1, at: 8_000))
      try batch.apply(.like(as: ann, post: 1, at: 8_000))
    }
    _ = try? await graph.batch { batch throws(KithError) in
      try batch.apply(.addUser(id: nil, username: "never"))
      throw KithError.cancelled
    }
    try await graph.removeUser(ann)
    let expected: [Change] = [
      .addUser(id: 2, username: "ann"), .addUser(id: 3, username: "bob"), .follow(as: 2, target: 3, at: 5_000),
      .addPost(id: 1, by: 3, text: "hello", createdAt: 7), .like(as: 2, post: 1, at: 8_000), .removeUser(2),
    ]
    let seen = await events(changes, through: 7)
    #expect(seen == expected.enumerated().map { .change($1, sequence: UInt64($0) + 2) })
  }

  @Test("A slow observer learns what it missed, and continues without a gap")
  func slow() async throws {
    let graph = SocialGraph()
    let changes = graph.changes(from: 1)
    let count = UInt64(ChangeFeed.capacity) + 100
    for number in 1...count { try await graph.addUser("user \(number)") }
    let seen = await events(changes, through: count)
    #expect(seen.first == .missed(1...100) && seen.count == ChangeFeed.capacity + 1)
    #expect(zip(seen, seen.dropFirst()).allSatisfy { $0.last + 1 == $1.first })
  }

  @Test("Long texts are kept only within the memory limit")
  func texts() async throws {
    let graph = SocialGraph()
    let ann = try await graph.addUser("ann")
    let changes = graph.changes()
    let text = String(repeating: "x", count: 60_000)
    for _ in 0..<400 { try await graph.addPost(text, by: ann) }
    let seen = await events(changes, through: 401)
    #expect(seen.count == ChangeFeed.byteLimit / 60_000 + 1)
    #expect(seen.first?.first == 2 && seen.last?.last == 401)
  }

  @Test("Changes before the observation, in bulk or unobserved are reported as missed")
  func bulk() async throws {
    let graph = SocialGraph()
    try await graph.addUser("one")
    let changes = graph.changes(from: 1)
    graph.bulk { batch throws(Never) in
      for number in 0..<10 { _ = try? batch.importChange(.addUser(id: nil, username: "bulk \(number)")) }
    }
    try await graph.addUser("last")
    let seen = await events(changes, through: 12)
    #expect(seen == [.missed(1...11), .change(.addUser(id: 12, username: "last"), sequence: 12)])
  }

  @Test("No change is observed before it is durable; after a restart an observer catches up from the journal")
  func restart() async throws {
    let path = directory.file("store")
    var graph = try await SocialGraph.open(path)
    let changes = graph.changes()
    for number in 1...30 { try await graph.addUser("user \(number)") }
    try await graph.snapshot()
    for number in 31...50 { try await graph.addUser("user \(number)") }
    try await graph.close()
    let seen = await events(changes, through: 50)
    #expect(seen.count == 50)
    var ended = changes.makeAsyncIterator()
    for _ in 0..<50 { _ = await ended.next() }
    #expect(await ended.next() == nil, "a closed graph ends its observers")

    graph = try await SocialGraph.open(path)
    let again = graph.changes(from: 11)
    try await graph.addUser("new")
    var caughtUp: [ChangeEvent] = []
    for event in await events(again, through: 51) {
      guard case .missed(let range) = event else {
        caughtUp.append(event)
        continue
      }
      try graph.journaledChanges(in: range) { change, sequence in
        caughtUp.append(.change(change, sequence: sequence))
      }
    }
    #expect(caughtUp.prefix(40) == seen.dropFirst(10))
    #expect(caughtUp.last == .change(.addUser(id: 51, username: "new"), sequence: 51) && caughtUp.count == 41)
    #expect(throws: KithError.self) { try graph.journaledChanges(in: 51...60) { _, _ in } }
    try await graph.close()
  }

  @Test("A recorded change is observed when it is committed, and not before")
  func uncommitted() {
    let (feed, signal) = (ChangeFeed(), AsyncSignal())
    feed.addObserver(after: 0)
    for sequence: UInt64 in 1...3 { feed.record(.unfollow(as: 1, target: UserID(Int64(sequence))), sequence: sequence) }
    func event(_ position: UInt64) -> ChangeEvent? {
      if case .event(let event) = feed.read(at: position, telling: signal) { event } else { nil }
    }
    #expect(event(1) == nil && !signal.takeNotification())
    feed.commit(through: 2)
    #expect(signal.takeNotification())
    #expect(
      event(1) == .change(.unfollow(as: 1, target: 1), sequence: 1)
        && event(2) == .change(.unfollow(as: 1, target: 2), sequence: 2))
    #expect(event(3) == nil)
    // A snapshot saved a change that was never committed separately.
    feed.commit(through: 5)
    #expect(event(3) == .missed(3...5))
    feed.finish()
    if case .finished = feed.read(at: 6, telling: signal) { return }
    Issue.record("a feed that was finished goes on")
  }

  @Test("A graph without a journal reports that it has none")
  func noJournal() throws {
    let graph = SocialGraph()
    try graph.addUser("ann")
    #expect(throws: KithError.noStore(path: "")) { try graph.journaledChanges(in: 1...1) { _, _ in } }
    let store = try SocialGraph.open(directory.file("memory"), options: SocialGraph.Options { $0.durability = .memory })
    #expect(throws: KithError.noStore(path: "")) { try store.journaledChanges(in: 1...1) { _, _ in } }
    try store.close()
  }

  @Test("A cancelled observer ends at once and leaves nothing behind")
  func cancelled() async throws {
    let graph = SocialGraph()
    let task = Task {
      var count = 0
      for await _ in graph.changes() { count += 1 }
      return count
    }
    while graph.anyObservers.feed.observerCounts.waiting == 0 { await Task.yield() }
    task.cancel()
    #expect(await task.value == 0)
    #expect(graph.anyObservers.feed.observerCounts == (0, 0) && !graph.anyObservers.areThere)
    try await graph.addUser("after")
  }

  @Test("Many writers, slow and fast observers: each sees every number once, as a change or as missed")
  func crowd() async throws {
    let graph = SocialGraph()
    let (writers, each) = (4, 3_000)
    let last = UInt64(writers * each)
    let changes = graph.changes(from: 1)
    await withTaskGroup(of: Bool.self) { group in
      for pause in [0, 50, 500] {
        group.addTask {
          var (next, isWhole) = (UInt64(1), true)
          for await event in changes {
            isWhole = isWhole && event.first == next
            next = event.last + 1
            if pause > 0, Int(next) % pause == 0 { try? await Task.sleep(for: .milliseconds(1)) }
            if event.last >= last { break }
          }
          return isWhole && next == last + 1
        }
      }
      for writer in 0..<writers {
        group.addTask {
          for number in 0..<each { _ = try? graph.addUser("user \(writer) \(number)") }
          return true
        }
      }
      for await isWhole in group { #expect(isWhole) }
    }
  }
}

extension ChangeEvent {
  fileprivate var first: UInt64 {
    switch self {
    case .change(_, let sequence): sequence
    case .missed(let range): range.lowerBound
    }
  }

  var last: UInt64 {
    switch self {
    case .change(_, let sequence): sequence
    case .missed(let range): range.upperBound
    }
  }
}
