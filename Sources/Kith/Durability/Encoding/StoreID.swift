/// The id of a store: a UUID chosen when the store is created, and contained in all of its files.
package struct StoreID: Hashable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  static func random() -> StoreID { StoreID(high: .random(in: 0 ... .max), low: .random(in: 0 ... .max)) }

  init(reading reader: inout ByteReader) throws(KithError) {
    high = try reader.readUInt64()
    low = try reader.readUInt64()
  }

  func append(to writer: inout ByteWriter) {
    writer.append(high)
    writer.append(low)
  }

  /// 32 hexadecimal digits.
  package var description: String { Self.hexadecimal(high) + Self.hexadecimal(low) }

  private static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
