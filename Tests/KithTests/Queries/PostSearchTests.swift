import Testing

@testable import Kith

/// Rules of post searches that random queries rarely reach.
@Suite struct PostSearchTests {
  /// Words that fold alike count once, so that many more than 32 may be written.
  private static let spellings =
    ["a", "à", "á", "â", "ã", "ä", "å", "ā", "ă", "ą", "ǎ", "ȁ", "ȃ", "ȧ", "e", "è", "é", "ê", "ë", "ē", "ĕ", "ė", "ę"]
    + [
      "ě", "ȅ", "ȇ", "ȩ", "i", "ì", "í", "î", "ï", "ĩ", "ī", "ĭ", "į", "ǐ", "ȉ", "ȋ", "o", "ò", "ó", "ô", "õ", "ö", "ō",
    ]
    + [
      "ŏ", "ő", "ơ", "ǒ", "ǫ", "ȍ", "ȏ", "ȯ", "u", "ù", "ú", "û", "ü", "ũ", "ū", "ŭ", "ů", "ű", "ų", "ư", "ǔ", "ȕ", "ȗ",
    ]

  @Test("Any number of spellings of one word leaves room for others")
  func manySpellings() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    let post = try graph.addPost("a e i o u, but no snow", by: ann)
    try graph.addPost("a e i o u", by: ann)
    let query = Self.spellings.joined(separator: " ") + " snow"
    #expect(Self.spellings.count > 64 && query.utf8.count <= 256)
    #expect(try graph.read { try $0.searchPosts(query) }.map(\.id) == [post])
    #expect(throws: KithError.queryTooLong) { try graph.read { try $0.searchPosts(query, PostQuery(fold: .strict)) } }
  }

  @Test("At most 32 distinct words and 256 bytes are accepted")
  func limits() throws {
    let graph = SocialGraph()
    let words = (0..<33).map { "w\($0)" }
    let ann = try graph.addUser("ann")
    try graph.addPost(words.joined(separator: " "), by: ann)
    func count(_ query: String) throws -> Int { try graph.read { try $0.searchPosts(query) }.count }
    #expect(try count(words.prefix(32).joined(separator: "\n") + " W0 w1  ") == 1)
    #expect(throws: KithError.queryTooLong) { try count(words.joined(separator: " ")) }
    #expect(try count(String(repeating: " ", count: 300) + "w0") == 1)
    #expect(throws: KithError.queryTooLong) { try count(String(repeating: "é", count: 129)) }
    #expect(try count(String(repeating: "é", count: 128)) == 0)
  }

  @Test("One word can match the text and another the author's name, also after a rename")
  func names() throws {
    let graph = SocialGraph()
    let (zoe, bob) = (try graph.addUser("Zoë"), try graph.addUser("bob"))
    for author in [zoe, bob] { try graph.addPost("first snow", by: author) }
    func ids(_ query: String, _ fold: TextFolding = .loose) throws -> [PostID] {
      try graph.read { try $0.searchPosts(query, PostQuery(fold: fold)) }.map(\.id)
    }
    #expect(try ids("ZOE snow") == [1] && ids("zoe snow", .strict) == [] && ids("ZOË SNOW", .strict) == [1])
    #expect(try ids("o") == [2, 1] && ids("bob zoe") == [])
    try graph.renameUser(zoe, to: "bobby")
    #expect(try ids("bob snow") == [2, 1] && ids("zoe") == [])
  }

  @Test(
    "Ranges of the matched words in the text are given on request",
    arguments: [
      ("An ant; é and", "AN", [0..<2, 3..<5, 11..<13]), ("banana", "ana", [1..<4]), ("aaaa", "aa", [0..<2, 2..<4]),
      ("one two", "two one", [0..<3, 4..<7]), ("snowstorm", "now storm owst", [1..<9]), ("Straße", "ss", [4..<6]),
      ("cafe\u{301}s", "fé", [2..<6]), ("nothing here", "ann", []), ("", "ann", []),
    ])
  func highlights(text: String, query: String, ranges: [Range<Int>]) throws {
    let graph = SocialGraph()
    try graph.addPost(text, by: graph.addUser("ann"))
    let words = query + (ranges.isEmpty ? "" : " ann")
    let page = try graph.read { try $0.searchPosts(words, PostQuery(includesHighlights: true)) }
    #expect(page.highlights == [ranges])
    #expect(try graph.read { try $0.searchPosts(words) }.highlights == nil)
    #expect(try graph.read { try $0.searchPosts("", PostQuery(includesHighlights: true)) }.highlights == [[]])
  }

  /// 300 names are more than are listed before a post is read. Their posts are then walked if they are few; else the
  /// authors of the posts with the other word are tested.
  @Test("A word of many names and one of many texts find the posts with both", arguments: [2, 40])
  func manyNames(postsPerName: Int) throws {
    let graph = SocialGraph()
    let others = try (0..<50).map { try graph.addUser("other\($0)") }
    let walkers = try (0..<300).map { try graph.addUser("walker\($0)") }
    let gap = 12_000 / (300 * postsPerName)
    var expected: [PostID] = []
    for index in 0..<12_000 {
      try graph.addPost("harbour \(index)", by: others[index % 50])
      guard index % gap == 0 else { continue }
      let (round, walker) = (index / gap / 300, walkers[index / gap % 300])
      let post = try graph.addPost(round == 1 ? "the harbour" : "a street", by: walker)
      if round == 1 { expected.append(post) }
    }
    graph.freezePosts()
    graph.settlePosts()
    let isIndexed = graph.read { $0.isPostSearchIndexed }
    let found = try graph.read { try $0.searchPosts("walker harbour", PostQuery(limit: 1_000)) }.map(\.id)
    #expect(isIndexed && expected.count == 300 && found == expected.reversed())
  }
}
