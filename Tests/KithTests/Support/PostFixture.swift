import Testing

@testable import Kith

/// One graph with an index of posts and one without, with the same changes and queries, drawn from a seed.
struct PostFixture {
  private var random: SeededRandom
  private let kind: SocialGraph.PostIndexing
  private let seed: UInt64
  private var graph: SocialGraph
  private let plain = SocialGraph(options: SocialGraph.Options { $0.postIndex = .off })
  private var step = 0

  init(seed: UInt64, _ kind: SocialGraph.PostIndexing) throws {
    self.seed = seed
    self.kind = kind
    random = SeededRandom(seed: seed)
    graph = SocialGraph(options: SocialGraph.Options { $0.postIndex = kind })
    if seed % 2 == 1 { graph.compressTexts() }
    for _ in 0..<30 { apply(.addUser(id: nil, username: name())) }
  }

  // MARK: - Changes

  private func apply(_ change: Change) {
    let (outcome, expected) = (graph.outcome(of: change), plain.outcome(of: change))
    if case .success(let applied) = outcome, case .success(applied) = expected { return }
    if case .failure(let error) = outcome, case .failure(error) = expected { return }
    Issue.record("seed \(seed): \(change) gave \(outcome), not \(expected)")
  }

  mutating func fill(_ count: Int) throws {
    for _ in 0..<count { apply(.addPost(id: nil, by: user(), text: text(), createdAt: time())) }
  }

  mutating func change() throws {
    step += 1
    switch random.below(20) {
    case 0..<12: apply(.addPost(id: nil, by: user(), text: text(), createdAt: time()))
    case 12..<15: apply(.removePost(PostID(Int64(1 + random.below(max(1, plain.read { $0.counts.posts } * 2))))))
    case 15: apply(.renameUser(user(), to: name()))
    case 16: apply(.follow(as: user(), target: user(), at: Timestamp(1_000)))
    case 17: apply(random.below(2) == 0 ? .block(as: user(), target: user()) : .unblock(as: user(), target: user()))
    case 18: apply(random.below(30) == 0 ? .removeUser(user()) : .unfollow(as: user(), target: user()))
    default: apply(.addUser(id: nil, username: name()))
    }
  }

  func freeze() { graph.freezePosts() }
  func settle() { graph.settlePosts() }
  var isIndexed: Bool { graph.read { $0.isPostSearchIndexed } }

  /// Continues with a graph that was written and read again; its index is built in the background.
  mutating func restore() throws {
    let pin = graph.pin()
    let sections = GraphSections.sections(of: pin.view.state)
    let state = try GraphSections.state(from: sections, sequence: pin.view.sequence, file: "memory")
    graph = SocialGraph(state, store: nil, options: SocialGraph.Options { $0.postIndex = kind }, isReadOnly: false)
  }

  func checkInvariants() throws {
    let problems = graph.read { $0.verify() }
    #expect(problems.isEmpty, "seed \(seed), step \(step)")
  }

  // MARK: - Queries

  func pin() -> (SocialGraph.Pin, SocialGraph.Pin) { (graph.pin(), plain.pin()) }

  mutating func compareOne() throws {
    let (query, search) = question()
    try compare(
      query, search, graph.read { page($0, query, search) }, plain.read { page($0, query, search) })
  }

  mutating func compareOne(in pins: (SocialGraph.Pin, SocialGraph.Pin)) throws {
    let (query, search) = question()
    try compare(query, search, page(pins.0.view, query, search), page(pins.1.view, query, search))
  }

  private func page(
    _ view: borrowing GraphView, _ query: String, _ search: PostQuery
  ) -> (posts: [PostID], next: Cursor?, error: KithError?) {
    do throws(KithError) {
      var search = search
      var posts: [PostID] = []
      // Two pages, to continue at a cursor.
      for _ in 0..<2 {
        let page = try view.searchPosts(query, search)
        posts += page.map(\.id)
        search.cursor = page.next
        if page.next == nil { break }
      }
      return (posts, search.cursor, nil)
    } catch {
      return ([], nil, error)
    }
  }

  private func compare(
    _ query: String, _ search: PostQuery, _ answer: (posts: [PostID], next: Cursor?, error: KithError?),
    _ expected: (posts: [PostID], next: Cursor?, error: KithError?)
  ) throws {
    let isEqual = answer.posts == expected.posts && answer.next == expected.next && answer.error == expected.error
    #expect(isEqual, "seed \(seed), step \(step): \(query.debugDescription), \(search): \(answer), not \(expected)")
  }

  private mutating func question() -> (String, PostQuery) {
    let query = (0..<1 + (random.below(2) == 0 ? 0 : random.below(3))).map { _ in term() }.joined(separator: " ")
    var search = PostQuery(limit: [1, 2, 5, 20, 20, 1_000][random.below(6)])
    if random.below(4) == 0 { search.fold = .strict }
    if random.below(3) == 0 { search.viewer = user() }
    if random.below(5) == 0 { search.author = user() }
    if search.viewer != nil && random.below(3) == 0 { search.followedOnly = true }
    if random.below(5) == 0 { search.before = time() }
    if random.below(5) == 0 { search.after = time() }
    return (query, search)
  }

  // MARK: - Drawing

  private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }

  private mutating func user() -> UserID { UserID(Int64(1 + random.below(30))) }

  /// Mostly later than all before, now and then any time, often the same time as others.
  private mutating func time() -> Timestamp {
    let now = plain.read { $0.sequence } / 4
    return Timestamp(random.below(12) == 0 ? Int64(random.below(2_000)) : Int64(now))
  }

  private static let words = [
    "the", "and", "snow", "Snow", "SNÖW", "sno\u{308}w", "straße", "STRASSE", "İstanbul", "ﬁnd", "ﬀ", "Ａｂｃ", "日本語",
    "日", "本日は", "👩‍👩‍👧", "👧", "한국어", "c++", "don't", "don’t", "http://a.b/c?d=e-f", "a_b-c", "--", "...", "x.y", "100%",
    "#tag",
    "@ann", "qz", "´", "½", "tab\tbed", "nul\0nul", "\u{1}", "Ωmega", "ωMEGA", "σς", "fullwidth", "e\u{301}t\u{E9}",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "ﷺ", "ŉ", "ǰ",
  ]

  private mutating func word() -> String {
    switch random.below(8) {
    case 0: "w\(random.below(3_000))"
    case 1: String((0..<2 + random.below(5)).map { _ in pick(Array("abcdeqz")) })
    case 2...4: Self.words[random.below(3)]
    default: pick(Self.words)
    }
  }

  private mutating func text() -> String {
    (0..<random.below(9)).map { _ in word() }.joined(separator: pick([" ", " ", " ", ", ", "\n", "", "\u{3000}"]))
  }

  private mutating func name() -> String {
    let part = pick(["ann", "Zoë", "bob", "snow", "w1", "日", "the", "qz", "x.y"])
    return part + (random.below(3) == 0 ? "" : String(random.below(40)))
  }

  /// Part of a word or of two, by scalars.
  private mutating func term() -> String {
    let source = random.below(4) == 0 ? name() : random.below(4) == 0 ? word() + word() : word()
    let scalars = Array(source.unicodeScalars)
    let start = random.below(2) == 0 ? 0 : random.below(scalars.count)
    let end = random.below(2) == 0 ? scalars.count : start + 1 + random.below(min(4, scalars.count - start))
    return scalars[start..<end].reduce(into: "") { $0.unicodeScalars.append($1) }
  }
}
