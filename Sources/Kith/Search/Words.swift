/// The words that an index of texts is made of: a loose key cut where two kinds of characters meet.
///
/// A word is a run of ASCII letters and digits and of scalars of two bytes (Latin, Greek, Cyrillic, Arabic, Hebrew), or
/// a run of other ASCII signs. A scalar of three or four bytes is a word by itself: scripts that put no spaces between
/// words would else make whole sentences words. White space and control characters belong to no word.
///
/// What decides is each character alone. So the words of a query are words of every text that contains it, but for its
/// first and its last, which may be parts of longer ones.
enum Words {
  private enum Kind { case gap, letters, signs, single }

  @inline(__always)
  private static func kind(_ byte: UInt8) -> Kind {
    if byte >= 0xE0 { return .single }
    if byte >= 0x80 || (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 { return .letters }
    return byte <= 0x20 || byte == 0x7F ? .gap : .signs
  }

  /// Calls `body` with where each word of a key stands, from left to right.
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

  /// The words of a text that contains `key`, each as a question to the dictionary: all of them must be there.
  ///
  /// What ends inside of a word is asked for as any part of one, because a dictionary knows beginnings, but no ends.
  static func queries(of key: [UInt8]) -> [NameQuery] {
    var queries: [NameQuery] = []
    forEach(in: key.span) { range in
      let isWhole = key[range.lowerBound] >= 0xE0
      let opensLeft = range.lowerBound == 0 && !isWhole
      let opensRight = range.upperBound == key.count && !isWhole
      let match: NameQuery.Match = opensLeft ? .substring : opensRight ? .prefix : .exact
      queries.append(NameQuery(key: Array(key[range]), match: match))
    }
    return queries
  }
}
