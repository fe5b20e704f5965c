/// What a name must be like where its key alone does not tell: each that the clues lead to is looked at as a whole.
///
/// Of one question and one thread: it counts what its looks cost, and looks no more when they have cost enough.
final class NamePattern {
  /// How a name is looked at.
  enum Test {
    /// Its loose key holds a text with exactly so many edits; and its strict key, if that is asked for, with at most so
    /// many.
    case slips(SlipMatcher, exactly: Int, strictly: (SlipMatcher, atMost: Int)?)
    case expression(RegularExpression)
  }

  /// Names looked at for slips before the question is given up: some fifty milliseconds.
  static let maximumLookCount = 1_000_000

  /// One of them stands in the key of every name that answers; none where any name may.
  let clues: [NameClue]
  /// What the key of every name that answers begins with.
  let beginning: [UInt8]
  private let test: Test
  /// Whether only what stands at a name's beginning counts.
  private let isAtBeginning: Bool
  private var looksLeft = NamePattern.maximumLookCount

  /// Names that hold a text with exactly so many edits.
  /// - Parameters:
  ///   - loose: the text's key, not empty.
  ///   - strict: the strict one, where names must hold that too, with `mostEdits` at most.
  init(loose: [UInt8], edits: Int, strict: [UInt8]?, mostEdits: Int) {
    clues = NameClue.ofText(loose, edits: edits)
    beginning = []
    isAtBeginning = false
    let strictly = strict.flatMap { $0.isEmpty ? nil : (SlipMatcher($0.span), atMost: mostEdits) }
    test = .slips(SlipMatcher(loose.span), exactly: edits, strictly: strictly)
  }

  init(_ expression: RegularExpression, isAtBeginning: Bool = false) {
    clues = expression.clues
    beginning = expression.beginning
    self.isAtBeginning = isAtBeginning
    test = .expression(expression)
  }

  /// The same, where only what stands at a name's beginning counts.
  var atBeginning: NamePattern {
    guard case .expression(let expression) = test else { return self }
    return NamePattern(expression, isAtBeginning: true)
  }

  /// Whether the looks have cost too much: answers are not complete then.
  var isExhausted: Bool {
    switch test {
    case .slips: looksLeft < 0
    case .expression(let expression): expression.isExhausted
    }
  }

  /// Whether a name answers.
  /// - Parameter key: its loose key.
  func holds(_ row: UInt32, key: Span<UInt8>, names: borrowing TextColumn) -> Bool {
    switch test {
    case .slips(let matcher, let edits, let strictly):
      looksLeft -= 1
      if looksLeft < 0 || matcher.edits(in: key) != edits { return false }
      guard let (matcher, most) = strictly else { return true }
      return matcher.edits(in: Folding.strict(names.bytes(Int(row))).span) <= most
    case .expression(let expression):
      let name = names.bytes(Int(row))
      if Folding.isASCII(name) { return expression.holds(in: name, atBeginning: isAtBeginning) }
      return expression.holds(in: Folding.nfc(name).span, atBeginning: isAtBeginning)
    }
  }
}
