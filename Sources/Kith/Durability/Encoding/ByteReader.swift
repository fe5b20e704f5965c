/// Reads untrusted bytes. Every read succeeds, or throws `KithError.corrupt` with the file and the absolute offset of
/// the byte that could not be read. No content of a file can trap here.
///
/// Modelled on swift-binary-parsing: one typed error, and overflow throws.
struct ByteReader {
  let file: String
  /// The offset of `bytes` in the file. The file can hold all of `bytes` there.
  let fileOffset: Int64
  private let bytes: [UInt8]
  /// The index in `bytes` of the next byte to read.
  private(set) var position = 0

  init(_ bytes: [UInt8], file: String, at fileOffset: Int64 = 0) {
    self.bytes = bytes
    self.file = file
    self.fileOffset = fileOffset
  }

  var remaining: Int { bytes.count - position }

  mutating func readUInt8() throws(KithError) -> UInt8 {
    try readInteger()
  }

  mutating func readUInt16() throws(KithError) -> UInt16 {
    try readInteger()
  }

  mutating func readUInt32() throws(KithError) -> UInt32 {
    try readInteger()
  }

  mutating func readUInt64() throws(KithError) -> UInt64 {
    try readInteger()
  }

  mutating func readInt64() throws(KithError) -> Int64 {
    Int64(bitPattern: try readUInt64())
  }

  /// Reads a 64-bit count or size of at most `limit`, which the caller derives from the bytes that exist.
  mutating func readCount(_ what: String, atMost limit: Int) throws(KithError) -> Int {
    let start = position
    let value = try readUInt64()
    guard let count = Int(exactly: value), count <= limit else {
      throw corrupt("\(what) is \(value), at most \(limit) is possible", at: start)
    }
    return count
  }

  /// Reads a varint of at most `bitCount` bits: seven bits per byte, lowest first, the high bit set on all but the last
  /// byte, in the shortest form.
  @inline(__always)
  mutating func readVarint(bitCount: Int = UInt64.bitWidth) throws(KithError) -> UInt64 {
    let start = position
    var value: UInt64 = 0
    for shift in stride(from: 0, to: bitCount, by: 7) {
      let byte = try readUInt8()
      guard shift + 7 <= bitCount || byte >> (bitCount - shift) == 0 else { break }
      value |= UInt64(byte & 0x7F) << UInt64(shift)
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else { throw corrupt("an integer is not in its shortest form", at: start) }
        return value
      }
    }
    throw corrupt("an integer is \(bitCount == 63 ? "2⁶³" : "2⁶⁴") or more", at: start)
  }

  mutating func readBytes(_ count: Int) throws(KithError) -> [UInt8] {
    let start = position
    try skip(count)
    return Array(bytes[start..<position])
  }

  mutating func skip(_ count: Int) throws(KithError) {
    guard count >= 0, count <= remaining else {
      throw corrupt("\(count) bytes are wanted, \(remaining) are left", at: position)
    }
    position += count
  }

  /// Reads bytes that must equal `expected`.
  mutating func expect(_ expected: [UInt8], _ what: String) throws(KithError) {
    let start = position
    guard try readBytes(expected.count) == expected else { throw corrupt("\(what) is not what it must be", at: start) }
  }

  /// Reads a 32-bit field that must equal `expected`.
  mutating func expect(_ expected: UInt32, _ what: String) throws(KithError) {
    let start = position
    let value = try readUInt32()
    guard value == expected else {
      throw corrupt("\(what) is 0x\(String(value, radix: 16)), not 0x\(String(expected, radix: 16))", at: start)
    }
  }

  /// Reads reserved bytes, which this version writes as zeros.
  mutating func expectZeros(_ count: Int) throws(KithError) {
    for _ in 0..<count {
      let start = position
      guard try readUInt8() == 0 else { throw corrupt("a reserved byte is not zero", at: start) }
    }
  }

  /// An error about the byte at `position`.
  func corrupt(_ reason: String, at position: Int) -> KithError {
    .corrupt(file: file, offset: fileOffset + Int64(position), reason: reason)
  }

  private mutating func readInteger<Value: FixedWidthInteger & UnsignedInteger>() throws(KithError) -> Value {
    let byteCount = Value.bitWidth / 8
    guard byteCount <= remaining else {
      throw corrupt("\(byteCount) bytes are wanted, \(remaining) are left", at: position)
    }
    var value: Value = 0
    for index in 0..<byteCount {
      value |= Value(bytes[position + index]) << Value(8 * index)
    }
    position += byteCount
    return value
  }
}
