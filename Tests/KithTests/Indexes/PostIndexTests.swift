import Foundation
import Testing

@testable import Kith

/// The index of posts against the same graph without one, which scans every post.
@Suite struct PostIndexTests {
  private static func number(_ name: String, else value: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? value
  }

  /// The number of queries; `KITH_POST_QUESTIONS` sets it.
  private static let questionCount = number("KITH_POST_QUESTIONS", else: 2_400)
  private static let seed = UInt64(number("KITH_POST_SEED", else: 1))

  @Test(
    "Random queries equal a scan at every shape of the index, while posts, names and blocks change",
    arguments: [SocialGraph.PostIndexing.textsAndAuthors, .texts], [0, 3, 40])
  func churn(kind: SocialGraph.PostIndexing, freezing: Int) throws {
    var world = try PostFixture(seed: Self.seed * 100 + UInt64(freezing), kind)
    try world.fill(1_500)
    let steps = Self.questionCount / 6
    for step in 1...steps {
      for _ in 0..<3 { try world.change() }
      // From one segment for every few posts to only those that are due.
      if freezing > 0 && step % freezing == 0 { world.freeze() }
      if step % 50 == 0 { world.settle() }
      try world.compareOne()
      if step % (steps / 3) == 0 { try world.checkInvariants() }
    }
  }

  @Test("The arrays of a segment have little space beyond their elements, which the memory report counts")
  func capacities() {
    var builder = WordPostingsBuilder()
    // One more than a power of two, so that an array that grew would be twice as large as needed.
    let count = 2_049
    for number in 0..<count { builder.add(Array("w\(number)".utf8).span) }
    let postings = builder.finish()
    let words = postings.words
    #expect(postings.entries.count == count && words.blockStarts.count == count / 16 + 2)
    for (count, capacity) in [
      (postings.entries.count, postings.entries.capacity), (words.rows.count, words.rows.capacity),
      (words.blockStarts.count, words.blockStarts.capacity), (words.fences.count, words.fences.capacity),
      (words.keys.count, words.keys.capacity),
    ] {
      #expect(capacity <= count + count / 16 + 64)
    }
  }

  @Test("A pinned view finds the posts of its own version")
  func pins() throws {
    var world = try PostFixture(seed: 7, .textsAndAuthors)
    try world.fill(600)
    for _ in 0..<6 {
      let pins = world.pin()
      for _ in 0..<40 { try world.change() }
      world.freeze()
      world.settle()
      for _ in 0..<15 {
        try world.compareOne(in: pins)
        try world.compareOne()
      }
    }
  }

  @Test("Restored posts are found while their index is built beside a writer, and after")
  func restoring() throws {
    var world = try PostFixture(seed: 8, .textsAndAuthors)
    try world.fill(3_000)
    for _ in 0..<3 {
      try world.restore()
      var count = 0
      while !world.isIndexed || count < 40 {
        try world.change()
        try world.compareOne()
        count += 1
      }
      try world.checkInvariants()
    }
  }

  @Test("Posts added in bulk are scanned until they are indexed")
  func bulk() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    try graph.addPost("before the snow", by: ann)
    try graph.bulk { (batch) throws(KithError) in
      for number in 0..<3_000 {
        try batch.apply(.addPost(id: nil, by: ann, text: "flake \(number)", createdAt: Timestamp(Int64(number))))
      }
    }
    try graph.addPost("after the snow", by: ann)
    func find(_ query: String) throws -> [PostID] { try graph.read { try $0.searchPosts(query) }.map(\.id) }
    #expect(try find("snow") == [3_002, 1] && find("lake 2999") == [3_001])
    graph.settlePosts()
    #expect(graph.read { $0.isPostSearchIndexed })
    #expect(try find("snow") == [3_002, 1] && find("lake 2999") == [3_001] && find("ann 1234") == [1_236])
    #expect(graph.read { $0.verify() }.isEmpty)
  }

  @Test("A segment of mostly removed posts is rebuilt without them")
  func removal() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    for number in 0..<400 { try graph.addPost("word\(number) and more", by: ann) }
    graph.freezePosts()
    for number in 1...300 { try graph.apply(.removePost(PostID(Int64(number)))) }
    #expect(try graph.read { try $0.searchPosts("word1") }.allSatisfy { $0.id.rawValue > 300 })
    graph.settlePosts()
    // It may have been rebuilt before the last of them was removed.
    #expect(graph.read { $0.state.posts.index.segments.reduce(0) { $0 + $1.segment.order.count } } < 200)
    #expect(try graph.read { try $0.searchPosts("word399") }.map(\.id) == [400])
    #expect(graph.read { $0.verify() }.isEmpty)
  }

  @Test("Segments grow geometrically, and every post is found")
  func growth() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    for number in 0..<18_000 { try graph.addPost("n\(number)", by: ann) }
    graph.settlePosts()
    let index = graph.read { $0.state.posts.index }
    #expect(index.isWhole && index.segments.count <= 5 && index.memtables.count <= PostIndex.memtablesPerSegment)
    for number in stride(from: 0, to: 18_000, by: 997) {
      let found = try graph.read { try $0.searchPosts("n\(number)", PostQuery(limit: 1_000)) }.map(\.id.rawValue)
      #expect(found.last == Int64(number + 1))
    }
  }

  @Test("A word in many users' names finds their posts and those with the word, among many others")
  func manyAuthors() throws {
    let graph = SocialGraph()
    // More users than are looked up by name at first, and more posts than are read before the others are.
    for number in 1...900 { try graph.addUser(number % 3 == 0 ? "smithson \(number)" : "user \(number)") }
    var expected: [PostID] = []
    for number in 0..<4_000 {
      let author = number % 20 == 8 ? 1 + number % 900 : 1 + 3 * (number % 300)
      let text = number % 500 == 3 ? "a blacksmith in deep snow" : number % 2 == 0 ? "deep snow" : "rain"
      let id = try graph.addPost(text, by: UserID(Int64(author)))
      if text != "rain" && (author % 3 == 0 || text.contains("smith")) { expected.append(id) }
    }
    #expect(expected.count > 40)
    graph.settlePosts()
    for limit in [1, 5, 21, 1_000] {
      for query in ["smith snow", "snow smith", "SMITH eep snow"] {
        let found = try graph.read { try $0.searchPosts(query, PostQuery(limit: limit)) }
        #expect(found.map(\.id) == Array(expected.reversed().prefix(limit)), "\(query), \(limit)")
      }
    }
  }

  @Test("A text with a NUL is found, also as the last one of a memtable")
  func terminators() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    let texts = (1..<RecentTexts.capacity).map { "n\($0)" } + (0..<64).map { "\0\(UnicodeScalar(UInt8(65 + $0))) snow" }
    for text in texts { try graph.addPost(text, by: ann) }
    #expect(graph.read { $0.state.posts.index.memtables.count } == 2)
    let found = try graph.read { try $0.searchPosts("snow", PostQuery(limit: 1_000)) }
    #expect(found.map(\.text) == texts.suffix(64).reversed())
    #expect(try graph.read { try $0.searchPosts("n1023") }.map(\.id) == [1_023])
  }

  @Test("Common words are found as by a scan, in texts and in many users' names, in every part of the index")
  func commonWords() throws {
    let (graph, plain) = (SocialGraph(), SocialGraph(options: SocialGraph.Options { $0.postIndex = .off }))
    func apply(_ change: Change) throws { for each in [graph, plain] { try each.apply(change) } }
    // More users by each name than are looked up: their posts are found by a scan.
    for number in 1...900 {
      try apply(.addUser(id: nil, username: number % 30 == 0 ? "smithson \(number)" : "snowy \(number % 7) \(number)"))
    }
    for number in 0..<6_000 {
      // From both ends of the users, so that many posts share no name; some posts come out of order.
      let author = number % 40 == 9 ? 30 * (1 + number % 29) : 1 + number % 900 / 30 * 30 + number % 29
      let text = number % 45 == 3 ? "a blackSMITH at wörk" : number % 50 == 0 ? "work, RaiN" : "storm \(number % 60)"
      let time = number % 50 == 7 ? 9_000 - number : number
      try apply(
        .addPost(
          id: nil, by: UserID(Int64(author)), text: text, createdAt: Timestamp(Int64(time) * 1_000)))
      if number == 2_000 || number == 4_000 { graph.freezePosts() }
    }
    func compare() throws {
      for query in ["smith", "rain", "work", "wörk smith", "torm 7", "now 3 storm"] {
        for before in [nil, Timestamp(4_700_000), Timestamp(1_500_000)] {
          let query = (text: query, value: PostQuery(before: before, limit: 40))
          let found = try [graph, plain].map { graph in
            try graph.read { try $0.searchPosts(query.text, query.value) }.map(\.id)
          }
          #expect(found[0] == found[1] && !found[0].isEmpty, "\(query.text) before \(String(describing: before))")
        }
      }
    }
    try compare()
    try apply(.renameUser(UserID(30), to: "rainer"))
    graph.settlePosts()
    try compare()
  }

  @Test("Two words that seldom meet are found where one window of documents ends and the next begins")
  func windows() throws {
    let (graph, plain) = (SocialGraph(), SocialGraph(options: SocialGraph.Options { $0.postIndex = .off }))
    var random = SeededRandom(seed: 3)
    for each in [graph, plain] { _ = try each.addUser("ann") }
    for number in 0..<12_000 {
      // The older the post, the less seldom, so that windows grow and shrink.
      let share = number < 3_000 ? 3 : number < 8_000 ? 9 : 20
      let words = ["snow", "storm", "rain"].filter { _ in random.below(share) == 0 }
      let text = words.joined(separator: " ") + " n\(number)"
      for each in [graph, plain] { try each.addPost(text, by: 1) }
    }
    graph.settlePosts()
    for query in ["snow storm", "rain snow", "storm rain snow", "snow"] {
      for limit in [1, 5, 20, 60, 1_000] {
        let found = try [graph, plain].map { graph in
          try graph.read { try $0.searchPosts(query, PostQuery(limit: limit)) }.map(\.id)
        }
        #expect(found[0] == found[1] && found[0].count > min(limit, 60) / 2, "\(query), \(limit)")
      }
    }
  }

  /// Windows begin anywhere if their width or a set's first document is not rounded: a bitmap then is off by some bits.
  @Test("Words of bitmaps and of lists meet in windows of every width, and from every document on")
  func widths() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    var posts: [(id: PostID, words: [String])] = []
    for number in 0..<9_000 {
      // Two frequent words that meet in one of a hundred posts of the newest, and later in fewer than expected, so that
      // a window of a width computed from them is followed by others; and a seldom word from the middle on.
      let meets = number % (number < 7_000 ? 300 : 100) == 37
      var words = [meets ? "snow storm" : ["snow", "storm", "clear"][number % 3]]
      if number < 5_003 && number % 41 == 7 { words.append("seldom") }
      let id = try graph.addPost(words.joined(separator: " ") + " n\(number)", by: ann)
      posts.insert((id, words[0].split(separator: " ").map(String.init) + words.dropFirst()), at: 0)
    }
    graph.freezePosts()
    graph.settlePosts()
    let longest = graph.read { $0.state.posts.index.segments.map { $0.segment.order.count }.max() ?? 0 }
    #expect(longest >= 4_096)
    for query in [["snow", "storm"], ["snow", "seldom"], ["storm", "seldom"], ["snow", "storm", "seldom"]] {
      let expected = posts.filter { post in query.allSatisfy { post.words.contains($0) } }.map(\.id)
      #expect(expected.count >= (query.count == 3 ? 1 : 30))
      for limit in 1...90 {
        let page = try graph.read { try $0.searchPosts(query.joined(separator: " "), PostQuery(limit: limit)) }
        #expect(page.map(\.id) == Array(expected.prefix(limit)), "\(query), \(limit)")
      }
    }
  }

  @Test(
    "Posts of authors with few and with many are found in each of several segments, also out of order",
    arguments: [SocialGraph.PostIndexing.textsAndAuthors, .texts])
  func prolificAuthors(kind: SocialGraph.PostIndexing) throws {
    let graphs = [kind, .off].map { kind in SocialGraph(options: SocialGraph.Options { $0.postIndex = kind }) }
    var random = SeededRandom(seed: Self.seed)
    for number in 1...60 { for each in graphs { try each.addUser(number <= 30 ? "smith \(number)" : "ann \(number)") } }
    for number in 0..<9_000 {
      // One author of each name has most posts, a few have some, and the others one in each segment or none.
      let share = random.below(20)
      let rank = share < 9 ? 1 : share < 19 ? 2 + random.below(5) : 7 + random.below(24)
      let author = UserID(Int64(rank + (random.below(2) == 0 ? 0 : 30)))
      let text = random.below(12) == 0 ? "deep snow \(number)" : "rain \(number)"
      let time = random.below(8) == 0 ? random.below(9_000) : number
      var changes = [Change.addPost(id: nil, by: author, text: text, createdAt: Timestamp(Int64(time) * 1_000))]
      if number % 37 == 36 { changes.append(.removePost(PostID(Int64(number - random.below(30))))) }
      for change in changes { for each in graphs { try each.apply(change) } }
      if number % 2_000 == 1_999 { graphs[0].freezePosts() }
    }
    #expect(graphs[0].read { $0.state.posts.index.segments.count } == 4)
    for query in ["smith", "smith snow", "mith 1 snow", "smith 9", "smith 2 rain", "mith deep snow"] {
      for limit in [1, 20, 150, 1_000] {
        for before in [nil, Timestamp(5_100_000), Timestamp(900_000)] {
          let found = try graphs.map { graph in
            try graph.read { try $0.searchPosts(query, PostQuery(before: before, limit: limit)) }.map(\.id)
          }
          #expect(found[0] == found[1] && !found[0].isEmpty, "\(query), \(limit), \(String(describing: before))")
        }
      }
    }
  }

  @Test("A segment that texts have outgrown leaves a gap, which is indexed next")
  func outgrown() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    for number in 0..<100 { try graph.addPost("snow \(number)", by: ann) }
    graph.freezePosts()
    graph.withPosts { posts in
      let (whole, part) = (posts.beginCompaction(of: 0..<100), posts.beginCompaction(of: 0..<60))
      _ = posts.install(part.segment(), of: whole)
    }
    func rows() -> [Range<UInt32>] { graph.read { $0.state.posts.index.segments.map(\.segment.rows) } }
    #expect(rows() == [0..<60])
    let query = PostQuery(limit: 1_000)
    #expect(try graph.read { try $0.searchPosts("snow", query) }.count == 100)
    graph.settlePosts()
    #expect(rows().last?.upperBound == 100)
    #expect(try graph.read { try $0.searchPosts("snow", query) }.count == 100)
    #expect(graph.read { $0.verify() } == [])
  }

  @Test("Without an index nothing is stored, and answers are the same")
  func off() throws {
    let graph = SocialGraph(options: SocialGraph.Options { $0.postIndex = .off })
    try graph.addPost("snow", by: graph.addUser("ann"))
    graph.settlePosts()
    #expect(try graph.read { try $0.searchPosts("now") }.count == 1)
    #expect(graph.read { !$0.isPostSearchIndexed && $0.state.posts.index.byteCount == 0 })
  }
}

extension SocialGraph {
  /// Builds what is due, synchronously.
  func settlePosts() {
    while let compaction = withPosts({ $0.beginCompaction(besides: []) }) {
      let segment = compaction.segment()
      withPosts { _ = $0.install(segment, of: compaction) }
    }
  }

  /// Makes one segment of the rows after the last one.
  /// Compresses the texts, with tokens learned from few of them.
  func compressTexts() {
    withPosts { $0.compressTexts(windowByteCount: 500) }
  }

  func freezePosts() {
    withPosts { posts in
      let start = posts.index.segments.last?.segment.rows.upperBound ?? 0
      let compaction = posts.beginCompaction(of: start..<UInt32(posts.rowCount))
      _ = posts.install(compaction.segment(), of: compaction)
    }
  }
}
