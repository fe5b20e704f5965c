/// The encoding of a section. A raw value, because a file may hold one that this version does not know. 1 and 2 were
/// specified for plain integers and never written; they stay reserved.
struct ColumnEncoding: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  let rawValue: UInt16

  /// One byte per element.
  static let bytes = ColumnEncoding(rawValue: 0)
  /// Byte-stream-split blocks of the integers themselves.
  static let planes = ColumnEncoding(rawValue: 3)
  /// Byte-stream-split blocks of the zigzag differences between neighbours.
  static let deltaPlanes = ColumnEncoding(rawValue: 4)
  /// Byte-stream-split blocks of the gaps in ascending lists, whose lengths are in another column.
  static let listPlanes = ColumnEncoding(rawValue: 5)

  var description: String {
    switch self {
    case .bytes: "bytes"
    case .planes: "planes"
    case .deltaPlanes: "deltaPlanes"
    case .listPlanes: "listPlanes"
    default: "encoding \(rawValue)"
    }
  }
}
