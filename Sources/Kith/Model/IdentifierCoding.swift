extension UserID: Codable {
  /// Decodes the number.
  /// - Throws: `DecodingError` if it is no integer from 1 on.
  public init(from decoder: any Decoder) throws { self.init(try decoder.identifier()) }
}

extension PostID: Codable {
  /// Decodes the number.
  /// - Throws: `DecodingError` if it is no integer from 1 on.
  public init(from decoder: any Decoder) throws { self.init(try decoder.identifier()) }
}

extension UserID: LosslessStringConvertible {
  /// The number.
  public var description: String { String(rawValue) }
  /// An id from the digits of its number; nil for any other text and for numbers below 1.
  public init?(_ description: String) {
    guard let number = Int64(description), number >= 1 else { return nil }
    self.init(number)
  }
}

extension PostID: LosslessStringConvertible {
  /// The number.
  public var description: String { String(rawValue) }
  /// An id from the digits of its number; nil for any other text and for numbers below 1.
  public init?(_ description: String) {
    guard let number = Int64(description), number >= 1 else { return nil }
    self.init(number)
  }
}

/// Encoded as the number of milliseconds.
extension Timestamp: Codable {}

extension Timestamp: LosslessStringConvertible {
  /// The number of milliseconds since 1970.
  public var description: String { String(rawValue) }
  /// A time from the digits of its milliseconds since 1970; nil for any other text.
  public init?(_ description: String) {
    guard let milliseconds = Int64(description) else { return nil }
    self.init(milliseconds)
  }
}

extension Decoder {
  /// A number that may be an id.
  fileprivate func identifier() throws -> Int64 {
    let container = try singleValueContainer()
    let number = try container.decode(Int64.self)
    guard number >= 1 else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "an id is at least 1")
    }
    return number
  }
}
