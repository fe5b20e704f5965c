/// Reads one JSON value (RFC 8259) from the bytes of a line.
///
/// General parsers lose what the protocol needs: integers distinct from `1.0` and `1e0`, refusal of duplicate names and
/// lone surrogates, and the original bytes of a tag.
struct JSONReader {
  /// Deeper nesting than any valid request; it bounds the recursion.
  static let maximumDepth = 64
  /// More values than any valid request: a batch of 10,000 changes has some 80,000. It bounds the memory of a line's
  /// values, each of which can take one byte of it.
  static let maximumValueCount = 1 << 18

  /// Above this count duplicate names are found by hashing, so that an object of a million members takes no million
  /// scans.
  private static let hashedMemberCount = 16

  private let bytes: [UInt8]
  private var offset = 0
  private var depth = 0
  private var valueCount = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The value that the bytes hold, with nothing but white space around it.
  static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSONValue {
    var reader = JSONReader(bytes)
    reader.skipWhiteSpace()
    let value = try reader.value()
    reader.skipWhiteSpace()
    guard reader.offset == bytes.count else { throw reader.failure(.trailingBytes) }
    return value
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    valueCount += 1
    guard valueCount <= Self.maximumValueCount else { throw failure(.tooManyValues) }
    return switch try current() {
    case UInt8(ascii: "{"): .object(try members())
    case UInt8(ascii: "["): .array(try elements())
    case UInt8(ascii: "\""): .string(try string())
    case UInt8(ascii: "t"): try word("true", .boolean(true))
    case UInt8(ascii: "f"): try word("false", .boolean(false))
    case UInt8(ascii: "n"): try word("null", .null)
    default: try number()
    }
  }

  // MARK: Objects and arrays

  /// Skips the opening byte.
  private mutating func enter() throws(JSONError) {
    guard depth < Self.maximumDepth else { throw failure(.tooDeep) }
    depth += 1
    offset += 1
  }

  private mutating func members() throws(JSONError) -> [JSONMember] {
    try enter()
    defer { depth -= 1 }
    var members: [JSONMember] = []
    var names: Set<[UInt8]> = []
    skipWhiteSpace()
    if try current() == UInt8(ascii: "}") {
      offset += 1
      return members
    }
    while true {
      let nameOffset = offset
      guard try current() == UInt8(ascii: "\"") else { throw unexpected() }
      let name = try string()
      if members.count == Self.hashedMemberCount { names.formUnion(members.map { Array($0.name.utf8) }) }
      let isNew = names.isEmpty ? members.named(name) == nil : names.insert(Array(name.utf8)).inserted
      guard isNew else { throw JSONError(reason: .duplicateName(name), offset: nameOffset) }
      skipWhiteSpace()
      guard try current() == UInt8(ascii: ":") else { throw unexpected() }
      offset += 1
      skipWhiteSpace()
      let start = offset
      let value = try value()
      members.append(JSONMember(name: name, value: value, source: start..<offset))
      if try !continues(until: UInt8(ascii: "}")) { return members }
    }
  }

  private mutating func elements() throws(JSONError) -> [JSONValue] {
    try enter()
    defer { depth -= 1 }
    var elements: [JSONValue] = []
    skipWhiteSpace()
    if try current() == UInt8(ascii: "]") {
      offset += 1
      return elements
    }
    while true {
      elements.append(try value())
      if try !continues(until: UInt8(ascii: "]")) { return elements }
    }
  }

  /// Skips a comma (true) or the closing byte (false).
  private mutating func continues(until closing: UInt8) throws(JSONError) -> Bool {
    skipWhiteSpace()
    let byte = try current()
    guard byte == UInt8(ascii: ",") || byte == closing else { throw unexpected() }
    offset += 1
    if byte == closing { return false }
    skipWhiteSpace()
    return true
  }

  // MARK: Numbers and words

  private mutating func number() throws(JSONError) -> JSONValue {
    let start = offset
    if try current() == UInt8(ascii: "-") { offset += 1 }
    if try current() == UInt8(ascii: "0") { offset += 1 } else { try digits() }
    let integerEnd = offset
    if offset < bytes.count, bytes[offset] == UInt8(ascii: ".") {
      offset += 1
      try digits()
    }
    if offset < bytes.count, bytes[offset] | 0x20 == UInt8(ascii: "e") {
      offset += 1
      let sign = try current()
      if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { offset += 1 }
      try digits()
    }
    guard offset == integerEnd, let integer = integer(in: start..<integerEnd) else { return .otherNumber }
    return .integer(integer)
  }

  private mutating func digits() throws(JSONError) {
    guard Self.isDigit(try current()) else { throw unexpected() }
    while offset < bytes.count, Self.isDigit(bytes[offset]) { offset += 1 }
  }

  /// The digits as an integer, summed below zero because that side reaches one further; nil if 64 bits do not hold it.
  private func integer(in range: Range<Int>) -> Int64? {
    let isNegative = bytes[range.lowerBound] == UInt8(ascii: "-")
    var negated: Int64 = 0
    for byte in bytes[range.dropFirst(isNegative ? 1 : 0)] {
      let (tenfold, overflow) = negated.multipliedReportingOverflow(by: 10)
      let (sum, underflow) = tenfold.subtractingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      if overflow || underflow { return nil }
      negated = sum
    }
    if isNegative { return negated }
    return negated == .min ? nil : -negated
  }

  private mutating func word(_ word: String, _ value: JSONValue) throws(JSONError) -> JSONValue {
    for byte in word.utf8 {
      guard try current() == byte else { throw unexpected() }
      offset += 1
    }
    return value
  }

  // MARK: Strings

  private mutating func string() throws(JSONError) -> String {
    let opening = offset
    offset += 1
    let start = offset
    try skipPlainBytes()
    if bytes[offset] == UInt8(ascii: "\"") {
      defer { offset += 1 }
      return try text(bytes[start..<offset], at: opening)
    }
    var unescaped = Array(bytes[start..<offset])
    while bytes[offset] == UInt8(ascii: "\\") {
      try escape(into: &unescaped)
      let next = offset
      try skipPlainBytes()
      unescaped += bytes[next..<offset]
    }
    offset += 1
    return try text(unescaped[...], at: opening)
  }

  private func text(_ utf8: ArraySlice<UInt8>, at opening: Int) throws(JSONError) -> String {
    guard let text = String.fromUTF8(utf8.span) else {
      throw JSONError(reason: .invalidUTF8, offset: opening)
    }
    return text
  }

  /// Stops at a quote or a backslash, and throws at the end.
  private mutating func skipPlainBytes() throws(JSONError) {
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return }
      if byte < 0x20 { throw failure(.controlCharacter) }
      offset += 1
    }
    throw failure(.unexpectedEnd)
  }

  private mutating func escape(into unescaped: inout [UInt8]) throws(JSONError) {
    let start = offset
    offset += 1
    let letter = try current()
    offset += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(letter)
    case UInt8(ascii: "b"): unescaped.append(0x08)
    case UInt8(ascii: "f"): unescaped.append(0x0C)
    case UInt8(ascii: "n"): unescaped.append(0x0A)
    case UInt8(ascii: "r"): unescaped.append(0x0D)
    case UInt8(ascii: "t"): unescaped.append(0x09)
    case UInt8(ascii: "u"): unescaped += String(try scalar(from: start)).utf8
    default: throw JSONError(reason: .invalidEscape, offset: start)
    }
  }

  /// The scalar of `\uXXXX`, or of two of them that make a surrogate pair; `offset` is after the first `u`.
  private mutating func scalar(from start: Int) throws(JSONError) -> Unicode.Scalar {
    let high = try fourHexDigits(of: start)
    if let scalar = Unicode.Scalar(high) { return scalar }
    let second = offset
    guard high < 0xDC00, bytes[second...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]) else {
      throw JSONError(reason: .loneSurrogate, offset: start)
    }
    offset += 2
    let low = try fourHexDigits(of: second)
    guard low & 0xFC00 == 0xDC00, let scalar = Unicode.Scalar(0x10000 + ((high & 0x3FF) << 10) + (low & 0x3FF)) else {
      throw JSONError(reason: .loneSurrogate, offset: start)
    }
    return scalar
  }

  private mutating func fourHexDigits(of start: Int) throws(JSONError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<4 {
      let byte = try current()
      guard let digit = Self.hexValue(byte) else { throw JSONError(reason: .invalidEscape, offset: start) }
      value = value << 4 | digit
      offset += 1
    }
    return value
  }

  // MARK: Bytes

  private func current() throws(JSONError) -> UInt8 {
    guard offset < bytes.count else { throw failure(.unexpectedEnd) }
    return bytes[offset]
  }

  private mutating func skipWhiteSpace() {
    while offset < bytes.count, Self.isWhiteSpace(bytes[offset]) { offset += 1 }
  }

  static func isWhiteSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
  }

  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }

  private static func hexValue(_ byte: UInt8) -> UInt32? {
    if isDigit(byte) { return UInt32(byte - UInt8(ascii: "0")) }
    let lower = byte | 0x20
    return UInt8(ascii: "a")...UInt8(ascii: "f") ~= lower ? UInt32(lower - UInt8(ascii: "a")) + 10 : nil
  }

  private func unexpected() -> JSONError {
    offset < bytes.count ? failure(.unexpectedByte(bytes[offset])) : failure(.unexpectedEnd)
  }

  private func failure(_ reason: JSONError.Reason) -> JSONError { JSONError(reason: reason, offset: offset) }
}
