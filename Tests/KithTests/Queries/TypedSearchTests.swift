import Testing

@testable import Kith

/// Search by what people type for what is written: apostrophes, dashes, quotation marks, vowel points, kana. By every
/// match mode, over the memtable and over segments, with highlights.
@Suite struct TypedSearchTests {
  /// What is typed, and the name that a person expects to find.
  private static let pairs = [
    ("O'Neil", "Bonnie O’Neil"), ("O’Neil", "Bonnie O'Neil"), ("Мар'яна", "Мар’яна"), ("Марʼяна", "Мар'яна"),
    ("hawai'i", "Hawaiʻi"), ("jean-luc", "Jean‐Luc"), ("jean-luc", "Jean–Luc"), ("תקון", "תִּקּוּן"), ("שלום", "שָׁלוֹם"),
    ("محمد", "محـمـد"), ("5'10\"", "5′10″"), ("“x”", "\"x\""), ("ガラス", "ｶﾞﾗｽ"), ("が", "か\u{3099}"), ("−1", "-1"),
  ]

  private static func graph(_ names: [String], others: Int) throws -> SocialGraph {
    let graph = SocialGraph()
    try graph.bulk { batch throws(KithError) in
      for name in names { _ = try batch.importChange(.addUser(id: nil, username: name)) }
      for id in 0..<others {
        _ = try batch.importChange(.addUser(id: UserID(Int64(1_000_000 + id)), username: "another \(id * 7) 日"))
      }
    }
    return graph
  }

  private static func found(_ graph: SocialGraph, _ text: String, _ search: UserQuery = UserQuery()) throws -> [String]
  {
    try graph.read { (view) throws(KithError) in try view.searchUsers(text, search).map(\.username) }
  }

  @Test("What is typed finds what is written, in every mode, in a small and in a large graph", arguments: [0, 20_000])
  func pairs(others: Int) throws {
    for (typed, written) in Self.pairs {
      let graph = try Self.graph([written], others: others)
      #expect(try Self.found(graph, typed) == [written], "\(typed)")
      #expect(try Self.found(graph, written) == [written], "\(written)")
      #expect(try Self.found(graph, written, UserQuery(match: .exact)) == [written], "\(written)")
      let last = try #require(written.split(separator: " ").last.map(String.init))
      let own = try Self.graph([last], others: others)
      for match in [UserQuery.Match.prefix, .exact, .fuzzy] {
        #expect(try Self.found(own, typed, UserQuery(match: match)) == [last], "\(typed), \(match)")
      }
      // What is written counts in a strict search, unless the texts are canonically equivalent.
      let isStrict = Folding.strict(typed) == Folding.strict(last)
      #expect(try Self.found(own, typed, UserQuery(fold: .strict)) == (isStrict ? [last] : []), "\(typed)")
    }
  }

  /// The okina is typed as an apostrophe; left out, it is one edit.
  @Test("A letter too few is a typo") func leftOut() throws {
    let graph = try Self.graph(["Hawaiʻi"], others: 0)
    #expect(try Self.found(graph, "hawai'i") == ["Hawaiʻi"] && Self.found(graph, "hawaii") == [])
    #expect(try Self.found(graph, "hawaii", UserQuery(match: .fuzzy)) == ["Hawaiʻi"])
  }

  @Test("Voiced and plain kana are two letters, in names and in posts", arguments: [0, 20_000])
  func kana(others: Int) throws {
    let graph = try Self.graph(["はは", "ぱぱ", "ばば", "ﾊﾟﾊﾟ", "は\u{309A}は"], others: others)
    #expect(try Self.found(graph, "は") == ["はは", "は\u{309A}は"])
    #expect(try Self.found(graph, "ぱ") == ["は\u{309A}は", "ぱぱ"])
    #expect(try Self.found(graph, "パ") == ["ﾊﾟﾊﾟ"] && Self.found(graph, "ハ") == [])
    #expect(try Self.found(graph, "\u{3099}") == [], "a lone mark has an empty key")
    try graph.addPost("かき O’Neil", by: 1)
    try graph.addPost("がぎ jean‐luc", by: 2)
    let searches: [(String, PostID)] = [
      ("か", 1), ("が", 2), ("か\u{3099}", 2), ("o'neil", 1), ("jean-luc", 2), ("き o’n", 1),
    ]
    for (words, id) in searches {
      #expect(try graph.read { (view) throws(KithError) in try view.searchPosts(words).map(\.id) } == [id], "\(words)")
    }
  }

  @Test("Highlights cover whole scalars, with the points, the tatweel or the voicing mark that belong to them")
  func highlights() throws {
    let cases: [(String, String, [Range<Int>])] = [
      ("o'n", "Bonnie O’Neil", [7..<12]), ("'", "O’N'", [1..<4, 5..<6]), ("שלום", "xשָׁלוֹםy", [1..<15]),
      ("مم", "مـم", [0..<6]), ("م", "مـم", [0..<2, 4..<6]), ("が", "xか\u{3099}か", [1..<7]),
      ("が", "か\u{200D}\u{3099}x", [0..<9]), ("か", "か\u{200D}\u{3099}か", [9..<12]), ("x", "x\u{200D}\u{3099}", [0..<1]),
      ("ガ", "ｶﾞｶ", [0..<6]), ("\"", "5″", [1..<4]), ("が", "か\u{200D}\u{301}\u{3099}x", [0..<11]),
      ("か", "か\u{309A}\u{200D}\u{3099}", [0..<6]),
    ]
    for (text, name, ranges) in cases {
      let graph = try Self.graph([name], others: 0)
      let page = try graph.read { (view) throws(KithError) in
        try view.searchUsers(text, UserQuery(includesHighlights: true))
      }
      #expect(page.highlights == [ranges], "\(text) in \(name.unicodeScalars.map { String($0.value, radix: 16) })")
    }
  }

  @Test("Many dropped scalars between a kana and its mark take linear time")
  func longGaps() throws {
    let gap = String(repeating: "\u{200D}\u{301}", count: 6_000)
    let graph = try Self.graph(["ann"], others: 0)
    try graph.addPost("か\(gap)\u{3099} か" + String(repeating: "\u{200D}\u{3099}", count: 5_000), by: 1)
    let page = try graph.read { (view) throws(KithError) in
      try view.searchPosts("が", PostQuery(includesHighlights: true))
    }
    let first = 3 + gap.utf8.count + 3
    #expect(page.highlights == [[0..<first, first + 1..<first + 1 + 9]])
  }

  @Test("A cursor is a name: it keeps its place whatever the keys of the version that made it were")
  func cursors() throws {
    let graph = try Self.graph(["a'b", "a–c", "a’d", "が", "か"], others: 0)
    var search = UserQuery(limit: 1)
    var walked: [String] = []
    while true {
      let page = try graph.read { (view) throws(KithError) in try view.searchUsers("", search) }
      walked += page.map(\.username)
      search.cursor = page.next
      guard let cursor = page.next else { break }
      let place = try CursorContent(cursor, kind: .usersByName, subject: 0, numberCount: 1)
      #expect(place.name == Array(page[0].username.utf8))
    }
    #expect(walked == ["a'b", "a’d", "a–c", "か", "が"])
  }

  #if Regex
    @Test("A regular expression finds the same names with its index as by a test of each name", arguments: [0, 2_000])
    func patterns(others: Int) throws {
      let names = ["か", "が", "か\u{200D}\u{3099}", "か\u{3099}き", "Bonnie O’Neil", "O'Neil", "תִּקּוּן", "מ\u{640}", "ｶﾞ"]
      let graph = try Self.graph(names, others: others)
      let cases = [
        ("か", ["か", "か\u{200D}\u{3099}"]), ("が", ["が", "か\u{3099}き"]), ("O’N", ["Bonnie O’Neil"]), ("o'n", ["O'Neil"]),
        ("^か.\u{3099}", ["か\u{200D}\u{3099}"]), ("ｶﾞ", ["ｶﾞ"]), ("מ", ["מ\u{640}"]),
      ]
      for (pattern, found) in cases {
        #expect(Set(try Self.found(graph, pattern, UserQuery(match: .regex))) == Set(found), "\(pattern)")
      }
    }
  #endif
}
