/// Computes the keys by which text is compared. All inputs and all keys are valid UTF-8.
///
/// - *loose*: NFKD, full case fold, NFKD again; then default-ignorable scalars and the marks that people leave out are
///   dropped, and a few letters, apostrophes, dashes and quotation marks are replaced by what people type for them.
///   Only kana are composed again, with their voicing marks.
/// - *strict*: NFC of the full case fold of NFD.
///
/// One pass over the bytes: a table maps each scalar. This is sufficient if the marks are in canonical order and
/// nothing composes with what precedes it. Any other text is processed by `NormalizationBuffer`.
enum Folding {
  static let unicodeVersion = UnicodeTables.version

  /// - Complexity: O(*n*) for *n* bytes; runs of more than 32 marks are sorted.
  static func loose(_ utf8: Span<UInt8>) -> [UInt8] {
    if isASCII(utf8) { return lowercasedASCII(utf8) }
    return ScalarMap.loose.mapped(utf8) ?? transformed(utf8, .loose)
  }

  /// - Complexity: O(*n*) for *n* bytes; runs of more than 32 marks are sorted.
  static func strict(_ utf8: Span<UInt8>) -> [UInt8] {
    if isASCII(utf8) { return lowercasedASCII(utf8) }
    return ScalarMap.strict.mapped(utf8) ?? transformed(utf8, .strict)
  }

  /// - Complexity: O(*n*) for *n* bytes; runs of more than 32 marks are sorted.
  static func nfc(_ utf8: Span<UInt8>) -> [UInt8] {
    if isASCII(utf8) { return copy(utf8) }
    return ScalarMap.nfc.mapped(utf8) ?? transformed(utf8, .nfc)
  }

  static func key(_ utf8: Span<UInt8>, _ folding: TextFolding) -> [UInt8] {
    switch folding {
    case .loose: loose(utf8)
    case .strict: strict(utf8)
    }
  }

  static func loose(_ text: String) -> [UInt8] { text.withBytes(loose) }

  /// The loose key of a text, and whether the text is ASCII.
  static func looseOfQuery(_ utf8: Span<UInt8>) -> (key: [UInt8], isASCII: Bool) {
    isASCII(utf8) ? (lowercasedASCII(utf8), true) : (loose(utf8), false)
  }
  static func strict(_ text: String) -> [UInt8] { strict(Array(text.utf8).span) }
  static func nfc(_ text: String) -> [UInt8] { nfc(Array(text.utf8).span) }

  /// Appends the loose key of a text, and a NUL. Allocates no array unless marks are out of order.
  @inline(__always)
  static func appendLoose(_ utf8: Span<UInt8>, to keys: inout KeyBuffer) {
    if !keys.appendLowercased(utf8) { append(utf8, .loose, ScalarMap.loose, to: &keys) }
  }

  /// Appends the strict key of a text, and a NUL.
  @inline(__always)
  static func appendStrict(_ utf8: Span<UInt8>, to keys: inout KeyBuffer) {
    if !keys.appendLowercased(utf8) { append(utf8, .strict, ScalarMap.strict, to: &keys) }
  }

  @inline(never)
  private static func append(_ utf8: Span<UInt8>, _ form: ScalarMap.Form, _ map: ScalarMap, to keys: inout KeyBuffer) {
    if !map.append(utf8, to: &keys) { keys.append(transformed(utf8, form).span) }
  }

  /// Appends the loose key of a text. Allocates no array for ASCII.
  static func appendLoose(_ utf8: Span<UInt8>, to keys: inout [UInt8]) {
    if !isASCII(utf8) { return keys.append(contentsOf: loose(utf8)) }
    appendLowercased(utf8, to: &keys)
  }

  /// Whether a text may be cut before this scalar so that its parts have separate keys: the scalar is no mark and
  /// composes with nothing before it. Loose keys also let a voicing mark pass dropped scalars: see `ScalarMap.drops`.
  static func standsAlone(_ scalar: UInt32) -> Bool {
    let first = firstDecomposed(scalar)
    return first >> 24 == 0 && !UnicodeData.shared[first & 0xFF_FFFF].contains(.composesBackward)
  }

  /// Whether a scalar is a combining mark, or one in keys, as the halfwidth voicing marks of kana are.
  static func isMark(_ scalar: UInt32) -> Bool { firstDecomposed(scalar) >> 24 != 0 }

  /// The first scalar of a compatibility decomposition, with its combining class in the upper eight bits.
  private static func firstDecomposed(_ scalar: UInt32) -> UInt32 {
    var buffer = NormalizationBuffer()
    buffer.append(decomposing: scalar, .compatibility)
    return buffer.elements[0]
  }

  /// Keys that the loose key of every text containing `text` contains, whatever the case of its letters: the key of
  /// `text` without the scalars whose keys may be separated or changed by marks. None is empty; there are none if
  /// nothing is certain.
  static func looseRuns(of text: Span<UInt8>) -> [[UInt8]] {
    var runs: [[UInt8]] = [[]]
    var buffer = NormalizationBuffer()
    var position = 0
    while position < text.count {
      let (scalar, byteCount) = text.decodedScalar(at: position)
      position += byteCount
      buffer.removeAll()
      buffer.append(decomposing: scalar, .compatibility)
      // Marks are ordered among their neighbours. The iota below is a mark until it is folded to a letter.
      let hasIotaBelow = buffer.elements.contains { $0 & 0xFF_FFFF == 0x345 }
      buffer.fold(.compatibility)
      buffer.loosen()
      if hasIotaBelow || buffer.elements.contains(where: { $0 >> 24 != 0 }) {
        runs.append([])
        continue
      }
      buffer.appendUTF8(to: &runs[runs.count - 1])
      if let last = buffer.elements.last, let unsettled = Kana.unsettledByteCount(last) {
        runs[runs.count - 1].removeLast(unsettled)
        runs.append([])
      }
    }
    return runs.filter { !$0.isEmpty }
  }

  static func isASCII(_ utf8: Span<UInt8>) -> Bool {
    var union: UInt8 = 0  // no early exit, so that the loop is vectorised
    for index in utf8.indices { union |= utf8[index] }
    return union < 0x80
  }

  /// An ASCII byte in lower case.
  @inline(__always)
  static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

  /// The property White_Space of Unicode 17.0, unchanged since 6.3.
  static func isWhiteSpace(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09...0x0D, 0x20, 0x85, 0xA0, 0x1680, 0x2000...0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000: true
    default: false
    }
  }

  /// Whether both ends of a text are visible ASCII, as usual, so that it needs no trimming.
  private static func isTrimmed(_ utf8: Span<UInt8>) -> Bool {
    utf8.count > 0 && utf8[0] &- 0x21 < 0x5E && utf8[utf8.count - 1] &- 0x21 < 0x5E
  }

  /// The same of a text that is ASCII as a whole.
  static func isTrimmedASCII(_ utf8: Span<UInt8>) -> Bool { isTrimmed(utf8) && isASCII(utf8) }

  /// `text` without white space at both ends. By scalars: a combining mark does not turn a space into a letter.
  static func trimmed(_ text: String) -> String {
    if text.withBytes(isTrimmed) { return text }
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isWhiteSpace($0.value) }),
      let last = scalars.lastIndex(where: { !isWhiteSpace($0.value) })
    else { return "" }
    return String(scalars[first...last])
  }

  /// Calls `body` with each word between white space, by scalars; none is empty.
  @inline(__always)
  static func forEachWord(in utf8: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
    var (start, position) = (0, 0)
    while position < utf8.count {
      let byte = utf8[position]
      let (scalar, byteCount) = byte < 0x80 ? (UInt32(byte), 1) : utf8.decodedScalar(at: position)
      position += byteCount
      if !isWhiteSpace(scalar) { continue }
      if position - byteCount > start { body(utf8.extracting(start..<position - byteCount)) }
      start = position
    }
    if start < position { body(utf8.extracting(start..<position)) }
  }

  /// The key in any form, computed by its definition, for any text.
  static func transformed(_ utf8: Span<UInt8>, _ form: ScalarMap.Form) -> [UInt8] {
    var buffer = NormalizationBuffer()
    switch form {
    case .loose:
      buffer.append(decomposing: utf8, .compatibility)
      buffer.fold(.compatibility)
      buffer.loosen()
    case .strict:
      buffer.append(decomposing: utf8, .canonical)
      buffer.fold(.canonical)
      buffer.compose()
    case .nfc:
      buffer.append(decomposing: utf8, .canonical)
      buffer.compose()
    }
    var output: [UInt8] = []
    output.reserveCapacity(buffer.elements.count * 3)
    buffer.appendUTF8(to: &output)
    return output
  }

  private static func lowercasedASCII(_ utf8: Span<UInt8>) -> [UInt8] {
    var key: [UInt8] = []
    appendLowercased(utf8, to: &key)
    return key
  }

  /// Not inlined: two copies of the closure would be merged, and then called.
  @inline(never)
  private static func appendLowercased(_ utf8: Span<UInt8>, to keys: inout [UInt8]) {
    keys.append(addingCapacity: utf8.count) { output in
      for index in utf8.indices { output.append(lowercased(utf8[index])) }
    }
  }

  private static func copy(_ utf8: Span<UInt8>) -> [UInt8] {
    Array(capacity: utf8.count) { output in
      for index in utf8.indices { output.append(utf8[index]) }
    }
  }
}
