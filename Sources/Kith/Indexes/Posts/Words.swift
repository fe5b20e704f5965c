/// Splits texts into words for the index: a loose key is cut between two kinds of characters.
///
/// A word is a run of ASCII letters, digits and scalars of two bytes (Latin, Greek, Cyrillic, Arabic, Hebrew), or a run
/// of other ASCII characters. A scalar of three or four bytes is a word by itself, because scripts without spaces
/// between words would make whole sentences words. White space and control characters belong to no word.
///
/// Each character's kind depends on the character alone. So every word of a query is a word of each text that contains
/// the query, except the first and last ones, which may be parts of longer words.
enum Words {
  private enum Kind { case gap, letters, signs, single }

  @inline(__always)
  private static func kind(_ byte: UInt8) -> Kind {
    if byte >= 0xE0 { return .single }
    if byte >= 0x80 || (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 { return .letters }
    return byte <= 0x20 || byte == 0x7F ? .gap : .signs
  }

  /// Calls `body` with the range of each word of a key, from left to right.
  @inline(__always)
  static func forEach(in key: Span<UInt8>, _ body: (Range<Int>) -> Void) {
    var index = 0
    while index < key.count {
      let start = index
      let kind = kind(key[index])
      if kind == .single {
        index = min(key.count, index + (key[index] >= 0xF0 ? 4 : 3))
      } else {
        repeat { index += 1 } while index < key.count && Self.kind(key[index]) == kind
      }
      if kind != .gap { body(start..<index) }
    }
  }

  /// The words of any text that contains `key`, each as a query of the dictionary. All of them must occur.
  ///
  /// A word cut at its end is a prefix query, and one cut at its start is a substring query, because the dictionary is
  /// sorted by the beginnings of words.
  static func queries(of key: [UInt8]) -> [WordQuery] {
    var queries: [WordQuery] = []
    forEach(in: key.span) { range in
      let isWhole = key[range.lowerBound] >= 0xE0
      let opensLeft = range.lowerBound == 0 && !isWhole
      let opensRight = range.upperBound == key.count && !isWhole
      let match: NameQuery.Match = opensLeft ? .substring : opensRight ? .prefix : .exact
      queries.append(WordQuery(key: range.count == key.count ? key : Array(key[range]), match: match))
    }
    return queries
  }
}

/// A query of the dictionary: a loose key, and where in the word it must occur.
struct WordQuery {
  let key: [UInt8]
  let match: NameQuery.Match
}
