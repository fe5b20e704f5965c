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

  /// A payload, as base64.
  mutating func optionalPayload(_ bytes: [UInt8]) throws(MalformedRow) -> [UInt8]? {
    if isAbsent(bytes) { return nil }
    guard let payload = Base64.standard.bytes(try text(bytes)) else {
      throw MalformedRow("a payload is base64, with padding")
    }
    return payload
  }
}
