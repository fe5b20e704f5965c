/// Paths are bytes, which need not be UTF-8, but are strings here.
///
/// Each byte that is no part of valid UTF-8 becomes a scalar of its own, U+10FF00 plus the byte. Those scalars are
/// escaped byte by byte where a path has them itself. So every path has exactly one string, and the string leads back
/// to its bytes.
extension String {
  /// The path that these bytes are.
  package init(pathBytes bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    self.init()
    var (parser, rest, place) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator(), 0)
    while true {
      var (length, scalar) = (0, Unicode.Scalar?.none)
      switch parser.parseScalar(from: &rest) {
      case .emptyInput: return
      case .valid(let encoded): (length, scalar) = (encoded.count, Unicode.UTF8.decode(encoded))
      case .error(let invalid): length = invalid
      }
      if let scalar, scalar.pathByte == nil {
        unicodeScalars.append(scalar)
      } else {
        for byte in bytes[place..<place + length] { unicodeScalars.append(Unicode.Scalar(pathByte: byte)) }
      }
      place += length
    }
  }

  /// The bytes of the path.
  package var pathBytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count + 1)
    for scalar in unicodeScalars {
      if let byte = scalar.pathByte { bytes.append(byte) } else { bytes.append(contentsOf: scalar.utf8) }
    }
    return bytes
  }

  /// The path for a message: its bytes that are not UTF-8 are shown as `\xE9`.
  package var shownPath: String {
    guard unicodeScalars.contains(where: { $0.pathByte != nil }) else { return self }
    var shown = ""
    for scalar in unicodeScalars {
      if let byte = scalar.pathByte {
        shown += "\\x" + String(byte, radix: 16, uppercase: true)
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }
}

extension Unicode.Scalar {
  private static let firstOfBytes: UInt32 = 0x10FF00

  /// The byte of a path that the scalar means; nil for all others.
  package var pathByte: UInt8? { value >= Self.firstOfBytes + 0x80 ? UInt8(value - Self.firstOfBytes) : nil }

  /// A byte of a path, 0x80 or more: all others are UTF-8.
  fileprivate init(pathByte byte: UInt8) {
    self = Unicode.Scalar(Self.firstOfBytes + UInt32(byte)) ?? Unicode.Scalar(byte)
  }
}
