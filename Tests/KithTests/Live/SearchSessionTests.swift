import Synchronization
import Testing

@testable import Kith

@Suite struct SearchSessionTests {
  private func graph(_ names: String...) throws -> SocialGraph {
    let graph = SocialGraph()
    for name in names { try graph.addUser(name) }
    return graph
  }

  @Test("An empty box shows everybody; letters wait for the time, or narrow what is shown at once")
  func typing() async throws {
    let graph = try graph("ann", "Anna", "bob", "Bobby")
    let clock = ManualClock()
    let session = SearchSession(graph, UserSearch(limit: 3), clock: clock)
    var results = session.makeAsyncIterator()
    let everybody = await results.next()
    #expect(everybody?.users.map(\.username) == ["ann", "Anna", "bob"] && everybody?.isComplete == false)
    session.type("a")
    session.type("an")
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(199))
    session.type("b")
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(200))
    let found = await results.next()
    #expect(found?.query == "b" && found?.users.map(\.username) == ["bob", "Bobby"] && found?.isComplete == true)
    #expect(found?.difference.removals.map(\.id) == [1, 2] && found?.difference.insertions.map(\.id) == [4])
    // Complete: no search and no waiting.
    session.type("bobb")
    #expect(await results.next()?.users.map(\.username) == ["Bobby"])
    session.type("bob")
    #expect(await results.next()?.users.map(\.username) == ["bob", "Bobby"])
    session.type("")
    #expect(await results.next() == everybody)
  }

  @Test("It goes on with follows, renames and new users")
  func live() async throws {
    let graph = try graph("me", "ann", "bob")
    let session = SearchSession(graph, UserSearch(viewer: 1, excluding: 1), debounce: .zero)
    var results = session.makeAsyncIterator()
    #expect(await results.next()?.map(\.following) == [false, false])
    try graph.follow(1, 3)
    #expect(await results.next()?.map(\.following) == [false, true])
    session.type("an")
    #expect(await results.next()?.map(\.username) == ["ann"])
    try graph.rename(3, to: "Hanna")
    let renamed = await results.next()
    #expect(renamed?.map(\.username) == ["ann", "Hanna"] && renamed?.difference.insertions.map(\.id) == [3])
    try graph.addUser("Joanna")
    #expect(await results.next()?.map(\.username) == ["ann", "Hanna", "Joanna"])
    try graph.block(2, 1)
    #expect(await results.next()?.map(\.username) == ["Hanna", "Joanna"])
    session.type(String(repeating: "x", count: 300))
    #expect(await results.next()?.error == .queryTooLong)
    try graph.close()
    #expect(await results.next() == nil)
  }

  @Test("Whoever is cancelled, ends or breaks off sees nothing more, leaves nothing watched, and may come again")
  func ending() async throws {
    let graph = try graph("ann", "bob")
    let session = SearchSession(graph, debounce: .zero)
    let counted = Counted()
    let task = Task { for await _ in session { counted.add() } }
    while counted.value == 0 { await Task.yield() }
    #expect(graph.anyObservers.watchers.watchedCount > 0)
    task.cancel()
    await task.value
    #expect(graph.anyObservers.watchers.watchedCount == 0 && !graph.anyObservers.areThere)
    session.type("bo")
    for await results in session {
      #expect(results.map(\.username) == ["bob"])
      break
    }
    #expect(graph.anyObservers.watchers.watchedCount == 0)
    session.end()
    for await results in session { Issue.record("\(results.query) after the end") }
    #expect(counted.value == 1)
  }

  @Test("Another iterator takes over from the one before")
  func takingOver() async throws {
    let graph = try graph("ann")
    let session = SearchSession(graph)
    let first = Task { for await _ in session {} }
    while graph.anyObservers.watchers.watchedCount == 0 { await Task.yield() }
    var second = session.makeAsyncIterator()
    await first.value
    #expect(await second.next()?.count == 1)
    try graph.addUser("bob")
    #expect(await second.next()?.count == 2)
  }

  @Test("What is narrowed is what a search finds, whatever is folded", arguments: 1...6 as ClosedRange<UInt64>)
  func narrowing(seed: UInt64) throws {
    var draw = Draw(seed: seed, userCount: 30)
    let graph = SocialGraph()
    var model = ReferenceModel()
    for _ in 0..<60 {
      let change = Change.addUser(id: nil, username: draw.name())
      _ = model.outcome(of: change)
      _ = graph.outcome(of: change)
    }
    var narrowed = 0
    for _ in 0..<1_500 {
      let search = UserSearch(
        match: draw.pick([.substring, .prefix, .exact]), fold: draw.pick([.loose, .strict]),
        order: draw.pick([.name, .prefixFirst, .popular]), limit: draw.pick([3, 20, 100]),
        counting: draw.seldom(2), highlighting: draw.seldom(2))
      let query = draw.nameQuery(model)
      func results(_ text: String) -> SearchResults {
        SearchResults(
          text, search,
          Result { () throws(KithError) in
            try graph.read { (view) throws(KithError) in try view.searchUsers(text, search) }
          })
      }
      let scalars = Array(draw.nameQuery(model).unicodeScalars)
      let tail = String(String.UnicodeScalarView(scalars.prefix(1 + draw.below(2))))
      for text in [query + tail, tail + query, String(query.dropLast()), query + "\u{301}", query + " "] {
        guard let answer = results(query).narrowed(to: text) else { continue }
        narrowed += 1
        #expect(answer == results(text), "\(query.debugDescription) to \(text.debugDescription), \(search)")
      }
    }
    #expect(narrowed > 300)
  }
}

/// A clock that stands until it is moved.
final class ManualClock: Clock {
  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
  }

  private struct State {
    var now = Instant()
    var lastNumber = 0
    var sleepers: [Int: (until: Instant, continuation: CheckedContinuation<Void, Never>)] = [:]
  }

  private let state = Mutex(State())

  var now: Instant { state.withLock { $0.now } }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = state.withLock { state in
          if deadline <= state.now || Task.isCancelled { return true }
          state.sleepers[number] = (deadline, continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation.resume()
    }
    try Task.checkCancellation()
  }

  /// Moves it, and wakes whoever slept until then.
  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Returns when exactly so many sleep.
  func sleepers(_ count: Int) async {
    while state.withLock({ $0.sleepers.count }) != count { await Task.yield() }
  }
}
