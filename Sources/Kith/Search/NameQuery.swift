/// A question to the username index, folded and taken apart once.
struct NameQuery: Sendable {
  /// Where in the name the text must stand.
  enum Match: Hashable, Sendable { case substring, prefix, exact }

  private(set) var match: Match
  let fold: Fold
  let loose: [UInt8]
  let strict: [UInt8]
  private let isSameWhenStrict: Bool
  /// No text: every name is an answer.
  let isEmpty: Bool
  /// Text, but nothing that a name's key could hold: a lone accent, or a NUL, which no name contains.
  let matchesNothing: Bool
  /// What the index is asked for a substring: the distinct trigrams of the loose key, or the key itself as one gram
  /// when it is shorter than three bytes.
  let grams: [UInt32]

  /// - Parameter text: without white space at its ends.
  init(text: String, match: Match, fold: Fold) {
    self.match = match
    self.fold = fold
    let loose = Folding.loose(text)
    self.loose = loose
    strict = fold == .strict ? Folding.strict(text) : loose
    isSameWhenStrict = strict == loose
    isEmpty = text.utf8.isEmpty
    let canMatch = !loose.isEmpty && !loose.contains(0)
    matchesNothing = !text.utf8.isEmpty && !canMatch
    grams = canMatch ? Grams.ofQuery(loose.span) : []
  }

  /// The same text, to stand elsewhere.
  func matching(_ match: Match) -> NameQuery {
    var query = self
    query.match = match
    return query
  }

  /// Whether a name answers, whatever its key: for the few that are not found through it.
  func holds(_ row: UInt32, names: borrowing TextColumn) -> Bool { holds(name: names.bytes(Int(row))) }

  func holds(name: Span<UInt8>) -> Bool {
    let key = Folding.loose(name)
    return holds(loose.span, in: key.span) && holdsStrictly(name, key: key.span)
  }

  /// Whether every name that answers the other query, of the same mode and fold, answers this one, too.
  func isHeld(by other: NameQuery) -> Bool {
    if isEmpty { return true }
    return holds(loose.span, in: other.loose.span) && (fold == .loose || holds(strict.span, in: other.strict.span))
  }

  /// Whether a key that was found by the loose text holds up at the strictness asked for.
  /// - Parameter key: the loose key of the name in `row`.
  func holdsStrictly(_ row: UInt32, key: Span<UInt8>, names: borrowing TextColumn) -> Bool {
    fold == .loose || isEmpty || holdsStrictly(names.bytes(Int(row)), key: key)
  }

  private func holdsStrictly(_ name: Span<UInt8>, key: Span<UInt8>) -> Bool {
    if fold == .loose || isEmpty { return true }
    // The strict key of an ASCII name is its loose key, in which the loose text was found.
    if Folding.isASCII(name) { return isSameWhenStrict || holds(strict.span, in: key) }
    return holds(strict.span, in: Folding.strict(name).span)
  }

  /// Whether `text` stands in `key` where the mode wants it.
  func holds(_ text: Span<UInt8>, in key: Span<UInt8>) -> Bool {
    switch match {
    case .substring: ByteSearch.contains(text, in: key)
    case .prefix: ByteSearch.hasPrefix(key, text)
    case .exact: key.count == text.count && ByteSearch.hasPrefix(key, text)
    }
  }
}
