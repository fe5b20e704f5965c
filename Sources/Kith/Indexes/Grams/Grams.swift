/// Grams: one, two or three bytes of a key, read as a big-endian number. Keys contain no NUL, so the ranges of the
/// three lengths are disjoint: 1…255, 256…65,535, 65,536…16,777,215.
enum Grams {
  /// The most grams of a query that are used. Further grams reject hardly any names; verification covers the rest of a
  /// long query.
  static let maximumQueryCount = 48

  /// The grams that every name containing `text` has, without duplicates. Empty only if `text` is.
  static func ofQuery(_ text: Span<UInt8>) -> [UInt32] {
    var grams: [UInt32] = []
    grams.append(addingCapacity: min(max(text.count, 1), maximumQueryCount)) { add(ofQuery: text, to: &$0) }
    return grams
  }

  /// Adds the same grams to an empty list of `maximumQueryCount`.
  static func add(ofQuery text: Span<UInt8>, to grams: inout OutputSpan<UInt32>) {
    forEach(ofQuery: text) { gram in
      if !grams.isFull && !grams.span.indices.contains(where: { grams[$0] == gram }) { grams.append(gram) }
    }
  }

  /// Calls `body` with the same grams, however many, and with those that repeat.
  @inline(__always)
  static func forEach(ofQuery text: Span<UInt8>, _ body: (UInt32) -> Void) {
    if text.count >= 3 { return forEachTrigram(of: text, after: 0, body) }
    var gram: UInt32 = 0
    for index in text.indices { gram = gram << 8 | UInt32(text[index]) }
    if !text.isEmpty { body(gram) }
  }

  /// Calls `body` with each trigram that ends after byte `known`: those not yet seen of a key whose first `known` bytes
  /// were.
  @inline(__always)
  static func forEachTrigram(of key: Span<UInt8>, after known: Int, _ body: (UInt32) -> Void) {
    var index = max(2, known)
    if index >= key.count { return }
    var gram = UInt32(key[index - 2]) << 8 | UInt32(key[index - 1])
    while index < key.count {
      gram = (gram << 8 | UInt32(key[index])) & 0xFF_FFFF
      body(gram)
      index += 1
    }
  }

  /// Calls `body` with each one-byte and two-byte gram that ends after byte `known`.
  @inline(__always)
  static func forEachShortGram(of key: Span<UInt8>, after known: Int, _ body: (UInt32) -> Void) {
    var index = known
    var before: UInt32 = index > 0 && index < key.count ? UInt32(key[index - 1]) : 0
    while index < key.count {
      let byte = UInt32(key[index])
      body(byte)
      if index > 0 { body(before << 8 | byte) }
      before = byte
      index += 1
    }
  }
}
