/// A parsed query of the username index: folded and split into grams once.
struct NameQuery {
  /// Where in the name the text must occur. For `pattern`, the pattern decides, and the text is its beginning.
  enum Match: Hashable, Sendable { case substring, prefix, exact, pattern }

  /// Which names of a user the text is looked for in.
  enum Names: Hashable, Sendable {
    /// The username, where no entry of the index has a display name.
    case only
    /// The username, where entries may have display names.
    case username
    /// The username or the display name.
    case either
  }

  private(set) var match: Match
  var names = Names.only
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
  /// Text that no name can contain: a lone accent, a NUL, or a line feed.
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
    matchesNothing = !isEmpty && (loose.isEmpty || loose.contains { $0 == 0 || $0 == NamesKey.separator })
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

  /// Whether matches are found by a text anywhere in the keys of entries.
  var isFoundAnywhere: Bool { match == .substring || names == .either && match != .pattern }

  /// Whether the text is one gram, looked for anywhere.
  var isOneGram: Bool { match == .substring && (1...3).contains(loose.count) }

  var matchesAnywhere: Bool { match == .substring || match == .pattern }

  /// Whether one name matches, tested without its key: for the few names that are not found through it.
  func holds(name: Span<UInt8>, _ budget: inout QueryBudget) -> Bool {
    let key = Folding.loose(name)
    return holds(loose.span, inName: key.span) && holdsStrictly(name, key: key.span, &budget)
  }

  /// Whether every match of the other query, of the same mode and fold, also matches this one.
  func isHeld(by other: NameQuery) -> Bool {
    if isEmpty { return true }
    return holds(loose.span, inName: other.loose.span)
      && (fold == .loose || holds(strict.span, inName: other.strict.span))
  }

  /// Whether an entry whose key matches, or has the text of a query for usernames, also matches at the requested
  /// strictness.
  /// - Parameters:
  ///   - key: the key of the entry of `row`.
  ///   - hasEqualKeys: what `NameSegment.hasEqualKeys` says of it.
  ///   - displayNames: those of the index.
  @inline(__always)
  func holdsStrictly(
    _ row: UInt32, key: Span<UInt8>, hasEqualKeys: Bool = false, names: borrowing TextColumn,
    _ displayNames: Box<TextColumn>?, _ budget: inout QueryBudget
  ) -> Bool {
    if isDecidedByKey && self.names != .username || isDecidedByEqualKeys && hasEqualKeys { return true }
    // A name is a cache miss or two, its key was just read.
    if hasEqualKeys {
      guard let pattern else { return holds(strict.span, inName: key) }
      if pattern.ignoresCase && Folding.isASCII(key) { return pattern.holds(key, key: key, &budget) }
    }
    if self.names != .only, let displayNames {
      return holdsStrictly(row, key: key, names: names, among: displayNames, &budget)
    }
    return holdsStrictly(names.bytes(Int(row)), key: key, &budget)
  }

  /// The same where entries may have display names.
  @inline(never)
  private func holdsStrictly(
    _ row: UInt32, key: Span<UInt8>, names: borrowing TextColumn, among displayNames: Box<TextColumn>,
    _ budget: inout QueryBudget
  ) -> Bool {
    let nameKey = NamesKey.name(key)
    let isOfDisplayNames = self.names == .either && nameKey.count < key.count
    if let pattern {
      if let edits = pattern.edits, isOfDisplayNames {
        return displayNames.value.withBytes(Int(row)) {
          edits.holds(names.bytes(Int(row)), $0, key: key, &budget)
        }
      }
      return pattern.holds(names.bytes(Int(row)), key: nameKey, &budget)
    }
    if holds(loose.span, inName: nameKey) && holdsStrictly(names.bytes(Int(row)), key: nameKey, &budget) { return true }
    guard isOfDisplayNames else { return false }
    let displayKey = NamesKey.displayName(key)
    if !holds(loose.span, inName: displayKey) { return false }
    return displayNames.value.withBytes(Int(row)) { holdsStrictly($0, key: displayKey, &budget) }
  }

  private func holdsStrictly(_ name: Span<UInt8>, key: Span<UInt8>, _ budget: inout QueryBudget) -> Bool {
    if let pattern { return pattern.holds(name, key: key, &budget) }
    if isDecidedByKey { return true }
    // The strict key of an ASCII name equals its loose key, in which the loose text was found.
    if Folding.isASCII(name) { return isDecidedByEqualKeys || holds(strict.span, inName: key) }
    return holds(strict.span, inName: Folding.strict(name).span)
  }

  /// Whether a key of an entry has `text` at the position that the mode requires, in a name that it is looked for in.
  func holds(_ text: Span<UInt8>, in key: Span<UInt8>) -> Bool {
    if names == .only { return holds(text, inName: key) }
    return holds(text, inName: NamesKey.name(key))
      || names == .either && match != .pattern && holds(text, inName: NamesKey.displayName(key))
  }

  /// Whether the key of a name has `text` at the position that the mode requires.
  private func holds(_ text: Span<UInt8>, inName key: Span<UInt8>) -> Bool {
    switch match {
    case .substring: ByteSearch.contains(text, in: key)
    case .prefix, .pattern: ByteSearch.hasPrefix(key, text)
    case .exact: key.count == text.count && ByteSearch.hasPrefix(key, text)
    }
  }
}
