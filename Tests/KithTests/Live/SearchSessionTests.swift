import Synchronization
import Testing

@testable import Kith

@Suite struct SearchSessionTests {
  private func graph(_ names: String...) throws -> SocialGraph {
    let graph = SocialGraph()
    for name in names { try graph.addUser(name) }
    return graph
  }

  @Test("An empty text lists all users; typing is debounced, or narrows the shown users at once")
  func typing() async throws {
    let graph = try graph("ann", "Anna", "bob", "Bobby")
    let clock = ManualClock()
    let session = SearchSession(graph, .users(UserQuery(limit: 3)), clock: clock)
    var results = session.makeAsyncIterator()
    let everybody = await results.next()
    #expect(everybody?.map(\.username) == ["ann", "Anna", "bob"] && everybody?.value?.next != nil)
    session.type("a")
    session.type("an")
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(199))
    session.type("b")
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(200))
    let found = await results.next()
    #expect(found?.query == "b" && found?.map(\.username) == ["bob", "Bobby"] && found?.value?.next == nil)
    #expect(found?.difference.removals.map(\.id) == [1, 2] && found?.difference.insertions.map(\.id) == [4])
    // Complete: no search and no debouncing.
    session.type("bobb")
    #expect(await results.next()?.map(\.username) == ["Bobby"])
    session.type("bob")
    #expect(await results.next()?.map(\.username) == ["bob", "Bobby"])
    session.type("")
    #expect(await results.next() == everybody)
  }

  @Test("The session follows follows, renames and new users")
  func live() async throws {
    let graph = try graph("me", "ann", "bob")
    let session = SearchSession(graph, .users(UserQuery(excludedUser: 1, viewer: 1)), debounce: .zero)
    var results = session.makeAsyncIterator()
    #expect(await results.next()?.map(\.isFollowedByViewer) == [false, false])
    try await graph.follow(3, as: 1)
    #expect(await results.next()?.map(\.isFollowedByViewer) == [false, true])
    session.type("an")
    #expect(await results.next()?.map(\.username) == ["ann"])
    try await graph.renameUser(3, to: "Hanna")
    let renamed = await results.next()
    #expect(renamed?.map(\.username) == ["ann", "Hanna"] && renamed?.difference.insertions.map(\.id) == [3])
    try await graph.addUser("Joanna")
    #expect(await results.next()?.map(\.username) == ["ann", "Hanna", "Joanna"])
    try await graph.block(1, as: 2)
    #expect(await results.next()?.map(\.username) == ["Hanna", "Joanna"])
    session.type(String(repeating: "x", count: 300))
    #expect(await results.next()?.error == .queryTooLong)
    try await graph.close()
    #expect(await results.next() == nil)
  }

  @Test("A session for posts is debounced, follows posts, likes and renames, and comes with differences")
  func posts() async throws {
    let graph = try graph("ann", "bob")
    let first = try await graph.addPost("red sky at night", by: 2)
    let clock = ManualClock()
    let session = SearchSession(graph, .posts(PostQuery(viewer: 1)), clock: clock)
    var results = session.makeAsyncIterator()
    #expect(await results.next()?.query == "")
    session.type("re")
    session.type("red")
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(199))
    session.type("red sky")
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(200))
    let found = await results.next()
    #expect(found?.query == "red sky" && found?.map(\.id) == [first] && found?.first?.isLikedByViewer == false)
    try await graph.like(first, as: 1)
    let liked = await results.next()
    #expect(liked?.first?.isLikedByViewer == true && liked?.difference.updates == [first])
    let second = try await graph.addPost("A red, red sky in the morning", by: 1)
    let added = await results.next()
    #expect(added?.map(\.id) == [second, first] && added?.difference.insertions.map(\.index) == [0])
    try await graph.renameUser(2, to: "Robert")
    #expect(await results.next()?.last?.author.username == "Robert")
    // Words are not narrowed: a longer text waits and is searched.
    session.type("red sky night")
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(200))
    let night = await results.next()
    #expect(night?.map(\.id) == [first] && night?.difference.removals.map(\.id) == [second])
    session.type(String(repeating: "x", count: 300))
    await clock.sleepers(1)
    clock.advance(by: .milliseconds(200))
    let refused = await results.next()
    #expect(refused?.error == .queryTooLong && refused?.isEmpty == true && refused?.value == nil)
  }

  @Test("Sessions of any list end with what a new query gives", arguments: 1...6 as ClosedRange<UInt64>)
  func converging(seed: UInt64) async throws {
    var draw = Draw(seed: seed, userCount: 6)
    let graph = SocialGraph()
    var model = ReferenceModel()
    let posts = LiveSearch<Page<Post>>.posts(PostQuery(limit: 1 + draw.below(5)))
    let users = LiveSearch<Page<User>>.users(UserQuery(limit: 1 + draw.below(5)))
    let writers = LiveSearch { text in LiveQuery.searchUsers(text).map { page in page.filter { $0.postCount > 0 } } }
    let postBox = Box(graph, posts)
    let userBox = Box(graph, users)
    let writerBox = Box(graph, writers)
    for _ in 0..<60 {
      for _ in 0..<1 + draw.below(4) {
        let change = draw.change(for: model)
        _ = model.outcome(of: change)
        _ = graph.outcome(of: change)
      }
      try await postBox.converge(to: draw.postQuery(model))
      try await userBox.converge(to: draw.nameQuery(model))
      try await writerBox.converge(to: draw.pick(["", "a", "e"]))
    }
    #expect(postBox.takenCount > 30 && userBox.takenCount > 30 && writerBox.takenCount > 30)
  }

  /// A session, and the results that were taken from it.
  private final class Box<Value: RandomAccessCollection & Equatable & Sendable>
  where Value.Element: Identifiable & Equatable, Value.Element.ID: Sendable {
    private let graph: SocialGraph
    private let search: LiveSearch<Value>
    private let session: SearchSession<Value>
    private var results: SearchSession<Value>.Iterator
    private var last: SearchResults<Value>?
    private(set) var takenCount = 0

    init(_ graph: SocialGraph, _ search: LiveSearch<Value>) {
      (self.graph, self.search) = (graph, search)
      session = SearchSession(graph, search, debounce: .zero)
      results = session.makeAsyncIterator()
    }

    /// Types a text, and takes results until they equal a new query's.
    func converge(to text: String) async throws {
      session.type(text)
      let query = search.query(text)
      let now = Result { () throws(KithError) in
        try graph.read { (view) throws(KithError) in try query.ask(view).value }
      }
      let right = SearchResults(text, search, now)
      while last != right {
        let newest = try #require(await results.next())
        #expect(newest.query == text && newest != last)
        #expect(newest.difference == ListDifference(from: last?.items ?? [], to: newest))
        last = newest
        takenCount += 1
      }
    }
  }

  @Test("After cancel, end or break nothing more comes, nothing is subscribed, and a new loop can begin")
  func ending() async throws {
    let graph = try graph("ann", "bob")
    let session = SearchSession(graph, .users(), debounce: .zero)
    let counted = Counted()
    let task = Task { for await _ in session { counted.add() } }
    while counted.value == 0 { await Task.yield() }
    #expect(graph.anyObservers.subscriptions.watchedCount > 0)
    task.cancel()
    await task.value
    #expect(graph.anyObservers.subscriptions.watchedCount == 0 && !graph.anyObservers.areThere)
    session.type("bo")
    for await results in session {
      #expect(results.map(\.username) == ["bob"])
      break
    }
    #expect(graph.anyObservers.subscriptions.watchedCount == 0)
    session.end()
    for await results in session { Issue.record("\(results.query) after the end") }
    #expect(counted.value == 1)
  }

  @Test("A new iterator replaces the previous one")
  func takingOver() async throws {
    let graph = try graph("ann")
    let session = SearchSession(graph, .users())
    let first = Task { for await _ in session {} }
    while graph.anyObservers.subscriptions.watchedCount == 0 { await Task.yield() }
    var second = session.makeAsyncIterator()
    await first.value
    #expect(await second.next()?.count == 1)
    try await graph.addUser("bob")
    #expect(await second.next()?.count == 2)
  }

  @Test("Narrowing gives what a search gives, with any folding", arguments: 1...6 as ClosedRange<UInt64>)
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
      let search = UserQuery(
        match: draw.pick([.substring, .prefix, .exact]), fold: draw.pick([.loose, .strict]),
        order: draw.pick([.name, .prefixFirst, .popular]), countsMatches: draw.seldom(2),
        includesHighlights: draw.seldom(2), limit: draw.pick([3, 20, 100]))
      let query = draw.nameQuery(model)
      func results(_ text: String) -> SearchResults<Page<User>> {
        SearchResults(
          text, .users(search),
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

/// A clock that is advanced by the test.
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

  /// Advances it, and wakes every sleeper whose time has come.
  func advance(by duration: Duration) {
    let woken = state.withLock { state in
      state.now = state.now.advanced(by: duration)
      let due = state.sleepers.filter { $0.value.until <= state.now }
      for number in due.keys { state.sleepers[number] = nil }
      return due.values.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }

  /// Returns when exactly this many tasks sleep.
  func sleepers(_ count: Int) async {
    while state.withLock({ $0.sleepers.count }) != count { await Task.yield() }
  }
}
