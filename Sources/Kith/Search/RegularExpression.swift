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
  /// What the loose key of every name that matches begins with.
  let beginning: [UInt8]
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
      beginning = Self.beginning(of: text)
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

  /// The plain letters and digits behind a `^`: the beginning of every name that matches, where the pattern is not one
  /// of several.
  static func beginning(of pattern: [UInt8]) -> [UInt8] {
    guard pattern.first == UInt8(ascii: "^"), !pattern.contains(UInt8(ascii: "|")) else { return [] }
    let rest = pattern.dropFirst()
    let plain = rest.prefix { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    // What a repetition follows may be missing.
    let next = rest.dropFirst(plain.count).first
    let isRepeated = next.map { "?*{".utf8.contains($0) } ?? false
    return Folding.loose(Array(isRepeated ? plain.dropLast() : plain).span)
  }
}
