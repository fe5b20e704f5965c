/// The words of a post search. Each must occur in the text or in the author's name.
///
/// Noncopyable, so that testing one text after the other retains and releases nothing.
struct Terms: ~Copyable {
  /// Where the keys of a word are in `bytes`, and what a name has at least that contains it.
  private struct Word {
    let loose: Range<Int>
    /// The same range if the keys are equal.
    let strict: Range<Int>
    let signature: NameSignature
  }

  /// The distinct words, as queries for names.
  let queries: [NameQuery]
  let fold: TextFolding
  /// Bit n: word n is still to be found.
  let all: UInt64
  /// Bit n: word n is ASCII under the fold, so that an ASCII text contains it or not, whatever the fold.
  private let plain: UInt64
  /// The keys in one buffer, so that tests read no array of arrays.
  private let bytes: [UInt8]
  private let words: [Word]

  /// Splits the query at white space before folding. Equal words count once.
  init(_ query: String, fold: TextFolding) {
    var queries: [NameQuery] = []
    query.withBytes { utf8 in
      Folding.forEachWord(in: utf8) { word in
        let query = NameQuery(text: word, match: .substring, fold: fold)
        // Spellings that are equal under the fold are one word. At most 32 words remain, one bit each.
        if !queries.contains(where: { $0.loose == query.loose && $0.strict == query.strict }) { queries.append(query) }
      }
    }
    // The key of the first word is not copied if there is no other.
    var (bytes, words, plain) = (queries.first?.loose ?? [], [Word](), UInt64(0))
    words.reserveCapacity(queries.count)
    for query in queries {
      let start = words.isEmpty ? 0 : bytes.count
      if !words.isEmpty { bytes += query.loose }
      let loose = start..<bytes.count
      var strict = loose
      if query.strict != query.loose {
        bytes += query.strict
        strict = loose.upperBound..<bytes.count
      } else if !loose.isEmpty && Folding.isASCII(query.loose.span) && words.count < 64 {
        plain |= 1 << UInt64(words.count)
      }
      words.append(Word(loose: loose, strict: strict, signature: NameSignature(key: query.loose.span)))
    }
    all = queries.count >= 64 ? .max : (1 << UInt64(queries.count)) - 1
    (self.queries, self.fold, self.plain, self.bytes, self.words) = (queries, fold, plain, bytes, words)
  }

  /// The words at the requested strictness.
  var keys: [[UInt8]] { queries.map(\.strict) }

  /// No words: everything matches.
  var isEmpty: Bool { words.isEmpty }

  /// Whether there are more distinct words than `limit`, at the requested strictness.
  func areMore(than limit: Int) -> Bool { queries.count > limit && Set(keys).count > limit }

  /// A word without a key, such as a lone accent, matches nothing.
  var matchNothing: Bool { words.contains { $0.loose.isEmpty } }

  /// The bytes of the shortest loose key.
  var smallestByteCount: Int { words.reduce(.max) { min($0, $1.loose.count) } }

  /// What a name has at least that contains a word.
  func signature(ofWord index: Int) -> NameSignature { words[index].signature }

  /// What a name has at least that contains some of the words.
  @inline(__always)
  func signature(of wanted: UInt64) -> NameSignature {
    var (rest, bits) = (wanted, UInt64(0))
    while rest != 0 {
      bits |= words[rest.trailingZeroBitCount].signature.bits
      rest &= rest &- 1
    }
    return NameSignature(bits: bits)
  }

  /// Of the words still to be found, those that a text does not contain.
  /// - Parameter keys: a buffer for folding, reused for the next text.
  func missing(_ wanted: UInt64, in text: Span<UInt8>, _ keys: inout KeyBuffer) -> UInt64 {
    // Most ASCII words are found, or not, in the text itself. Neither text nor key is copied.
    var (rest, left, unknown) = (wanted & plain, wanted, wanted & ~plain)
    while rest != 0 {
      let bit = rest & (0 &- rest)
      rest ^= bit
      let key = bytes.span.extracting(words[bit.trailingZeroBitCount].loose)
      switch ByteSearch.containsLowercase(key, in: text) {
      case true?: left ^= bit
      case false?: break
      case nil: unknown |= bit
      }
    }
    return unknown == 0 ? left : left & ~unknown | missingFolded(unknown, in: text, &keys)
  }

  private func missingFolded(_ wanted: UInt64, in text: Span<UInt8>, _ keys: inout KeyBuffer) -> UInt64 {
    keys.removeAll()
    Folding.appendLoose(text, to: &keys)
    let left = missing(wanted, in: keys.bytes, 0..<keys.count - 1) { $0.loose }
    if fold == .loose || left == wanted { return left }
    let start = keys.count
    Folding.appendStrict(text, to: &keys)
    return left | missing(wanted & ~left, in: keys.bytes, start..<keys.count - 1) { $0.strict }
  }

  /// Of the wanted words, those whose key is not in a range of some bytes.
  @inline(__always)
  private func missing(
    _ wanted: UInt64, in text: Span<UInt8>, _ range: Range<Int>, key: (Word) -> Range<Int>
  ) -> UInt64 {
    var (rest, left) = (wanted, wanted)
    while rest != 0 {
      let bit = rest & (0 &- rest)
      rest ^= bit
      let key = bytes.span.extracting(key(words[bit.trailingZeroBitCount]))
      if ByteSearch.find(key, in: text, from: range.lowerBound, to: range.upperBound) != nil { left ^= bit }
    }
    return left
  }
}
