/// Byte-stream-split encoding of integer columns, which zstd compresses well and which is decoded in one pass.
///
/// A block of 131,072 elements is stored as all lowest bytes, then all second bytes, and so on, up to the highest byte
/// that any element of the block needs (at least one). Each of these is a byte plane. High planes are nearly constant
/// and compress to almost nothing; low ones are nearly random and are stored. The plane of a whole block is 128 KiB
/// long, at a multiple of 128 KiB. This is zstd's own block size, so each plane gets its own Huffman table. To keep
/// that alignment, the headers of the blocks are at the end of the content.
///
/// Blocks are independent, so a column is encoded in pieces: whole blocks of at most 1 MiB together, each piece one
/// frame of the file.
enum ColumnCoding {
  static let blockElementCount = 1 << 17
  /// The first element, the width, seven zeros.
  static let blockHeaderByteCount = 16

  /// The elements of a piece: as many whole blocks as fit a frame at full width.
  static func pieceElementCount<Value: FixedWidthInteger>(_ type: Value.Type) -> Int {
    SnapshotFormat.frameContentByteCount / MemoryLayout<Value>.size
  }

  static func pieceCount<Value: FixedWidthInteger>(_ elementCount: Int, of type: Value.Type) -> Int {
    (elementCount + pieceElementCount(type) - 1) / pieceElementCount(type)
  }

  /// Encodes a piece of elements as they are: small or skewed values in no order, or the gaps of lists.
  /// - Parameter fill: writes the elements of a range, at most a block, into the buffer.
  static func planes<Value: FixedWidthInteger & UnsignedInteger>(
    _ piece: Int, of elementCount: Int, _ fill: (Range<Int>, inout MutableSpan<Value>) -> Void
  ) -> ColumnPiece {
    forEachBlock(of: piece, elementCount, fill) { _ in 0 }
  }

  /// Encodes a piece of mostly ascending elements, such as ids and times of posts, as zigzag differences between
  /// neighbours. The first element of a block is its base. Differences wrap, so every sequence can be restored.
  static func deltaPlanes<Value: FixedWidthInteger & UnsignedInteger>(
    _ piece: Int, of elementCount: Int, _ fill: (Range<Int>, inout MutableSpan<Value>) -> Void
  ) -> ColumnPiece {
    forEachBlock(of: piece, elementCount, fill) { block in
      let base = block[0]
      var previous = base
      for index in block.indices {
        let value = block[index]
        block[index] = zigzag(value &- previous)
        previous = value
      }
      return base
    }
  }

  /// - Parameter code: encodes a filled block in place and returns its base.
  @inline(__always)
  private static func forEachBlock<Value: FixedWidthInteger & UnsignedInteger>(
    of piece: Int, _ elementCount: Int, _ fill: (Range<Int>, inout MutableSpan<Value>) -> Void,
    _ code: (inout MutableSpan<Value>) -> Value
  ) -> ColumnPiece {
    var result = ColumnPiece()
    var start = piece * pieceElementCount(Value.self)
    let end = min(start + pieceElementCount(Value.self), elementCount)
    while start < end {
      let range = start..<min(start + blockElementCount, end)
      var block = [Value](repeating: 0, count: range.count)
      var span = block.mutableSpan
      fill(range, &span)
      let base = code(&span)
      result.append(block.span, base: base)
      start = range.upperBound
    }
    return result
  }

  @inline(__always)
  private static func zigzag<Value: FixedWidthInteger & UnsignedInteger>(_ difference: Value) -> Value {
    (difference &<< 1) ^ (0 &- (difference &>> Value(truncatingIfNeeded: Value.bitWidth - 1)))
  }
}

/// A part of a column's content; one frame of the file.
struct ColumnPiece: Sendable {
  var content: [UInt8] = []
  /// The headers of its blocks, stored after the content of all pieces.
  var headers: [UInt8] = []

  /// Appends the byte planes of an encoded block, and its header.
  mutating func append<Value: FixedWidthInteger & UnsignedInteger>(_ block: Span<Value>, base: Value) {
    var union: Value = 0
    for index in block.indices { union |= block[index] }
    let width = max(1, (Value.bitWidth - union.leadingZeroBitCount + 7) / 8)
    let start = content.count
    content.append(contentsOf: repeatElement(0, count: width * block.count))
    var target = content.mutableSpan
    for plane in 0..<width {
      let first = start + plane * block.count
      let shift = Value(truncatingIfNeeded: 8 * plane)
      var bytes = target._mutatingExtracting(first..<(first + block.count))
      for index in block.indices { bytes[index] = UInt8(truncatingIfNeeded: block[index] &>> shift) }
    }
    var header = ByteWriter(reserving: ColumnCoding.blockHeaderByteCount)
    header.append(UInt64(base))
    header.append(UInt8(width))
    header.pad(to: ColumnCoding.blockHeaderByteCount)
    headers += header.bytes
  }
}
