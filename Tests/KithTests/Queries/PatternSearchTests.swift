import Foundation
import Testing

@testable import Kith

/// Fuzzy search and regular expressions through the graph: order, pages, errors, and the cost of hostile patterns.
@Suite struct PatternSearchTests {
  private static func graph(_ names: [String]) throws -> SocialGraph {
    let graph = SocialGraph()
    for name in names { try graph.addUser(name) }
    return graph
  }

  private static func names(_ graph: SocialGraph, _ query: String, _ search: UserQuery) throws -> [String] {
    var names: [String] = []
    var search = search
    repeat {
      let page = try graph.read { (view) throws(KithError) in try view.searchUsers(query, search) }
      names += page.map(\.username)
      search.cursor = page.next
    } while search.cursor != nil
    return names
  }

  private static let people = [
    "alice", "alise", "malicee", "Alyse", "bob", "christopher", "kristofer", "abc", "abd", "Jose\u{301}", "x y",
  ]

  @Test("Fewest edits come first, then names; one typo from four letters on, two from eight", arguments: [1, 2, 20])
  func fuzzy(limit: Int) throws {
    let graph = try Self.graph(Self.people)
    let search = UserQuery(match: .fuzzy, limit: limit)
    #expect(try Self.names(graph, "alice", search) == ["alice", "malicee", "alise"])
    #expect(try Self.names(graph, " ALYCE ", search) == ["alice", "Alyse", "malicee"])
    #expect(try Self.names(graph, "abc", search) == ["abc"])
    #expect(try Self.names(graph, "christofer", search) == ["christopher", "kristofer"])
    #expect(try Self.names(graph, "josa", search) == ["Jose\u{301}"])
    #expect(try Self.names(graph, "alxxe", search) == [])
    #expect(try Self.names(graph, "ailce", search) == ["alice", "malicee"])
    #expect(try Self.names(graph, "chrsitohper", search) == ["christopher"])
    #expect(try Self.names(graph, "bca", search) == [], "a swap is an edit, and three letters have none")
    #expect(try Self.names(graph, "\u{301}", search) == [])
    #expect(try Self.names(graph, "", search).count == Self.people.count)
    let counted = try graph.read {
      try $0.searchUsers("alice", UserQuery(match: .fuzzy, countsMatches: true, limit: 1))
    }
    #expect(counted.total == 3 && counted.items.count == 1)
  }

  @Test("In a strict fuzzy search accents count as edits")
  func strictly() throws {
    let graph = try Self.graph(["josé", "jose", "jósé", "joseph"])
    #expect(try Self.names(graph, "jose", UserQuery(match: .fuzzy)) == ["jose", "josé", "jósé", "joseph"])
    #expect(try Self.names(graph, "jose", UserQuery(match: .fuzzy, fold: .strict)) == ["jose", "joseph", "josé"])
  }

  @Test("A strict fuzzy page is ordered by edits of the strict key", arguments: [1, 2, 20])
  func strictOrder(limit: Int) throws {
    let graph = try Self.graph(["jose", "josé", "jösé", "Josephine", "joséphine"])
    let search = UserQuery(match: .fuzzy, fold: .strict, countsMatches: true, limit: limit)
    #expect(try Self.names(graph, "josé", search) == ["josé", "joséphine", "jose", "jösé", "Josephine"])
    #expect(try graph.read { try $0.searchUsers("josé", search).total } == 5)
    #expect(try Self.names(graph, "joséphine", search) == ["joséphine", "Josephine"])
  }

  @Test("Fuzzy refuses other orders and cursors of other lists")
  func refusals() throws {
    let graph = try Self.graph(Self.people)
    #expect(throws: KithError.invalidRequest(.fuzzyOrder("popular"))) {
      try graph.read { (view) throws(KithError) in
        try view.searchUsers("abcd", UserQuery(match: .fuzzy, order: .popular))
      }
    }
    let byName = try graph.read { try $0.searchUsers("", UserQuery(limit: 1)).next }
    let other = UserQuery(match: .fuzzy, cursor: byName)
    #expect(throws: KithError.invalidCursor) {
      try graph.read { (view) throws(KithError) in try view.searchUsers("alice", other) }
    }
  }

  #if Regex
    /// In this thread's own time.
    private static func threadSeconds() -> Double {
      var time = timespec()
      unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }

    @Test("Expressions match anywhere in the name, in any case and canonical spelling")
    func expressions() throws {
      let graph = try Self.graph(["alice", "Bob", "bobby", "a.b", "Jose\u{301}", "x y", "日本語", "K\u{212A}k"])
      let cases = [
        ("^b", ["Bob", "bobby"]), ("B{2}", ["bobby"]), ("O.*y|li", ["alice", "bobby"]), (".\\..", ["a.b"]),
        ("^josé$", ["Jose\u{301}"]), (" ", ["x y"]), ("本|y$", ["bobby", "x y", "日本語"]), ("k{3}", ["K\u{212A}k"]),
        ("^\\p{Han}", ["日本語"]), ("(?-i)B", ["Bob"]),
        (
          "a|b|",
          [
            "a.b", "alice", "Bob", "bobby", "Jose\u{301}",
            "K\u{212A}k", "x y", "日本語",
          ]
        ),
      ]
      for (pattern, expected) in cases {
        #expect(try Self.names(graph, pattern, UserQuery(match: .regex, limit: 2)) == expected, "\(pattern)")
      }
      let prefixFirst = UserQuery(match: .regex, order: .prefixFirst, limit: 1)
      #expect(try Self.names(graph, "b", prefixFirst) == ["Bob", "bobby", "a.b"])
    }

    @Test("In a segment, where keys are matched in the place of ASCII names, expressions match the same names")
    func segments() throws {
      var names = TextColumn()
      let people = ["STRASSE", "Straße", "strasse", "ﬁn", "FIN", "ſam", "SAM", "\u{212A}im", "kim", "Åsa", "日本"]
      for name in people { names.append(Array(name.utf8).span) }
      var index = NameIndex()
      index.rebuild(names: names)
      let patterns = [
        "^strasse$", "ß", "(?-i)^s", "^s", "^\\w{3}$", "^[^k]", "K", "(?-i)[A-Z]{3}", "(?-i:S)", "^.{3}$", "[0-9]", ".",
        "\\PL", "[[:upper:]]", "[^[:upper:]]", "(?i-s)A", "^日",
      ]
      for pattern in patterns {
        let plain = try RegularExpression(pattern)
        var budget = QueryBudget()
        let expected = people.indices.filter { row in
          plain.holds(in: Folding.nfc(Array(people[row].utf8).span).span, atBeginning: false, &budget)
        }
        let search = NameSearch(query: NameQuery(NamePattern(try RegularExpression(pattern))), limit: 20)
        let found = index.search(search, names: names, &budget) { _, _ in 0 }
        #expect(found.map { Int($0.row) }.sorted() == expected, "\(pattern)")
      }
    }

    @Test(
      "An invalid expression is refused with a reason",
      arguments: ["(", "[", "(?=a)", "(a)\\1", "a{2,1}", "\\", "(?P<n", "[[:nothing:]]", "a{1001}", "*", "x**\\8"])
    func invalid(pattern: String) throws {
      let graph = try Self.graph(Self.people)
      do throws(KithError) {
        _ = try graph.read { (view) throws(KithError) in try view.searchUsers(pattern, UserQuery(match: .regex)) }
        Issue.record("\(pattern) is taken")
      } catch {
        guard case .invalidPattern(let reason) = error else { throw error }
        #expect(!reason.isEmpty)
      }
    }

    @Test("The reason says what is wrong, and where if that is known")
    func reasons() {
      #expect(throws: RegularExpression.Refusal.invalid("invalid escape sequence: \\8, at byte 2")) {
        try RegularExpression("ab\\8c")
      }
    }

    @Test("A pattern has new time in each query, and one that is no longer kept is compiled again")
    func cachedPatterns() throws {
      func holds(_ pattern: String, milliseconds: Int64) throws -> (found: Bool, isSpent: Bool) {
        let text = Array(String(repeating: "ab", count: 50).utf8)
        var budget = QueryBudget()
        let expression = try RegularExpression(pattern, milliseconds: milliseconds)
        var found = false
        // The clock is read every few thousand bytes.
        for _ in 0..<10_000 where budget.canContinue {
          found = expression.holds(in: text.span, atBeginning: false, &budget)
        }
        return (found, !budget.canContinue)
      }
      for _ in 0..<2 {
        #expect(try holds("b(ab)+$", milliseconds: 0) == (false, true))
        #expect(try holds("b(ab)+$", milliseconds: 60_000) == (true, false))
        #expect(try holds("ac", milliseconds: 60_000) == (false, false))
        for number in 0...CompiledExpression.cacheCapacity {
          #expect(try holds("a|\(number)", milliseconds: 60_000) == (true, false))
        }
      }
    }

    /// Nested repetition, many alternatives, counts inside counts, classes of all Unicode.
    static let hostilePatterns: [String] = {
      let alternatives = (100..<164).map { number -> String in "\(number)" }
      return [
        "(a+)+$", "(a|a)*b$", "(a|aa)+$", "(.*)(.*)(.*)(.*)(.*)x$", "((a{0,9}){0,9}){0,9}!$", "(x+x+)+y",
        "(([a-z])+.)+[A-Z]([a-z])+$!", alternatives.joined(separator: "|"), "(\\pL{9}\\pN?){40}$", "[^a]{1000}!",
        "(?:(?:a?){99}){9}!$", String(repeating: "(", count: 80) + String(repeating: ")*", count: 80) + "!",
        String(repeating: "a?", count: 60) + String(repeating: "a", count: 60) + "!", "(?:.{0,30}a){20}!",
        String(repeating: "[a-y]*", count: 40) + "z!",
      ]
    }()

    @Test("Hostile patterns end soon, with an answer or over their budget", arguments: hostilePatterns)
    func hostile(pattern: String) throws {
      let graph = SocialGraph()
      try graph.bulk { batch throws(KithError) in
        for id in 1...3_000 {
          let name = "\(String(repeating: "a", count: id % 240))\(id)"
          _ = try batch.importChange(.addUser(id: UserID(Int64(id)), username: name))
        }
      }
      let began = Self.threadSeconds()
      do throws(KithError) {
        _ = try graph.read { (view) throws(KithError) in
          try view.searchUsers(pattern, UserQuery(match: .regex, countsMatches: true))
        }
      } catch {
        #expect(error == .budgetExceeded || error.code == "invalidPattern")
      }
      // Twenty times the most of a release build.
      #expect(Self.threadSeconds() - began < 1)
    }
  #else
    @Test("Without the trait regular expressions are refused as unsupported")
    func unsupported() throws {
      let graph = try Self.graph(Self.people)
      let error = #expect(throws: KithError.self) {
        try graph.read { (view) throws(KithError) in try view.searchUsers("a", UserQuery(match: .regex)) }
      }
      #expect(error?.code == "unsupported")
      #expect(error?.description.contains("trait Regex") == true)
    }
  #endif
}
