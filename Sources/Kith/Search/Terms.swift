/// The words of a post search: every one must stand in the text or in the author's name.
struct Terms: Sendable {
  /// The distinct words, each as it is looked for in names.
  let queries: [NameQuery]
  let fold: Fold

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
  }

  /// The words at the strictness asked for.
  var keys: [[UInt8]] { queries.map(\.strict) }

  /// No words: everything matches.
  var isEmpty: Bool { queries.isEmpty }

  /// Distinct words at the strictness asked for.
  var count: Int { Set(keys).count }

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

  private func missing(
    _ wanted: UInt64, loose: Span<UInt8>, strict: Span<UInt8>, paddingByteCount: Int
  ) -> UInt64 {
    var left = wanted
    for index in queries.indices where left & (1 << UInt64(index)) != 0 {
      let (query, end) = (queries[index], loose.count - paddingByteCount)
      if ByteSearch.find(query.loose.span, in: loose, from: 0, to: end) == nil { continue }
      let strictEnd = strict.count - paddingByteCount
      if fold == .strict && ByteSearch.find(query.strict.span, in: strict, from: 0, to: strictEnd) == nil { continue }
      left &= ~(1 << UInt64(index))
    }
    return left
  }
}
