/// The words of a post search: every one must stand in the text or in the author's name.
///
/// A class, so that to ask it of one text after the other costs no counting of references to its arrays.
final class Terms {
  /// Keys one behind the other, to be looked for in one text after the other without touching an array of arrays.
  private struct Keys: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var starts: [Int] = [0]

    mutating func append(_ key: [UInt8]) {
      bytes += key
      starts.append(bytes.count)
    }

    /// Whether a key stands in `text`, before `end`.
    @inline(__always)
    func stands(_ index: Int, in text: Span<UInt8>, before end: Int) -> Bool {
      let key = bytes.span.extracting(starts[index]..<starts[index + 1])
      return ByteSearch.find(key, in: text, from: 0, to: end) != nil
    }
  }

  /// The distinct words, each as it is looked for in names.
  let queries: [NameQuery]
  let fold: Fold
  private let loose: Keys
  private let strict: Keys

  /// Words are parted at white space before folding; equal ones count once.
  init(_ query: String, fold: Fold) {
    self.fold = fold
    var queries: [NameQuery] = []
    for word in Folding.splitOnWhiteSpace(query) {
      let query = NameQuery(text: word, match: .substring, fold: fold)
      // Spellings that differ only in what the fold looks past are one word: at most 32 then, and a bit for each.
      if !queries.contains(where: { $0.loose == query.loose && $0.strict == query.strict }) { queries.append(query) }
    }
    self.queries = queries
    var (loose, strict) = (Keys(), Keys())
    for query in queries {
      loose.append(query.loose)
      if fold == .strict { strict.append(query.strict) }
    }
    (self.loose, self.strict) = (loose, strict)
  }

  /// The words at the strictness asked for.
  var keys: [[UInt8]] { queries.map(\.strict) }

  /// No words: everything matches.
  var isEmpty: Bool { queries.isEmpty }

  /// Whether there are more than so many distinct words, at the strictness asked for.
  func areMore(than limit: Int) -> Bool { queries.count > limit && Set(keys).count > limit }

  /// A word without a key, a lone accent, is found nowhere.
  var matchNothing: Bool { queries.contains { $0.loose.isEmpty } }

  /// Bit n: word n is still to be found.
  var all: UInt64 { queries.count >= 64 ? .max : (1 << UInt64(queries.count)) - 1 }

  /// Of the words still to be found, those that do not stand in a text.
  /// - Parameter keys: room to fold in, used again for the next text.
  func missing(_ wanted: UInt64, in text: Span<UInt8>, _ keys: inout KeyBuffer) -> UInt64 {
    keys.removeAll()
    if keys.appendLowercased(text) {
      let key = keys.bytes
      // The strict key of an ASCII text is its loose key. Padding follows it.
      return missing(wanted, loose: key, strict: key, paddingByteCount: key.count - text.count)
    }
    let loose = Folding.loose(text)
    let strict = fold == .strict ? Folding.strict(text) : loose
    return missing(wanted, loose: loose.span, strict: strict.span, paddingByteCount: 0)
  }

  @inline(__always)
  private func missing(
    _ wanted: UInt64, loose looseText: Span<UInt8>, strict strictText: Span<UInt8>, paddingByteCount: Int
  ) -> UInt64 {
    var (rest, left) = (wanted, wanted)
    while rest != 0 {
      let index = rest.trailingZeroBitCount
      rest &= rest - 1
      if !loose.stands(index, in: looseText, before: looseText.count - paddingByteCount) { continue }
      if fold == .strict && !strict.stands(index, in: strictText, before: strictText.count - paddingByteCount) {
        continue
      }
      left &= ~(1 << UInt64(index))
    }
    return left
  }
}
