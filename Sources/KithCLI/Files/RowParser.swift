import Kith

/// Why a line is not a valid row.
struct MalformedRow: Error, Equatable {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// Reads the fields of TSV lines directly from bytes: numbers without a String, texts into one.
///
/// The bytes are whole lines, each ending in LF, so that no loop below has to check for the end of the array: every
/// scan stops at a tab or an LF at the latest. Passing the array instead of storing it avoids a copy.
struct RowParser {
  private static let tab = UInt8(ascii: "\t")
  private static let lineFeed = UInt8(ascii: "\n")
  private static let backslash = UInt8(ascii: "\\")

  /// Where the next field begins.
  private(set) var offset = 0

  /// Skips empty lines; returns how many, and whether a row follows.
  mutating func skipEmptyLines(_ bytes: [UInt8]) -> (count: Int, isAtRow: Bool) {
    let start = offset
    while offset < bytes.count, bytes[offset] == Self.lineFeed { offset += 1 }
    return (offset - start, offset < bytes.count)
  }

  /// Whether the field just read was the last of its row.
  func isAtRowEnd(_ bytes: [UInt8]) -> Bool { bytes[offset - 1] == Self.lineFeed }

  /// A field of decimal digits, optionally after a minus sign, and the tab or LF after it.
  @inline(__always)
  mutating func integer(_ bytes: [UInt8]) throws(MalformedRow) -> Int64 {
    var index = offset
    var value: Int64 = 0
    let isNegative = bytes[index] == UInt8(ascii: "-")
    if isNegative { index += 1 }
    let start = index
    while true {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      // Eighteen digits always fit; a nineteenth may not, and a twentieth never does.
      guard index - start < 18 else { return try longInteger(bytes) }
      value = value &* 10 &+ Int64(digit)
      index += 1
    }
    let end = bytes[index]
    guard index > start, end == Self.tab || end == Self.lineFeed else { throw notAnInteger(bytes) }
    offset = index + 1
    return isNegative ? -value : value
  }

  /// A field with a time, as milliseconds, and the tab or LF after it.
  @inline(__always)
  mutating func time(_ bytes: [UInt8], as unit: TimeUnit) throws(MalformedRow) -> Int64 {
    guard unit == .iso else { return try unit.milliseconds(try integer(bytes)) }
    return try TimeUnit.milliseconds(try text(bytes))
  }

  /// Passes an empty last field; false if the next field is another.
  mutating func passEmptyEnd(_ bytes: [UInt8]) -> Bool {
    guard bytes[offset] == Self.lineFeed else { return false }
    offset += 1
    return true
  }

  /// Passes an empty field, and the tab or LF after it; false if the field is not empty.
  mutating func passEmpty(_ bytes: [UInt8]) -> Bool {
    guard bytes[offset] == Self.tab || bytes[offset] == Self.lineFeed else { return false }
    offset += 1
    return true
  }

  /// A text with its escapes resolved, and the tab or LF after it.
  mutating func text(_ bytes: [UInt8]) throws(MalformedRow) -> String {
    let start = offset
    let (end, hasEscapes) = ByteSearch.first(
      of: (Self.tab, Self.lineFeed), noting: Self.backslash, in: bytes.span, from: start)
    guard end - start <= LineBlocks.maximumFieldByteCount else {
      throw MalformedRow("a field of over \(LineBlocks.maximumFieldByteCount) bytes")
    }
    let field = hasEscapes ? try unescaped(bytes[start..<end])[...] : bytes[start..<end]
    guard let text = String.fromUTF8(field.span) else { throw MalformedRow("not valid UTF-8") }
    offset = end + 1
    return text
  }

  /// How many fields the line at this offset has.
  func fieldCount(_ bytes: [UInt8], from start: Int) -> Int {
    1 + bytes[start...].prefix { $0 != Self.lineFeed }.count { $0 == Self.tab }
  }

  /// The fields of the first line, unchanged.
  static func fields(_ bytes: ArraySlice<UInt8>) -> [String] {
    bytes.prefix { $0 != lineFeed }.split(separator: tab, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  mutating func skipLine(_ bytes: [UInt8]) {
    while bytes[offset] != Self.lineFeed { offset += 1 }
    offset += 1
  }

  /// Whether a line can be a header: it begins with no number.
  static func mayBeHeader(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = line.first else { return false }
    return first != UInt8(ascii: "-") && first &- UInt8(ascii: "0") >= 10
  }

  // MARK: Rare cases

  private mutating func longInteger(_ bytes: [UInt8]) throws(MalformedRow) -> Int64 {
    let field = bytes[offset...].prefix { $0 != Self.tab && $0 != Self.lineFeed }
    guard field.count <= 20, let value = Int64(String(decoding: field, as: UTF8.self)) else {
      throw notAnInteger(bytes)
    }
    offset = field.endIndex + 1
    return value
  }

  private func notAnInteger(_ bytes: [UInt8]) -> MalformedRow {
    let field = bytes[offset...].prefix { $0 != Self.tab && $0 != Self.lineFeed }
    let shown = String(decoding: field.prefix(24), as: UTF8.self) + (field.count > 24 ? "…" : "")
    return MalformedRow("\"\(shown)\" is not a 64-bit integer")
  }

  private func unescaped(_ field: ArraySlice<UInt8>) throws(MalformedRow) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(field.count)
    var index = field.startIndex
    while index < field.endIndex {
      let byte = field[index]
      index += 1
      guard byte == Self.backslash else {
        text.append(byte)
        continue
      }
      switch index < field.endIndex ? field[index] : 0 {
      case UInt8(ascii: "t"): text.append(Self.tab)
      case UInt8(ascii: "n"): text.append(Self.lineFeed)
      case UInt8(ascii: "r"): text.append(UInt8(ascii: "\r"))
      case Self.backslash: text.append(Self.backslash)
      default: throw MalformedRow("a backslash before something else than t, n, r or a backslash")
      }
      index += 1
    }
    return text
  }
}
