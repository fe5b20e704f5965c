#if Regex
  import CRegex
#endif

/// A regular expression of the language of RE2, matched in time that is linear in the text: case-insensitive, against
/// the name in NFC. Only with the package trait `Regex` can one be made.
///
/// It may take `milliseconds` of its thread's time in all, compiling included; then it holds of nothing, and says so.
/// `\b` and the Perl classes know ASCII alone, as in RE2; `\p{…}` knows Unicode.
///
/// Each `unsafe` here lends C bytes for one call, or hands it the one handle, which is freed with the expression.
@safe final class RegularExpression {
  /// Why a pattern has no expression.
  enum Refusal: Error, Equatable {
    case invalid(String)
    /// Its automaton would take more than `memoryByteCount`.
    case tooLarge
    case notBuiltIn
  }

  /// Of program and automaton together.
  static let memoryByteCount: Int64 = 1 << 20
  /// Of the thread's time.
  static let milliseconds: Int64 = 50

  /// One of them stands in the loose key of every name that matches; none where any name may.
  let clues: [NameClue]
  /// With one of them begins the loose key of every name that matches: ascending, of as many bytes each.
  let beginnings: [[UInt8]]
  /// Whether its time is spent: it holds of nothing any more.
  private(set) var isExhausted = false

  #if Regex
    private let handle: OpaquePointer

    init(_ pattern: String, milliseconds: Int64 = RegularExpression.milliseconds) throws(Refusal) {
      let text = Array(pattern.utf8)
      var compiled = unsafe text.withUnsafeBytes { bytes in
        unsafe kith_regex_compile(
          bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, Self.memoryByteCount,
          milliseconds * 1_000_000)
      }
      guard let handle = unsafe compiled.regex else {
        if unsafe compiled.status == KITH_REGEX_TOO_LARGE { throw .tooLarge }
        // Safety: the message is zeros behind its end.
        let message = unsafe withUnsafeBytes(of: &compiled.message) { bytes in
          unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        throw .invalid(message)
      }
      unsafe self.handle = handle
      clues = unsafe Self.clues(of: handle)
      beginnings = Self.beginnings(of: text)
    }

    deinit { unsafe kith_regex_free(handle) }

    /// Whether it matches in a text, or at its beginning.
    /// - Complexity: O(bytes); where the automaton outgrows its memory, times the size of the pattern.
    func holds(in text: Span<UInt8>, atBeginning: Bool) -> Bool {
      let result = unsafe text.withUnsafeBytes { bytes in
        unsafe kith_regex_match(
          handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, atBeginning ? 1 : 0)
      }
      if result < 0 { isExhausted = true }
      return result > 0
    }

    private static func clues(of handle: OpaquePointer) -> [NameClue] {
      let atoms = unsafe (0..<kith_regex_atom_count(handle)).map { index in
        var count = 0
        let start = unsafe kith_regex_atom(handle, index, &count)
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
        return Folding.looseRuns(of: bytes.span)
      }
      if unsafe kith_regex_needs_all(handle) != 0 {
        let runs = atoms.flatMap(\.self)
        return runs.isEmpty ? [] : [NameClue(runs)]
      }
      return atoms.contains(where: \.isEmpty) ? [] : atoms.map { NameClue($0) }
    }
  #else
    init(_ pattern: String, milliseconds: Int64 = RegularExpression.milliseconds) throws(Refusal) { throw .notBuiltIn }

    func holds(in text: Span<UInt8>, atBeginning: Bool) -> Bool { false }
  #endif

  // MARK: - Beginnings

  private static let maximumBeginningCount = 64

  /// What the plain letters, digits and classes of such behind a `^` stand for, where the pattern is not one of
  /// several: one text that is empty where nothing is known.
  static func beginnings(of pattern: [UInt8]) -> [[UInt8]] {
    guard pattern.first == UInt8(ascii: "^"), !pattern.contains(UInt8(ascii: "|")) else { return [[]] }
    var beginnings: [[UInt8]] = [[]]
    var rest = pattern.dropFirst()
    while let letters = firstLetters(of: &rest), beginnings.count * letters.count <= maximumBeginningCount {
      // What a repetition follows may be missing.
      if let next = rest.first, "?*{".utf8.contains(next) { break }
      beginnings = beginnings.flatMap { beginning in letters.map { beginning + [$0] } }
    }
    return beginnings
  }

  /// Takes a letter, or a class, from the front of a pattern: the bytes that it may be in a key, ascending. Nil when
  /// something else stands there.
  private static func firstLetters(of pattern: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard let first = pattern.popFirst() else { return nil }
    if isPlain(first) { return [folded(first)] }
    guard first == UInt8(ascii: "[") else { return nil }
    var letters: Set<UInt8> = []
    while let byte = pattern.popFirst() {
      if byte == UInt8(ascii: "]") { return letters.isEmpty ? nil : letters.sorted() }
      if !isPlain(byte) { return nil }
      guard pattern.first == UInt8(ascii: "-") else {
        letters.insert(folded(byte))
        continue
      }
      pattern.removeFirst()
      // Between a letter and one of another kind stand signs, too.
      guard let last = pattern.popFirst(), isPlain(last), byte <= last, byte >> 5 == last >> 5 else { return nil }
      for byte in byte...last { letters.insert(folded(byte)) }
    }
    return nil
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "_")
  }

  private static func folded(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
