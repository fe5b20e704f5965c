/// How a section's bytes stand for its elements; a number that a file may hold without our knowing it.
struct ColumnEncoding: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  let rawValue: UInt16

  /// The bytes themselves: one element a byte.
  static let bytes = ColumnEncoding(rawValue: 0)
  /// 32-bit integers, little-endian, one after the other.
  static let integers32 = ColumnEncoding(rawValue: 1)
  /// 64-bit integers, little-endian, one after the other.
  static let integers64 = ColumnEncoding(rawValue: 2)
  /// Blocks of byte planes of the integers themselves.
  static let planes = ColumnEncoding(rawValue: 3)
  /// Blocks of byte planes of the zigzag differences between neighbours.
  static let deltaPlanes = ColumnEncoding(rawValue: 4)
  /// Blocks of byte planes of the gaps inside ascending lists, whose lengths are another column.
  static let listPlanes = ColumnEncoding(rawValue: 5)

  var description: String {
    let names = ["bytes", "integers32", "integers64", "planes", "deltaPlanes", "listPlanes"]
    return rawValue < names.count ? names[Int(rawValue)] : "encoding \(rawValue)"
  }
}
