/// The predicate of a fuzzy or regular expression search. The prefilters find candidate names; each candidate is then
/// tested as a whole. A query's budget limits how many are.
final class NamePattern {
  // How a name is tested: one of the two.
  let edits: EditTest?
  private let expression: RegularExpression?

  /// Every match contains one of these prefilters in its key. Empty if any name may match.
  private(set) lazy var prefilters = expression?.prefilters ?? prefiltersOfText
  /// The text of which edits are counted: its key. Empty for a regular expression.
  private let text: [UInt8]
  private let editCount: Int
  /// More selective prefilters, for parts that have gram postings.
  private let variants: DeletionNeighborhood?
  /// The key of every match begins with one of these: ascending, all of the same length in bytes.
  let beginnings: [[UInt8]]
  /// Whether only a match at the beginning of a name counts.
  private let isAtBeginning: Bool

  /// Names that contain a text with exactly so many edits.
  /// - Parameter loose: the text's key, not empty.
  convenience init(loose: [UInt8], edits: Int, names: NameQuery.Names = .only) {
    self.init(edits: EditTest(loose: loose, edits...edits, names: names), loose, edits: edits)
  }

  /// Names that contain a text's strict key with exactly so many edits, and its loose key with at most `mostEdits`.
  convenience init(
    loose: [UInt8], strict: [UInt8], edits: Int, mostEdits: Int, names: NameQuery.Names = .only
  ) {
    let test = EditTest(loose: loose, 0...mostEdits, strict: strict, edits: edits, names: names)
    self.init(edits: test, loose, edits: mostEdits)
  }

  /// - Parameter edits: the most edits of the loose key.
  private init(edits test: EditTest, _ loose: [UInt8], edits: Int) {
    variants = DeletionNeighborhood(loose, edits: edits)
    (text, editCount) = (loose, edits)
    beginnings = [[]]
    isAtBeginning = false
    self.edits = test
    expression = nil
  }

  init(_ expression: RegularExpression, isAtBeginning: Bool = false) {
    (text, editCount) = ([], 0)
    variants = nil
    beginnings = expression.beginnings
    self.isAtBeginning = isAtBeginning
    edits = nil
    self.expression = expression
  }

  private var prefiltersOfText: NamePrefilters {
    let isOfFewParts = variants.map { !$0.isOfLongText } ?? false
    return NamePrefilters.ofText(
      text, edits: editCount, partCount: isOfFewParts ? editCount + 1 : NamePrefilters.maximumPartCount)
  }

  /// Whether every match contains one of some prefilters.
  var hasPrefilters: Bool { edits != nil || !prefilters.isEmpty }

  /// Whether an ASCII name matches exactly if it does in lower case.
  var ignoresCase: Bool {
    expression?.ignoresCase ?? true
  }

  /// The common prefix of all beginnings.
  var beginning: [UInt8] {
    guard let first = beginnings.first, let last = beginnings.last else { return [] }
    return Array(first.prefix(ByteSearch.commonPrefix(first.span, last.span)))
  }

  /// The same pattern, matched at the beginning of a name only.
  var atBeginning: NamePattern {
    expression.map { NamePattern($0, isAtBeginning: true) } ?? self
  }

  /// The prefilters for the names of a part. Empty prefilters match any name.
  /// - Parameter maximumEstimate: of the blocks that the prefilters of a long text let pass.
  func prefilters(
    for part: NameSegment.Part, maximumEstimate: Int = NamePattern.maximumBlockEstimate
  ) -> NamePrefilters {
    guard let variants else { return prefilters }
    if variants.isOfLongText && part.blockEstimate(of: prefilters) <= maximumEstimate { return prefilters }
    return variants.prefilters(for: part)
  }

  /// Searching so many blocks takes about as long as the variants of a long text do. With a million names, the variants
  /// take 0.7 ms, and the p99 of two typos in 9 to 16 letters is 3.1 ms without them, 1.5 ms with this bound.
  private static let maximumBlockEstimate = 12_000

  /// Passes names that do not match, as `RegularExpression.pass` does.
  func pass(_ keys: Span<UInt8>, from start: Int, count: Int) -> (count: Int, byteCount: Int) {
    expression?.pass(keys, from: start, count: count, atBeginning: isAtBeginning) ?? (0, 0)
  }

  /// Whether a name may match, judging by its loose key.
  func mayHold(_ key: Span<UInt8>, _ budget: inout QueryBudget) -> Bool {
    if let edits { return edits.mayHold(key, &budget) }
    return beginnings.contains { ByteSearch.hasPrefix(key, $0.span) }
  }

  /// Whether a name matches.
  /// - Parameter key: its loose key.
  func holds(_ name: Span<UInt8>, key: Span<UInt8>, _ budget: inout QueryBudget) -> Bool {
    if let edits { return edits.holds(name, key: key, &budget) }
    guard let expression else { return false }
    if Folding.isASCII(name) { return expression.holds(in: name, atBeginning: isAtBeginning, &budget) }
    return expression.holds(in: Folding.nfc(name).span, atBeginning: isAtBeginning, &budget)
  }
}

/// Tests whether the loose key contains a text with a number of edits in a range; optionally also whether the strict
/// key contains it with an exact number.
final class EditTest {
  private let loose: EditMatcher
  private let looseEdits: ClosedRange<Int>
  private let strict: (matcher: EditMatcher, edits: Int)?
  private let names: NameQuery.Names

  init(loose: [UInt8], _ looseEdits: ClosedRange<Int>, names: NameQuery.Names) {
    self.names = names
    self.loose = EditMatcher(loose.span)
    self.looseEdits = looseEdits
    strict = nil
  }

  init(loose: [UInt8], _ looseEdits: ClosedRange<Int>, strict: [UInt8], edits: Int, names: NameQuery.Names) {
    self.names = names
    self.loose = EditMatcher(loose.span)
    self.looseEdits = looseEdits
    self.strict = (EditMatcher(strict.span), edits)
  }

  /// Whether an entry may match, judging by its key. Of a username and a display name, the one with fewer edits counts.
  func mayHold(_ key: Span<UInt8>, _ budget: inout QueryBudget) -> Bool {
    if !budget.takeComparison() { return false }
    let most = looseEdits.upperBound
    if names == .only { return looseEdits.contains(loose.edits(in: key, atMost: most)) }
    let name = NamesKey.name(key)
    var fewest = loose.edits(in: name, atMost: most)
    if names == .either && name.count < key.count {
      fewest = min(fewest, loose.edits(in: NamesKey.displayName(key), atMost: most))
    }
    return looseEdits.contains(fewest)
  }

  /// Whether a username or a display name matches.
  /// - Parameter key: of both.
  func holds(
    _ name: Span<UInt8>, _ displayName: Span<UInt8>, key: Span<UInt8>, _ budget: inout QueryBudget
  ) -> Bool {
    if !mayHold(key, &budget) { return false }
    guard let strict else { return true }
    /// The edits of one of the names in its strict key; nil if its loose key has too many.
    func edits(_ name: Span<UInt8>, _ key: Span<UInt8>) -> Int? {
      guard looseEdits.contains(loose.edits(in: key, atMost: looseEdits.upperBound)) else { return nil }
      return strict.matcher.edits(in: Folding.strict(name).span)
    }
    let (own, other) = (edits(name, NamesKey.name(key)), edits(displayName, NamesKey.displayName(key)))
    return min(own ?? .max, other ?? .max) == strict.edits
  }

  func holds(_ name: Span<UInt8>, key: Span<UInt8>, _ budget: inout QueryBudget) -> Bool {
    if !mayHold(key, &budget) { return false }
    guard let strict else { return true }
    return strict.matcher.edits(in: Folding.strict(name).span) == strict.edits
  }
}
