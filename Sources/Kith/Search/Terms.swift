/// The words of a post search: every one must stand in the text or in the author's name.
struct Terms: Sendable {
  /// One distinct word in both keys.
  private struct Term: Hashable, Sendable {
    let loose: [UInt8]
    let strict: [UInt8]
  }

  private let terms: [Term]
  let fold: Fold

  /// Words are parted at white space before folding; equal ones count once.
  init(_ query: String, fold: Fold) {
    self.fold = fold
    var terms: [Term] = []
    for word in Folding.splitOnWhiteSpace(query) {
      let term = Term(loose: Folding.loose(word), strict: Folding.strict(word))
      // Spellings that differ only in what the fold looks past are one word: at most 32 then, and a bit for each.
      let isKnown = fold == .loose ? terms.contains { $0.loose == term.loose } : terms.contains(term)
      if !isKnown { terms.append(term) }
    }
    self.terms = terms
  }

  /// The words at the strictness asked for.
  var keys: [[UInt8]] { terms.map { fold == .strict ? $0.strict : $0.loose } }

  /// No words: everything matches.
  var isEmpty: Bool { terms.isEmpty }

  /// Distinct words at the strictness asked for.
  var count: Int { Set(keys).count }

  /// A word without a key, a lone accent, is found nowhere.
  var matchNothing: Bool { terms.contains { $0.loose.isEmpty } }

  /// Bit n: word n is still to be found.
  var all: UInt64 { terms.count >= 64 ? .max : (1 << UInt64(terms.count)) - 1 }

  /// Of the words still to be found, those that do not stand in a text.
  func missing(_ wanted: UInt64, in text: Span<UInt8>) -> UInt64 {
    let isASCII = Folding.isASCII(text)
    let loose = Folding.loose(text)
    // The strict key of an ASCII text is its loose key.
    let strict = fold == .loose || isASCII ? loose : Folding.strict(text)
    var left = wanted
    for index in terms.indices where left & (1 << UInt64(index)) != 0 {
      let term = terms[index]
      if !ByteSearch.contains(term.loose.span, in: loose.span) { continue }
      if fold == .strict && !ByteSearch.contains(term.strict.span, in: strict.span) { continue }
      left &= ~(1 << UInt64(index))
    }
    return left
  }
}
