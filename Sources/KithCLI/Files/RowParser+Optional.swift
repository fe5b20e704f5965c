import Kith

/// Fields that may be empty, and missing at the end of a row.
extension RowParser {
  private mutating func isAbsent(_ bytes: [UInt8]) -> Bool { isAtRowEnd(bytes) || passEmpty(bytes) }

  mutating func optionalInteger(_ bytes: [UInt8]) throws(MalformedRow) -> Int64? {
    isAbsent(bytes) ? nil : try integer(bytes)
  }

  mutating func optionalTime(_ bytes: [UInt8], as unit: TimeUnit) throws(MalformedRow) -> Int64? {
    isAbsent(bytes) ? nil : try time(bytes, as: unit)
  }

  /// The flags of a user or a post.
  mutating func optionalFlags(_ bytes: [UInt8]) throws(MalformedRow) -> UInt16? {
    guard let number = try optionalInteger(bytes) else { return nil }
    guard let flags = UInt16(exactly: number) else { throw MalformedRow("flags are 0 to 65535, not \(number)") }
    return flags
  }

  /// Whether a user is private: 1 or 0.
  mutating func optionalFlag(_ bytes: [UInt8]) throws(MalformedRow) -> Bool? {
    guard let number = try optionalInteger(bytes) else { return nil }
    guard 0...1 ~= number else { throw MalformedRow("is_private is 1 or 0, not \(number)") }
    return number == 1
  }

  /// A text that is not empty.
  mutating func optionalText(_ bytes: [UInt8]) throws(MalformedRow) -> String? {
    isAbsent(bytes) ? nil : try text(bytes)
  }

  /// The audience of a post, by its name.
  mutating func optionalAudience(_ bytes: [UInt8]) throws(MalformedRow) -> Audience? {
    if isAbsent(bytes) { return nil }
    let name = try text(bytes)
    guard let audience = Audience(rawValue: name) else {
      let names = Audience.allCases.map(\.rawValue).joined(separator: ", ")
      throw MalformedRow("an audience is one of \(names), not \(name.shown)")
    }
    return audience
  }

  /// A payload, as base64.
  mutating func optionalPayload(_ bytes: [UInt8]) throws(MalformedRow) -> [UInt8]? {
    if isAbsent(bytes) { return nil }
    guard let payload = Base64.standard.bytes(try text(bytes)) else {
      throw MalformedRow("a payload is base64, with padding")
    }
    return payload
  }
}
