/// Appends little-endian integers and runs of bytes to an array: the counterpart of `ByteReader`.
///
/// Every file is little-endian on every machine.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init(reserving byteCount: Int = 0) {
    bytes.reserveCapacity(byteCount)
  }

  var count: Int { bytes.count }

  mutating func append(_ value: UInt8) {
    bytes.append(value)
  }

  mutating func append(_ value: UInt16) {
    appendInteger(value)
  }

  mutating func append(_ value: UInt32) {
    appendInteger(value)
  }

  mutating func append(_ value: UInt64) {
    appendInteger(value)
  }

  mutating func append(_ value: Int64) {
    appendInteger(UInt64(bitPattern: value))
  }

  mutating func append(_ run: [UInt8]) {
    bytes.append(contentsOf: run)
  }

  /// Appends zero bytes up to a length of `byteCount`, which must not be exceeded yet.
  mutating func pad(to byteCount: Int) {
    precondition(bytes.count <= byteCount, "a structure outgrew its fixed size")
    bytes.append(contentsOf: repeatElement(0, count: byteCount - bytes.count))
  }

  /// Appends the checksum of all bytes so far: the last field of every checksummed structure.
  mutating func appendChecksum() {
    append(XXH64.hash(bytes.span))
  }

  /// The first eight bytes of a skippable zstd frame, with `byteCount` bytes to follow.
  static func skippable(_ magic: UInt32, _ byteCount: Int) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(magic)
    writer.append(UInt32(byteCount))
    return writer.bytes
  }

  private mutating func appendInteger<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value) {
    for shift in stride(from: 0, to: Value.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> Value(shift)))
    }
  }
}

extension [UInt8] {
  /// Appends a varint: see `ByteReader.readVarint`.
  mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }
}
