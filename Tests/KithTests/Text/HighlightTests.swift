import Testing

@testable import Kith

/// The highlights of a name, by the rule alone: see `ReferenceModel.ranges`.
@Suite struct HighlightTests {
  /// Letters that compose, marks, marks in keys alone, letters that are dropped, letters of several letters, and kana.
  private static let scalars: [Unicode.Scalar] = [
    "e", "s", "_", "'", "\u{E9}", "\u{DF}", "\u{130}", "\u{FB01}", "\u{2019}", "\u{301}", "\u{323}", "\u{FF9E}",
    "\u{FF9F}", "\u{3099}", "\u{309A}", "\u{304B}", "\u{304C}", "\u{306F}", "\u{FF76}", "\u{200D}", "\u{640}",
    "\u{5B4}", "\u{1100}", "\u{1161}", "\u{11A8}", "\u{AC00}", "\u{995}", "\u{9BE}", "\u{9C7}", "\u{F71}", "\u{F72}",
    "\u{F73}", "\u{F81}", "\u{F40}", "\u{1D165}", "\u{1D158}", "\u{2033}",
  ]

  @Test("Highlights are those of the rule", arguments: 1...8) func rule(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for _ in 0..<4_000 {
      let name = Self.text(&random, 1 + random.below(9))
      let all = Array(name.unicodeScalars)
      let start = random.below(all.count)
      let part = all[start..<min(all.count, start + 1 + random.below(3))]
      let text = random.below(4) == 0 ? Self.text(&random, 1 + random.below(2)) : String(String.UnicodeScalarView(part))
      for fold in TextFolding.allCases {
        for (match, indexed) in [(UserQuery.Match.substring, NameQuery.Match.substring), (.prefix, .prefix)] {
          let query = NameQuery(text: text, match: indexed, fold: fold)
          // Highlights are asked of names that match.
          let isMatch = Folding.key(Array(name.utf8).span, fold).starts(with: Folding.key(Array(text.utf8).span, fold))
          if query.matchesNothing || match == .prefix && !isMatch { continue }
          let ranges = Highlights.ranges(of: query, in: Array(name.utf8).span)
          let search = UserQuery(match: match, fold: fold)
          #expect(
            ranges == ReferenceModel.ranges(of: text, search, in: name),
            "seed \(seed), \(Self.escaped(text)) in \(Self.escaped(name)), \(fold), \(match)")
        }
      }
    }
  }

  private static func text(_ random: inout SeededRandom, _ count: Int) -> String {
    var text = ""
    for _ in 0..<count { text.unicodeScalars.append(random.pick(scalars)) }
    return text
  }

  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
  }
}
