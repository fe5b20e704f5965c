import Testing

@testable import Kith

/// The words of a post search against the definition: a word is in a text if its keys are in the keys of the text.
@Suite struct TermsTests {
  /// Letters that folding changes, joins or drops, beside some that it leaves alone.
  private static let letters = [
    "a", "B", "e", "E", "s", "ss", " ", "k", "i", "I", "é", "e\u{301}", "\u{301}", "\u{308}", "ß", "ẞ", "\u{212A}", "İ",
    "ı", "ﬁ", "\u{200D}", "ö", "日", "\u{345}", "Ａ",
  ]

  @Test("A word is found in a text if its keys are in the text's, in any order of letters and marks")
  func random() {
    var random = SeededRandom(seed: 11)
    var keys = KeyBuffer(capacity: 64)
    var (foundCount, askedCount) = (0, 0)
    func pick(_ count: Int, of letters: ArraySlice<String>) -> String {
      (0..<count).map { _ in letters[random.below(letters.count)] }.joined()
    }
    for _ in 0..<20_000 {
      let length = random.below(4) == 0 ? 60 : 8
      let text = pick(random.below(length), of: Self.letters[...])
      let words = (0..<1 + random.below(3)).map { _ in
        pick(1 + random.below(3), of: random.below(2) == 0 ? Self.letters.prefix(10) : Self.letters[...])
      }
      for fold in [TextFolding.loose, .strict] {
        let terms = Terms(words.joined(separator: " "), fold: fold)
        let bytes = Array(text.utf8)
        let missing = terms.missing(terms.all, in: bytes.span, &keys)
        for (index, query) in terms.queries.enumerated() where !query.loose.isEmpty {
          let isLoose = ByteSearch.contains(query.loose.span, in: Folding.loose(bytes.span).span)
          let isStrict = ByteSearch.contains(query.strict.span, in: Folding.strict(bytes.span).span)
          let isThere = isLoose && (fold == .loose || isStrict)
          #expect((missing >> UInt64(index) & 1 == 0) == isThere, "\(words) in \(text.debugDescription), \(fold)")
          askedCount += 1
          if isThere { foundCount += 1 }
        }
      }
    }
    #expect(foundCount > askedCount / 20 && foundCount < askedCount / 2)
  }
}
