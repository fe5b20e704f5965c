import Kith
import Testing

/// Live queries as a host writes them: with errors of its own.
@Suite struct LiveFailureTests {
  enum HostError: Error, Equatable { case tooFew(Int) }

  private let graph = SocialGraph()
  private let ann: UserID

  init() throws { ann = try graph.addUser("ann") }

  @Test("A closure as first written compiles, and its error ends the query unchanged")
  func anyError() async throws {
    let query = LiveQuery { view in
      let count = try view.user(ann).followerCount
      if count > 0 { throw HostError.tooFew(count) }
      return count
    }
    var values = graph.values(of: query).makeAsyncIterator()
    #expect(try await values.next() == 0)
    try await graph.follow(ann, as: graph.addUser("bob"))
    let error = await #expect(throws: (any Error).self) { try await values.next() }
    #expect(error as? HostError == .tooFew(1))
    #expect(try await values.next() == nil)
  }

  @Test("An error's type reaches the iterator, the observer and the model")
  @MainActor func typedError() async {
    let query = LiveQuery { (view) throws(HostError) -> Int in throw .tooFew(view.counts.users) }
    do throws(HostError) {
      for try await value in graph.values(of: query) { Issue.record("\(value)") }
      Issue.record("no error")
    } catch {
      #expect(error == .tooFew(1))
    }
    let results = AsyncStream<Result<Int, HostError>>.makeStream()
    let token = graph.observe(query) { results.continuation.yield($0) }
    var received = results.stream.makeAsyncIterator()
    #expect(await received.next() == .failure(.tooFew(1)))
    token.cancel()
    let model = LiveModel(graph, query)
    while model.isLoading { await Task.yield() }
    #expect(model.error == .tooFew(1) && model.value == nil)
  }

  @Test("When the graph is closed, a query ends without an error and is not run again, whatever it may throw")
  func closed() async throws {
    let query = LiveQuery { (view) throws(HostError) -> UInt64 in
      if view.sequence > 1 { throw .tooFew(0) }
      return view.sequence
    }
    var values = graph.values(of: query).makeAsyncIterator()
    #expect(try await values.next() == 1)
    try await graph.addUser("bob")
    try await graph.close()
    #expect(try await values.next() == nil)
    var never = graph.values(of: LiveQuery { view in view.sequence }).makeAsyncIterator()
    #expect(await never.next() == nil)
  }

  @Test("A page is a collection whose elements and highlights belong together")
  func pages() throws {
    for number in 1...40 { try graph.addUser("user \(number)") }
    let page = try graph.read { view in
      try view.searchUsers("user", UserQuery(countsMatches: true, includesHighlights: true, limit: 30))
    }
    #expect(page.count == 30 && page.total == 40 && page.next != nil && page.previous == nil && !page.isTruncated)
    #expect(page.highlights == Array(repeating: [0..<4], count: 30))
    var names: Set<String> = []
    for user in page { names.insert(user.username) }
    #expect(names == Set(page.items.map(\.username)) && names.count == 30)
    #expect(page.indices.allSatisfy { page[$0] == page.items[$0] } && page.reversed().first == page.last)
  }
}
