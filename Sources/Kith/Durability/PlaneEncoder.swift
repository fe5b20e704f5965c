/// Splits integers into blocks of byte planes: the writing half of `ColumnCoding`.
///
/// `Value` is `UInt32` or `UInt64`; differences wrap, so that every sequence can be encoded and comes back.
struct PlaneEncoder<Value: FixedWidthInteger & UnsignedInteger> {
  private let encoding: ColumnEncoding
  private let elementCount: Int
  private var planes: [UInt8] = []
  private var headers = ByteWriter()

  init(_ encoding: ColumnEncoding, elementCount: Int) {
    self.encoding = encoding
    self.elementCount = elementCount
  }

  func finish() -> EncodedColumn {
    EncodedColumn(encoding: encoding, elementCount: UInt64(elementCount), content: planes + headers.bytes)
  }

  /// The elements themselves.
  @inline(__always)
  mutating func encode(_ element: (Int) -> Value) {
    forEachBlock { start, block in
      for index in block.indices { block[index] = element(start &+ index) }
      return 0
    }
  }

  /// The zigzag differences between neighbours; the first of a block is its base.
  @inline(__always)
  mutating func encodeDeltas(_ element: (Int) -> Value) {
    forEachBlock { start, block in
      let base = element(start)
      var previous = base
      for index in block.indices {
        let value = element(start &+ index)
        block[index] = Self.zigzag(value &- previous)
        previous = value
      }
      return base
    }
  }

  /// Has `fill` code one block after the other: it gets the index of the first element and the buffer, and returns the
  /// base.
  @inline(__always)
  private mutating func forEachBlock(_ fill: (Int, inout MutableSpan<Value>) -> Value) {
    var block: [Value] = []
    var start = 0
    while start < elementCount {
      let count = min(elementCount - start, ColumnCoding.blockElementCount)
      if block.count != count { block = [Value](repeating: 0, count: count) }
      var span = block.mutableSpan
      let base = fill(start, &span)
      append(block.span, base: base)
      start += count
    }
  }

  /// Appends the planes of a coded block, and its header.
  private mutating func append(_ block: Span<Value>, base: Value) {
    var union: Value = 0
    for index in block.indices { union |= block[index] }
    let width = max(1, (Value.bitWidth - union.leadingZeroBitCount + 7) / 8)
    let count = block.count
    let start = planes.count
    planes.append(contentsOf: repeatElement(0, count: width * count))
    var target = planes.mutableSpan
    for plane in 0..<width {
      let first = start + plane * count
      let shift = Value(truncatingIfNeeded: 8 * plane)
      for index in 0..<count { target[first &+ index] = UInt8(truncatingIfNeeded: block[index] &>> shift) }
    }
    headers.append(UInt64(base))
    headers.append(UInt8(width))
    headers.pad(to: headers.count + 7)
  }

  @inline(__always)
  private static func zigzag(_ difference: Value) -> Value {
    (difference &<< 1) ^ (0 &- (difference &>> Value(truncatingIfNeeded: Value.bitWidth - 1)))
  }
}

extension PlaneEncoder where Value == UInt32 {
  /// The gaps inside ascending lists: an element is stored whole when it is the first of its list or of its block, else
  /// as its distance from the one before it, less one.
  mutating func encodeLists(degrees: Span<UInt32>, targets: Span<UInt32>) {
    var row = 0
    var leftInList = 0
    forEachBlock { start, block in
      var index = 0
      while index < block.count {
        while leftInList == 0 {
          precondition(row < degrees.count, "the degrees add up to the number of targets")
          leftInList = Int(degrees[row])
          row &+= 1
        }
        let end = min(index &+ leftInList, block.count)
        leftInList &-= end &- index
        var previous = targets[start &+ index]
        block[index] = previous
        index &+= 1
        while index < end {
          let target = targets[start &+ index]
          assert(previous < target, "the targets of a list ascend")
          block[index] = target &- previous &- 1
          previous = target
          index &+= 1
        }
      }
      return 0
    }
    precondition(
      leftInList == 0 && (row..<degrees.count).allSatisfy { degrees[$0] == 0 },
      "the degrees add up to the number of targets")
  }
}
