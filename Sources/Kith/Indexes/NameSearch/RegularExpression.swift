/// A regular expression in the syntax of RE2, matched in time linear in the text. Case-insensitive, matched against the
/// name in NFC. Available only with the package trait `Regex`.
///
/// It may take `milliseconds` of its thread's time in total, including compilation, which recent patterns skip
/// (`CompiledExpression`). After that it matches nothing, and ends the query's budget. `\b` and the Perl classes know
/// only ASCII, as in RE2; `\p{…}` knows Unicode.
///
final class RegularExpression {
  /// Why a pattern cannot be compiled.
  enum Refusal: Error, Equatable {
    case invalid(String)
    /// The automaton would need more than `memoryByteCount`.
    case tooLarge
    case notBuiltIn
  }

  /// The limit for program and automaton together.
  static let memoryByteCount: Int64 = 1 << 20
  /// The limit of the thread's CPU time.
  static let milliseconds: Int64 = 50

  /// What does not depend on a query.
  private let compiled: CompiledExpression

  /// Every match contains one of these prefilters in its loose key. Empty if any name may match.
  var prefilters: NamePrefilters { compiled.prefilters }
  /// The loose key of every match begins with one of these: ascending, all of the same length in bytes.
  var beginnings: [[UInt8]] { compiled.beginnings }

  /// Whether an ASCII text matches exactly if it does in lower case.
  var ignoresCase: Bool { compiled.ignoresCase }

  /// Takes a pattern from the cache, or compiles it.
  init(_ pattern: String, milliseconds: Int64 = RegularExpression.milliseconds) throws(Refusal) {
    compiled = try CompiledExpression.take(pattern, nanoseconds: milliseconds * 1_000_000)
  }

  deinit { CompiledExpression.giveBack(compiled) }

  /// Whether it matches in a text, or at its beginning.
  /// - Complexity: O(bytes); where the automaton outgrows its memory, times the size of the pattern.
  func holds(in text: Span<UInt8>, atBeginning: Bool, _ budget: inout QueryBudget) -> Bool {
    guard let holds = compiled.holds(in: text, atBeginning: atBeginning) else {
      budget.endTime()
      return false
    }
    return holds
  }

  /// Passes names that do not match, given as their loose keys: at most `count` of those that begin at `start`, each
  /// with a NUL after it. Ends before a key that is not ASCII, and may end anywhere.
  /// - Returns: how many, and their bytes with the NULs.
  func pass(_ keys: Span<UInt8>, from start: Int, count: Int, atBeginning: Bool) -> (count: Int, byteCount: Int) {
    ignoresCase && count > 0 ? compiled.pass(keys, from: start, count: count, atBeginning: atBeginning) : (0, 0)
  }

  /// Whether no group of flags, as `(?-i)`, may turn cases apart. A hyphen in what looks like one is enough.
  static func ignoresCase(_ pattern: [UInt8]) -> Bool {
    var rest = pattern[...]
    while let question = rest.firstIndex(of: UInt8(ascii: "?")) {
      let isGroup = question > 0 && pattern[question - 1] == UInt8(ascii: "(")
      rest = rest[(question + 1)...]
      if isGroup && rest.first(where: { $0 | 0x20 &- 0x61 >= 26 }) == UInt8(ascii: "-") { return false }
    }
    return true
  }

  // MARK: - Beginnings

  private static let maximumBeginningCount = 64

  /// The texts with which a match begins: the literals and character classes that follow a `^`, expanded. The one empty
  /// text if nothing is known, as with alternatives.
  static func beginnings(of pattern: [UInt8]) -> [[UInt8]] {
    guard pattern.first == UInt8(ascii: "^"), !pattern.contains(UInt8(ascii: "|")) else { return [[]] }
    var beginnings: [[UInt8]] = [[]]
    var rest = pattern.dropFirst()
    while let letters = firstLetters(of: &rest), beginnings.count * letters.count <= maximumBeginningCount {
      // An optional item ends the beginning.
      if let next = rest.first, "?*{".utf8.contains(next) { break }
      beginnings = beginnings.flatMap { beginning in letters.map { beginning + [$0] } }
    }
    return beginnings
  }

  /// Removes a letter, or a character class, from the front of a pattern. Returns the bytes that it matches in a key,
  /// ascending; nil if the pattern begins with something else.
  private static func firstLetters(of pattern: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard let first = pattern.popFirst() else { return nil }
    if isPlain(first) { return [Folding.lowercased(first)] }
    guard first == UInt8(ascii: "[") else { return nil }
    var letters: Set<UInt8> = []
    while let byte = pattern.popFirst() {
      if byte == UInt8(ascii: "]") { return letters.isEmpty ? nil : letters.sorted() }
      if !isPlain(byte) { return nil }
      guard pattern.first == UInt8(ascii: "-") else {
        letters.insert(Folding.lowercased(byte))
        continue
      }
      pattern.removeFirst()
      // A range between letters of different kinds would include punctuation.
      guard let last = pattern.popFirst(), isPlain(last), byte <= last, byte >> 5 == last >> 5 else { return nil }
      for byte in byte...last { letters.insert(Folding.lowercased(byte)) }
    }
    return nil
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "_")
  }
}
