/// A question to the username index, folded and taken apart once.
struct NameQuery {
  /// Where in the name the text must stand; or that a pattern decides, of which the text is the beginning.
  enum Match: Hashable, Sendable { case substring, prefix, exact, pattern }

  private(set) var match: Match
  let fold: Fold
  let loose: [UInt8]
  let strict: [UInt8]
  private let isSameWhenStrict: Bool
  /// Whether a name answers as soon as its loose key holds the loose text where it must stand.
  let isToldByKey: Bool
  /// What is asked of each name that the index finds, where the text is not all there is to it.
  private(set) var pattern: NamePattern?
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
    isToldByKey = fold == .loose || isEmpty
    let canMatch = !loose.isEmpty && !loose.contains(0)
    matchesNothing = !text.utf8.isEmpty && !canMatch
    grams = canMatch ? Grams.ofQuery(loose.span) : []
  }

  /// Names that a pattern holds of.
  init(_ pattern: NamePattern) {
    match = .pattern
    fold = .loose
    loose = pattern.beginning
    strict = loose
    isSameWhenStrict = true
    isToldByKey = false
    isEmpty = false
    matchesNothing = false
    grams = []
    self.pattern = pattern
  }

  /// A query for a loose key as it is: for keys that are no names.
  init(key: [UInt8], match: Match) {
    self.match = match
    fold = .loose
    loose = key
    strict = key
    isSameWhenStrict = true
    isToldByKey = true
    isEmpty = key.isEmpty
    matchesNothing = false
    grams = Grams.ofQuery(key.span)
  }

  /// The same text, or pattern, at the beginning of the name.
  var beginning: NameQuery {
    var query = self
    if let pattern { query.pattern = pattern.atBeginning } else { query.match = .prefix }
    return query
  }

  var mayStandAnywhere: Bool { match == .substring || match == .pattern }

  /// Whether further names may be asked about: false when those before have cost too much.
  var goesOn: Bool { pattern?.isExhausted != true }

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
  @inline(__always)
  func holdsStrictly(_ row: UInt32, key: Span<UInt8>, names: borrowing TextColumn) -> Bool {
    isToldByKey || holdsStrictly(names.bytes(Int(row)), key: key)
  }

  private func holdsStrictly(_ name: Span<UInt8>, key: Span<UInt8>) -> Bool {
    if let pattern { return pattern.holds(name, key: key) }
    if isToldByKey { return true }
    // The strict key of an ASCII name is its loose key, in which the loose text was found.
    if Folding.isASCII(name) { return isSameWhenStrict || holds(strict.span, in: key) }
    return holds(strict.span, in: Folding.strict(name).span)
  }

  /// Whether `text` stands in `key` where the mode wants it.
  func holds(_ text: Span<UInt8>, in key: Span<UInt8>) -> Bool {
    switch match {
    case .substring: ByteSearch.contains(text, in: key)
    case .prefix, .pattern: ByteSearch.hasPrefix(key, text)
    case .exact: key.count == text.count && ByteSearch.hasPrefix(key, text)
    }
  }
}
