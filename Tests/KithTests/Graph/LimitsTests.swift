import Testing

@testable import Kith

/// The limits of `SocialGraph.Options` on a graph: a change that would exceed one fails and changes nothing.
@Suite struct LimitsTests {
  private static let users = KithError.limitExceeded(.users(limit: 3))

  @Test("One user or post over the limit is refused until another is removed")
  func userAndPostLimits() throws {
    let graph = SocialGraph(
      options: SocialGraph.Options {
        $0.maximumUserCount = 3
        $0.maximumPostCount = 2
      })
    let ids = try ["ann", "bob", "cid"].map { try graph.addUser($0) }
    let before = graph.read { $0.rows }
    #expect(throws: Self.users) { try graph.addUser("dora") }
    #expect(graph.read { $0.rows } == before)
    #expect(try graph.follow(ids[1], as: ids[0]))
    try graph.removeUser(ids[2])
    #expect(try graph.addUser("dora") == UserID(4), "a refused user takes no id")

    let post = try graph.addPost("one", by: ids[0])
    try graph.addPost("two", by: ids[0])
    #expect(throws: KithError.limitExceeded(.posts(limit: 2))) { try graph.addPost("three", by: ids[0]) }
    try graph.removePost(post)
    try graph.addPost("three", by: ids[0])
    #expect(graph.read { $0.verify() } == [])
  }

  @Test("A batch that exceeds a limit changes nothing, and names the change")
  func batchOverTheLimit() throws {
    let graph = SocialGraph(options: SocialGraph.Options { $0.maximumUserCount = 3 })
    try graph.addUser("ann")
    let before = graph.read { $0.rows }
    #expect(throws: KithError.inBatch(index: 2, Self.users)) {
      try graph.batch { batch throws(KithError) in
        for name in ["bob", "cid", "dora"] { try batch.apply(.addUser(id: nil, username: name)) }
      }
    }
    #expect(graph.read { $0.rows } == before && graph.read { $0.verify() } == [])
    #expect(try graph.addUser("bob") == UserID(2))
  }

  @Test("At the memory limit additions are refused and removals accepted")
  func memoryLimit() throws {
    let limit = 4 << 20
    let graph = SocialGraph(options: SocialGraph.Options { $0.maximumByteCount = limit })
    let ann = try graph.addUser("ann")
    let bob = try graph.addUser("bob")
    let first = try graph.addPost(String(repeating: "a", count: 60_000), by: ann)
    let refused = KithError.limitExceeded(.memory(byteLimit: limit))
    #expect(throws: refused) {
      for _ in 0..<1_000 { try graph.addPost(String(repeating: "a", count: 60_000), by: ann) }
    }
    let byteCount = graph.read { $0.memoryReport() }.byteCount
    #expect(byteCount >= limit && byteCount < limit + (1 << 20) + 70_000, "exceeded by a page of texts at most")
    #expect(throws: refused) { try graph.follow(ann, as: bob) }
    #expect(throws: refused) { try graph.like(first, as: bob) }
    #expect(throws: refused) { try graph.block(ann, as: bob) }
    #expect(throws: refused) { try graph.renameUser(bob, to: "bert") }
    #expect(try graph.unfollow(ann, as: bob) == false)
    #expect(try graph.read { view throws(KithError) in try view.timeline(of: ann) }.isEmpty == false)
    try graph.removeUser(ann)
    #expect(graph.read { $0.verify() } == [])
    #expect(try graph.follow(try graph.addUser("cid"), as: bob), "the pages of her texts are free again")
  }

  /// How a store is filled to its limit.
  enum Filling: CaseIterable {
    case texts, compressedTexts, names, edges, compactEdges, churn

    /// What may be added. Of compressed texts so much that as plain ones they are beyond any estimate of the limit.
    private var addedByteCount: Int {
      switch self {
      case .compressedTexts: 11 << 20
      case .texts, .names, .churn: 2 << 20
      case .edges, .compactEdges: 400 << 10
      }
    }

    /// - Parameter byteCount: the bytes of the graph before.
    func options(from byteCount: Int) -> SocialGraph.Options {
      SocialGraph.Options {
        $0.durability = .flushed
        $0.snapshotAfterChangeCount = nil
        $0.postIndex = self == .compressedTexts ? .off : .textsAndAuthors
        $0.compactLists = self == .compactEdges
        $0.compressTexts = self == .compressedTexts
        $0.maximumByteCount = byteCount + addedByteCount
      }
    }

    /// Makes the next change.
    func change(_ graph: SocialGraph, _ step: Int64, _ random: inout SeededRandom) throws {
      let (user, other) = (UserID(Int64(1 + random.below(500))), UserID(Int64(1 + random.below(500))))
      switch self {
      case .texts: try graph.addPost(String(repeating: "\(step) ", count: 4_000), by: user)
      case .compressedTexts: try graph.addPost(String(repeating: "good morning everyone ", count: 2_700), by: user)
      case .names: try graph.addUser("\(step) is the name of somebody")
      case .edges, .compactEdges: if user != other { try graph.follow(other, as: user, at: Timestamp(step * 1_000)) }
      case .churn:
        let post = try graph.addPost(String(repeating: "\(step) ", count: 1 + random.below(2_000)), by: user)
        if step % 3 > 0 { try graph.like(post, as: other, at: Timestamp(step)) } else { try graph.removePost(post) }
        if step % 50 == 0 { try graph.renameUser(other, to: "renamed \(step)") }
      }
    }
  }

  @Test("A store that was filled to its limit opens again with the same options", arguments: Filling.allCases)
  func filled(_ filling: Filling) throws {
    let directory = try TemporaryDirectory()
    let empty = SocialGraph()
    for number in 0..<500 { try empty.addUser("user \(number)") }
    let byteCount = empty.read { $0.memoryReport().byteCount }
    let (store, options) = (directory.file("store"), filling.options(from: byteCount))
    var random = SeededRandom(seed: 3)
    for isSaved in [false, true] {
      let graph = try SocialGraph.open(store, options: options)
      if graph.read({ $0.counts.users }) == 0 { for number in 0..<500 { try graph.addUser("user \(number)") } }
      var error: KithError?
      var step = Int64(graph.read { $0.sequence })
      while error == nil, step < 200_000 {
        step += 1
        do { try filling.change(graph, step, &random) } catch let refusal as KithError { error = refusal }
      }
      #expect(error?.code == "limitExceeded", "after \(step) changes")
      if isSaved { try graph.snapshot() }
      try graph.close()
    }
    let again = try SocialGraph.open(store, options: options)
    #expect(again.read { $0.verify() } == [])
    try again.close()
    guard filling == .compressedTexts else { return }
    var less = options
    less.maximumByteCount = 4 << 20
    #expect(throws: KithError.self) { try SocialGraph.open(store, options: less) }
  }

  @Test("A graph may exceed its limit by an eighth and two megabytes when it is opened")
  func opening() {
    let limit = RestoreLimit.ownStore(maximumByteCount: 1 << 20)
    #expect(limit.isOwnStore && !RestoreLimit.outside(allowedByteCount: 1).isOwnStore)
    #expect(RestoreLimit.openedByteCount(8 << 20) == 11 << 20)
    #expect(RestoreLimit.openedByteCount(.max) == .max)
  }

  @Test("Files that hold more are refused and not changed")
  func largeFiles() throws {
    let directory = try TemporaryDirectory()
    let store = directory.file("store")
    let graph = try SocialGraph.open(store)
    for name in ["ann", "bob", "cid", "dora"] { try graph.addUser(name) }
    let path = try graph.snapshot().path
    try graph.addUser("eve")
    let rows = graph.read { $0.rows }
    try graph.close()
    let bytes = try directory.read("store/" + (path.split(separator: "/").last.map(String.init) ?? ""))
    let few = SocialGraph.Options { $0.maximumUserCount = 3 }
    for open in [
      { try SocialGraph.open(store, options: few) }, { try SocialGraph.open(store, access: .readOnly, options: few) },
      { try SocialGraph.open(path, options: few) }, { try SocialGraph(snapshot: bytes, options: few) },
    ] as [() throws -> SocialGraph] {
      let error = #expect(throws: KithError.self) { _ = try open() }
      #expect([4, 5].map { .limitExceeded(.users(limit: 3, count: $0)) }.contains(error))
    }
    let again = try SocialGraph.open(store, options: SocialGraph.Options { $0.maximumUserCount = 5 })
    #expect(again.read { $0.rows } == rows)
    #expect(throws: KithError.limitExceeded(.users(limit: 5))) { try again.addUser("fay") }
    try again.close()
  }
}

/// The limits of single queries (`SocialGraph.Limits`).
@Suite struct QuestionLimitsTests {
  private static func refused(_ count: Int) -> KithError {
    .invalidRequest(.idCount(count))
  }

  @Test("A thousand ids are answered, one more is refused")
  func idCount() throws {
    let graph = SocialGraph()
    let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("bob"))
    let post = try graph.addPost("hello", by: ann)
    try graph.read { (view) throws in
      #expect(try view.users(Array(repeating: bob, count: 1_000)).map { $0?.id } == Array(repeating: bob, count: 1_000))
      #expect(try view.posts(Array(repeating: post, count: 1_000), as: bob).count == 1_000)
      #expect(try view.relations(of: ann, to: Array(repeating: bob, count: 1_000)).count == 1_000)
      for count in [1_001, 65_601] {
        #expect(throws: Self.refused(count)) { try view.users(Array(repeating: bob, count: count)) }
        #expect(throws: Self.refused(count)) { try view.posts(Array(repeating: post, count: count), as: bob) }
        #expect(throws: Self.refused(count)) { try view.relations(of: ann, to: Array(repeating: bob, count: count)) }
      }
    }
  }

  @Test("The texts of a thousand longest posts are kept apart")
  func longestPosts() throws {
    let graph = SocialGraph()
    let author = try graph.addUser(String(repeating: "a", count: 255))
    let long = try graph.addPost(String(repeating: "x", count: 65_535), by: author)
    let short = try graph.addPost("the last one", by: author)
    let posts = try graph.read { try $0.posts(Array(repeating: long, count: 999) + [short]) }
    #expect(posts.last??.text == "the last one" && posts[998]?.text.utf8.count == 65_535)
  }

  @Test("Other counts have limits too")
  func otherCounts() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    try graph.read { (view) throws in
      for limit in [0, 1_001, .max, .min] {
        #expect(throws: KithError.self) { try view.searchUsers("", UserQuery(limit: limit)) }
        #expect(throws: KithError.self) { try view.searchPosts("", PostQuery(limit: limit)) }
        #expect(throws: KithError.self) { try view.timeline(of: ann, TimelineQuery(limit: limit)) }
        #expect(throws: KithError.self) { try view.twoHopTimeline(of: ann, TimelineQuery(limit: limit)) }
        #expect(throws: KithError.self) { try view.followers(of: ann, ListQuery(limit: limit)) }
        #expect(throws: KithError.self) { try view.mutualFollowees(of: ann, and: ann, MutualQuery(limit: limit)) }
        #expect(throws: KithError.self) { try view.suggestions(for: ann, SuggestionQuery(limit: limit)) }
      }
      #expect(throws: KithError.self) { try view.suggestions(for: ann, SuggestionQuery(namedCount: 101)) }
      #expect(throws: KithError.self) { try view.shortestPath(from: ann, to: ann, PathQuery(maximumHops: -1)) }
      #expect(try view.shortestPath(from: ann, to: ann, PathQuery(maximumHops: .max)) == .path([ann]))
    }
    for rounds in [-1, SocialGraph.Limits.roundCount + 1, .max] {
      #expect(throws: KithError.self) { try graph.pin().pageRank(PageRank.Options(maximumRounds: rounds)) }
    }
  }

  @Test("Every spelling of a name finds it, and longer texts are not compared")
  func longSpellings() throws {
    let graph = SocialGraph()
    // Three bytes for each letter: the longest spelling of the name.
    let longest = try graph.addUser(String(repeating: "\u{390}", count: 127))
    let spelling = String(repeating: "\u{3B9}\u{308}\u{301}", count: 127)
    #expect(graph.read { $0.findUser(named: spelling) } == longest)
    #expect(spelling.utf8.count <= SocialGraph.Limits.spellingByteCount)
    #expect(graph.read { $0.findUser(named: String(repeating: "\u{301}", count: 1_200)) } == nil)
  }

  @Test("A cursor holds no more than a username")
  func cursorLength() throws {
    let graph = SocialGraph()
    try graph.addUser("ann")
    func ask(_ byteCount: Int) throws(KithError) -> Int {
      let name = Array(repeating: UInt8(ascii: "a"), count: byteCount)
      let text = CursorContent(kind: .usersByName, numbers: [1], name: name).text
      return try graph.read { (view) throws(KithError) in
        try view.searchUsers("", UserQuery(cursor: Cursor(text))).count
      }
    }
    #expect(try ask(255) == 1)
    #expect(throws: KithError.invalidCursor) { try ask(258) }
    #expect(throws: KithError.invalidCursor) { try ask(100_000) }
  }
}
