/// What a name must be like where its key alone does not tell: each that the clues lead to is looked at as a whole.
///
/// Of one question and one thread: it counts what its looks cost, and looks no more when they have cost enough.
final class NamePattern {
  /// How a name is looked at.
  private enum Test {
    case slips(SlipTest)
    case expression(RegularExpression)
  }

  /// One of them stands in the key of every name that answers; none where any name may.
  let clues: [NameClue]
  /// What tells more, where names are posted by their grams.
  private let variants: SlipVariants?
  /// With one of them begins the key of every name that answers: ascending, of as many bytes each.
  let beginnings: [[UInt8]]
  private let test: Test
  /// Whether only what stands at a name's beginning counts.
  private let isAtBeginning: Bool

  /// Names that hold a text with exactly so many edits.
  /// - Parameters:
  ///   - loose: the text's key, not empty.
  ///   - strict: the strict one, where names must hold that too, with `mostEdits` at most.
  init(loose: [UInt8], edits: Int, strict: [UInt8]?, mostEdits: Int) {
    variants = SlipVariants(loose, edits: edits)
    clues = variants?.parts ?? NameClue.ofText(loose, edits: edits)
    beginnings = [[]]
    isAtBeginning = false
    test = .slips(SlipTest(loose: loose, edits: edits, strict: strict, mostEdits: mostEdits))
  }

  init(_ expression: RegularExpression, isAtBeginning: Bool = false) {
    clues = expression.clues
    variants = nil
    beginnings = expression.beginnings
    self.isAtBeginning = isAtBeginning
    test = .expression(expression)
  }

  /// What all beginnings have in common.
  var beginning: [UInt8] {
    guard let first = beginnings.first, let last = beginnings.last else { return [] }
    return Array(first.prefix(ByteSearch.commonPrefix(first.span, last.span)))
  }

  /// The same, where only what stands at a name's beginning counts.
  var atBeginning: NamePattern {
    guard case .expression(let expression) = test else { return self }
    return NamePattern(expression, isAtBeginning: true)
  }

  /// Whether the looks have cost too much: answers are not complete then.
  var isExhausted: Bool {
    switch test {
    case .slips(let test): test.isExhausted
    case .expression(let expression): expression.isExhausted
    }
  }

  /// What every name of a part that answers has in its key, where there are clues at all.
  func groups(in part: NameSegment.Part) -> [ClueGroup] { variants?.groups(in: part) ?? [ClueGroup(clues: clues)] }

  /// Whether a name may answer, as far as its loose key tells.
  func mayHold(_ key: Span<UInt8>) -> Bool {
    switch test {
    case .slips(let test): test.mayHold(key)
    case .expression: beginnings.contains { ByteSearch.hasPrefix(key, $0.span) }
    }
  }

  /// Whether a name answers.
  /// - Parameter key: its loose key.
  func holds(_ name: Span<UInt8>, key: Span<UInt8>) -> Bool {
    switch test {
    case .slips(let test): return test.holds(name, key: key)
    case .expression(let expression):
      if Folding.isASCII(name) { return expression.holds(in: name, atBeginning: isAtBeginning) }
      return expression.holds(in: Folding.nfc(name).span, atBeginning: isAtBeginning)
    }
  }
}

/// Whether the loose key holds a text with exactly so many edits; and the strict key, if that is asked for, with some
/// number at most.
private final class SlipTest {
  /// Names looked at before the question is given up: some fifty milliseconds.
  private static let maximumLookCount = 1_000_000

  private let loose: SlipMatcher
  private let edits: Int
  private let strict: SlipMatcher?
  private let mostEdits: Int
  private var looksLeft = SlipTest.maximumLookCount

  init(loose: [UInt8], edits: Int, strict: [UInt8]?, mostEdits: Int) {
    self.loose = SlipMatcher(loose.span)
    self.edits = edits
    self.strict = strict.map { SlipMatcher($0.span) }
    self.mostEdits = mostEdits
  }

  var isExhausted: Bool { looksLeft < 0 }

  func mayHold(_ key: Span<UInt8>) -> Bool {
    looksLeft -= 1
    return looksLeft >= 0 && loose.edits(in: key) == edits
  }

  func holds(_ name: Span<UInt8>, key: Span<UInt8>) -> Bool {
    if !mayHold(key) { return false }
    guard let strict else { return true }
    return strict.edits(in: Folding.strict(name).span) <= mostEdits
  }
}
