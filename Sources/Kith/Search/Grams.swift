/// Grams are one, two or three bytes of a key read as a big-endian number. Keys hold no NUL, so grams of different
/// lengths never meet: 1…255, 256…65,535, 65,536…16,777,215.
enum Grams {
  /// The grams of a query beyond which another one sharpens nothing; the rest of a long query is left to verification.
  static let maximumQueryCount = 48

  /// The grams a name must have to contain `text`, each once. Not empty unless `text` is.
  static func ofQuery(_ text: Span<UInt8>) -> [UInt32] {
    if text.count < 3 {
      var gram: UInt32 = 0
      for index in text.indices { gram = gram << 8 | UInt32(text[index]) }
      return text.isEmpty ? [] : [gram]
    }
    var grams: [UInt32] = []
    grams.reserveCapacity(min(text.count - 2, maximumQueryCount))
    var gram = UInt32(text[0]) << 8 | UInt32(text[1])
    for index in 2..<text.count {
      gram = (gram << 8 | UInt32(text[index])) & 0xFF_FFFF
      if !grams.contains(gram) { grams.append(gram) }
      if grams.count == maximumQueryCount { break }
    }
    return grams
  }

  /// Calls `body` with each trigram that ends behind byte `known`: those of a key whose first `known` bytes were seen.
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

  /// Calls `body` with each one-byte and two-byte gram that ends behind byte `known`.
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
