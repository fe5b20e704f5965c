@testable import Kith

/// Reads and repairs single fields of an input, little-endian; offsets outside of it are ignored.
extension [UInt8] {
  func number(at offset: Int, byteCount: Int) -> UInt64 {
    guard offset >= 0, offset <= count - byteCount else { return 0 }
    return self[offset..<offset + byteCount].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  func word(at offset: Int) -> Int { Int(number(at: offset, byteCount: 4)) }

  mutating func put(_ value: UInt64, at offset: Int, byteCount: Int = 8) {
    guard offset >= 0, offset <= count - byteCount else { return }
    for index in 0..<byteCount { self[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
  }

  func hash(_ range: Range<Int>, seed: UInt64 = 0) -> UInt64 { XXH64.hash(span.extracting(range), seed: seed) }
}

/// Files of the real disk.
enum Files {
  /// Writes files called 0, 1, 2 … into an existing directory.
  static func write(_ contents: [[UInt8]], to directory: String) throws {
    for (number, content) in contents.enumerated() {
      let path = "\(directory)/\(number)"
      let disk = SystemDisk()
      try disk.write(try disk.create(path), at: 0, content.span)
    }
  }
}
