/// A column as bytes, ready to become a section.
struct EncodedColumn: Sendable {
  let encoding: ColumnEncoding
  let elementCount: UInt64
  let content: [UInt8]
}

/// Columns of integers as bytes that zstd packs well and that are read back in one pass.
///
/// Planes: a block of 131,072 elements is stored as all lowest bytes, then all second bytes, and so on, up to the
/// highest byte that any element of the block needs (at least one). High planes are nearly constant and shrink to
/// almost nothing; low ones are nearly random and zstd leaves them alone. A plane of a whole block is 128 KiB long and
/// stands at a multiple of 128 KiB, which is zstd's own block, so that no Huffman table has to serve two planes; that
/// is why the blocks' headers stand at the end of the content.
///
/// Blocks do not depend on each other. Decoding checks every length and every value and never takes more memory than
/// eight times the content.
enum ColumnCoding {
  static let blockElementCount = 1 << 17
  /// First element, width, seven zeros.
  static let blockHeaderByteCount = 16

  static func bytes(_ content: [UInt8]) -> EncodedColumn {
    EncodedColumn(encoding: .bytes, elementCount: UInt64(content.count), content: content)
  }

  static func integers(_ values: Span<UInt32>) -> EncodedColumn {
    EncodedColumn(encoding: .integers32, elementCount: UInt64(values.count), content: littleEndian(values))
  }

  static func integers(_ values: Span<Int64>) -> EncodedColumn {
    EncodedColumn(encoding: .integers64, elementCount: UInt64(values.count), content: littleEndian(values))
  }

  /// For small or skewed values in no order: degrees, seconds.
  static func planes(_ values: Span<UInt32>) -> EncodedColumn {
    var encoder = PlaneEncoder<UInt32>(.planes, elementCount: values.count)
    encoder.encode { values[$0] }
    return encoder.finish()
  }

  static func planes(_ values: Span<Int64>) -> EncodedColumn {
    var encoder = PlaneEncoder<UInt64>(.planes, elementCount: values.count)
    encoder.encode { UInt64(bitPattern: values[$0]) }
    return encoder.finish()
  }

  /// For values that ascend, or nearly: ids, offsets, times of posts.
  static func deltaPlanes(_ values: Span<UInt32>) -> EncodedColumn {
    var encoder = PlaneEncoder<UInt32>(.deltaPlanes, elementCount: values.count)
    encoder.encodeDeltas { values[$0] }
    return encoder.finish()
  }

  static func deltaPlanes(_ values: Span<Int64>) -> EncodedColumn {
    var encoder = PlaneEncoder<UInt64>(.deltaPlanes, elementCount: values.count)
    encoder.encodeDeltas { UInt64(bitPattern: values[$0]) }
    return encoder.finish()
  }

  /// For adjacency: `targets` holds one list after the other, each strictly ascending, of as many elements as `degrees`
  /// says; the degrees are a column of their own.
  static func lists(degrees: Span<UInt32>, targets: Span<UInt32>) -> EncodedColumn {
    var encoder = PlaneEncoder<UInt32>(.listPlanes, elementCount: targets.count)
    encoder.encodeLists(degrees: degrees, targets: targets)
    return encoder.finish()
  }

  private static func littleEndian<Value: FixedWidthInteger>(_ values: Span<Value>) -> [UInt8] {
    let width = MemoryLayout<Value>.size
    var content = [UInt8](repeating: 0, count: values.count * width)
    var bytes = content.mutableSpan
    for index in values.indices {
      let value = values[index]
      for byte in 0..<width {
        bytes[index &* width &+ byte] = UInt8(truncatingIfNeeded: value &>> Value(truncatingIfNeeded: 8 &* byte))
      }
    }
    return content
  }
}
