/// A parsed query of the username index: folded and split into grams once.
struct NameQuery {
  /// Where in the name the text must occur. For `pattern`, the pattern decides, and the text is its beginning.
  enum Match: Hashable, Sendable { case substring, prefix, exact, pattern }

  private(set) var match: Match
  let fold: TextFolding
  let loose: [UInt8]
  /// Nil if it equals the loose text, so that a copy of the usual query takes one reference.
  private let ownStrict: [UInt8]?
  /// Whether a match of the loose text in a loose key that equals the strict key is enough, too.
  let isDecidedByEqualKeys: Bool
  /// Whether a match of the loose text in the loose key is enough, without testing the name itself.
  let isDecidedByKey: Bool
  /// The predicate that each candidate must satisfy, where the text alone does not decide.
  private(set) var pattern: NamePattern?
  /// No text: every name matches.
  let isEmpty: Bool
  /// Text that no key can contain: a lone accent, or a NUL.
  let matchesNothing: Bool

  /// - Parameter text: without leading and trailing white space.
  init(text: String, match: Match, fold: TextFolding) {
    self = text.withBytes { NameQuery(text: $0, match: match, fold: fold) }
  }

  /// - Parameter text: in UTF-8, without leading and trailing white space.
  @inline(__always)
  init(text: Span<UInt8>, match: Match, fold: TextFolding) {
    // In constants, because a property that is read before all are set copies the query.
    let (loose, isASCII) = Folding.looseOfQuery(text)
    let strict: [UInt8]? = fold == .loose || isASCII ? nil : Folding.strict(text)
    let hasOneKey = strict == nil || strict == loose
    let isEmpty = text.isEmpty
    self.match = match
    self.fold = fold
    self.loose = loose
    ownStrict = hasOneKey ? nil : strict
    isDecidedByEqualKeys = hasOneKey
    isDecidedByKey = fold == .loose || isEmpty
    self.isEmpty = isEmpty
    matchesNothing = !isEmpty && (loose.isEmpty || loose.contains(0))
  }

  /// The names that match a pattern.
  init(_ pattern: NamePattern) {
    match = .pattern
    fold = .loose
    loose = pattern.beginning
    ownStrict = nil
    isDecidedByEqualKeys = false
    isDecidedByKey = false
    isEmpty = false
    matchesNothing = false
    self.pattern = pattern
  }

  /// A query for a loose key as it is, for keys that are not names.
  init(key: [UInt8], match: Match) {
    self.match = match
    fold = .loose
    loose = key
    ownStrict = nil
    isDecidedByEqualKeys = true
    isDecidedByKey = true
    isEmpty = key.isEmpty
    matchesNothing = false
  }

  /// The strict key of the text.
  var strict: [UInt8] { ownStrict ?? loose }

  /// A query for the names that contain a gram.
  init(gram: UInt32) {
    let bytes = [UInt8(gram >> 16), UInt8(gram >> 8 & 0xFF), UInt8(gram & 0xFF)]
    self.init(key: Array(bytes.drop { $0 == 0 }), match: .substring)
  }

  /// The grams of a substring query: the distinct trigrams of the loose key. A key shorter than three bytes is one gram
  /// itself.
  var grams: [UInt32] { matchesNothing ? [] : Grams.ofQuery(loose.span) }

  /// The same text, or pattern, at the beginning of the name.
  var beginning: NameQuery {
    var query = self
    if let pattern { query.pattern = pattern.atBeginning } else { query.match = .prefix }
    return query
  }

  /// Whether the text is one gram, looked for anywhere.
  var isOneGram: Bool { match == .substring && (1...3).contains(loose.count) }

  var matchesAnywhere: Bool { match == .substring || match == .pattern }

  /// Whether a name matches, tested without its key: for the few names that are not found through it.
  func holds(name: Span<UInt8>, _ budget: inout QueryBudget) -> Bool {
    let key = Folding.loose(name)
    return holds(loose.span, in: key.span) && holdsStrictly(name, key: key.span, &budget)
  }

  /// Whether every match of the other query, of the same mode and fold, also matches this one.
  func isHeld(by other: NameQuery) -> Bool {
    if isEmpty { return true }
    return holds(loose.span, in: other.loose.span) && (fold == .loose || holds(strict.span, in: other.strict.span))
  }

  /// Whether a name whose loose key matches also matches at the requested strictness.
  /// - Parameters:
  ///   - key: the loose key of the name in `row`.
  ///   - hasEqualKeys: what `NameSegment.hasEqualKeys` says of it.
  @inline(__always)
  func holdsStrictly(
    _ row: UInt32, key: Span<UInt8>, hasEqualKeys: Bool = false, names: borrowing TextColumn,
    _ budget: inout QueryBudget
  ) -> Bool {
    if isDecidedByKey || isDecidedByEqualKeys && hasEqualKeys { return true }
    // A name is a cache miss or two, its key was just read.
    if hasEqualKeys {
      guard let pattern else { return holds(strict.span, in: key) }
      if pattern.ignoresCase && Folding.isASCII(key) { return pattern.holds(key, key: key, &budget) }
    }
    return holdsStrictly(names.bytes(Int(row)), key: key, &budget)
  }

  private func holdsStrictly(_ name: Span<UInt8>, key: Span<UInt8>, _ budget: inout QueryBudget) -> Bool {
    if let pattern { return pattern.holds(name, key: key, &budget) }
    if isDecidedByKey { return true }
    // The strict key of an ASCII name equals its loose key, in which the loose text was found.
    if Folding.isASCII(name) { return isDecidedByEqualKeys || holds(strict.span, in: key) }
    return holds(strict.span, in: Folding.strict(name).span)
  }

  /// Whether `key` contains `text` at the position that the mode requires.
  func holds(_ text: Span<UInt8>, in key: Span<UInt8>) -> Bool {
    switch match {
    case .substring: ByteSearch.contains(text, in: key)
    case .prefix, .pattern: ByteSearch.hasPrefix(key, text)
    case .exact: key.count == text.count && ByteSearch.hasPrefix(key, text)
    }
  }
}
