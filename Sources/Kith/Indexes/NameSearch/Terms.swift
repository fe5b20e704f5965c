/// The words of a post search. Each must occur in the text or in the author's name.
///
/// A class, so that testing one text after the other retains and releases no arrays.
final class Terms {
  /// Keys in one contiguous buffer, so that tests read no array of arrays.
  private struct Keys: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var starts: [Int] = [0]

    mutating func append(_ key: [UInt8]) {
      bytes += key
      starts.append(bytes.count)
    }

    /// Whether a text in ASCII contains a key that is ASCII; nil if the text is not ASCII.
    @inline(__always)
    func occurs(_ index: Int, inASCII text: Span<UInt8>) -> Bool? {
      ByteSearch.containsLowercase(bytes.span.extracting(starts[index]..<starts[index + 1]), in: text)
    }

    /// Of the wanted keys, those that a text does not contain; one bit each.
    /// - Parameter range: where the text is in `bytes`.
    func missing(_ wanted: UInt64, in text: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
      var (rest, left) = (wanted, wanted)
      while rest != 0 {
        let index = rest.trailingZeroBitCount
        rest &= rest - 1
        let key = bytes.span.extracting(starts[index]..<starts[index + 1])
        let found = ByteSearch.find(key, in: text, from: range.lowerBound, to: range.upperBound)
        if found != nil { left &= ~(1 << UInt64(index)) }
      }
      return left
    }
  }

  /// The distinct words, as queries for names.
  let queries: [NameQuery]
  let fold: TextFolding
  private let loose: Keys
  private let strict: Keys
  /// Bit n: word n is ASCII under the fold, so that an ASCII text contains it or not, whatever the fold.
  private let plain: UInt64
  /// What a name has at least that contains each word.
  let signatures: [NameSignature]

  /// Splits the query at white space before folding. Equal words count once.
  init(_ query: String, fold: TextFolding) {
    self.fold = fold
    var queries: [NameQuery] = []
    for word in Folding.splitOnWhiteSpace(query) {
      let query = NameQuery(text: word, match: .substring, fold: fold)
      // Spellings that are equal under the fold are one word. At most 32 words remain, one bit each.
      if !queries.contains(where: { $0.loose == query.loose && $0.strict == query.strict }) { queries.append(query) }
    }
    self.queries = queries
    var (loose, strict) = (Keys(), Keys())
    var plain: UInt64 = 0
    for (index, query) in queries.enumerated() {
      loose.append(query.loose)
      if fold == .strict { strict.append(query.strict) }
      if query.strict == query.loose && !query.loose.isEmpty && Folding.isASCII(query.loose.span) && index < 64 {
        plain |= 1 << UInt64(index)
      }
    }
    (self.loose, self.strict, self.plain) = (loose, strict, plain)
    signatures = queries.map { NameSignature(key: $0.loose.span) }
  }

  /// The words at the requested strictness.
  var keys: [[UInt8]] { queries.map(\.strict) }

  /// No words: everything matches.
  var isEmpty: Bool { queries.isEmpty }

  /// Whether there are more distinct words than `limit`, at the requested strictness.
  func areMore(than limit: Int) -> Bool { queries.count > limit && Set(keys).count > limit }

  /// A word without a key, such as a lone accent, matches nothing.
  var matchNothing: Bool { queries.contains { $0.loose.isEmpty } }

  /// Bit n: word n is still to be found.
  var all: UInt64 { queries.count >= 64 ? .max : (1 << UInt64(queries.count)) - 1 }

  /// What a name has at least that contains some of the words.
  @inline(__always)
  func signature(of wanted: UInt64) -> NameSignature {
    var (rest, bits) = (wanted, UInt32(0))
    while rest != 0 {
      bits |= signatures[rest.trailingZeroBitCount].bits
      rest &= rest &- 1
    }
    return NameSignature(bits: bits)
  }

  /// Of the words still to be found, those that a text does not contain.
  /// - Parameter keys: a buffer for folding, reused for the next text.
  func missing(_ wanted: UInt64, in text: Span<UInt8>, _ keys: inout KeyBuffer) -> UInt64 {
    if wanted & ~plain == 0, let left = missing(wanted, inASCII: text) { return left }
    return missingFolded(wanted, in: text, &keys)
  }

  /// The same for ASCII words; nil if the text is not ASCII. Neither text nor key is copied.
  @inline(__always)
  private func missing(_ wanted: UInt64, inASCII text: Span<UInt8>) -> UInt64? {
    var (rest, left) = (wanted, wanted)
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest - 1
      guard let isThere = loose.occurs(index, inASCII: text) else { return nil }
      if isThere { left &= ~(1 << UInt64(index)) }
    }
    return left
  }

  private func missingFolded(_ wanted: UInt64, in text: Span<UInt8>, _ keys: inout KeyBuffer) -> UInt64 {
    keys.removeAll()
    Folding.appendLoose(text, to: &keys)
    let left = loose.missing(wanted, in: keys.bytes, 0..<keys.count - 1)
    if fold == .loose || left == wanted { return left }
    let start = keys.count
    Folding.appendStrict(text, to: &keys)
    return left | strict.missing(wanted & ~left, in: keys.bytes, start..<keys.count - 1)
  }
}
