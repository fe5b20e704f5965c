/// Puts integers together again from blocks of byte planes: the reading half of `ColumnCoding`.
///
/// All sizes are checked before anything is allocated; since an element takes at least one byte, the result is at most
/// eight times as long as the content.
struct PlaneDecoder<Value: FixedWidthInteger & UnsignedInteger> {
  let elementCount: Int
  private let content: [UInt8]
  private let place: FilePlace
  private let blocks: [Block]

  private struct Block {
    /// Where its planes begin in the content.
    let start: Int
    let elementCount: Int
    let width: Int
    let base: Value
  }

  init(_ section: Section) throws(KithError) {
    content = section.content
    place = section.place
    guard section.elementCount <= UInt64(content.count) else {
      throw place.corrupt("section \(section.id): \(content.count) bytes cannot hold \(section.elementCount) elements")
    }
    elementCount = Int(section.elementCount)
    blocks = try Self.readHeaders(of: section, elementCount: elementCount)
  }

  /// Reads the headers at the end of the content; the planes must fill exactly the rest.
  private static func readHeaders(of section: Section, elementCount: Int) throws(KithError) -> [Block] {
    let content = section.content
    let blockCount = (elementCount + ColumnCoding.blockElementCount - 1) / ColumnCoding.blockElementCount
    let planesEnd = content.count - blockCount * ColumnCoding.blockHeaderByteCount
    guard planesEnd >= 0 else { throw section.place.corrupt("section \(section.id) has no room for its block headers") }
    var reader = ByteReader(Array(content[planesEnd...]), file: section.place.file)
    var blocks: [Block] = []
    var start = 0
    for index in 0..<blockCount {
      let count = min(elementCount - index * ColumnCoding.blockElementCount, ColumnCoding.blockElementCount)
      let base = Value(exactly: try reader.readUInt64())
      let width = Int(try reader.readUInt8())
      let reserved = try reader.readBytes(7)
      guard let base, 1 <= width, width <= MemoryLayout<Value>.size, reserved.allSatisfy({ $0 == 0 }) else {
        throw section.place.corrupt("section \(section.id): the header of block \(index) is impossible")
      }
      blocks.append(Block(start: start, elementCount: count, width: width, base: base))
      start += count * width
    }
    guard start == planesEnd else {
      throw section.place.corrupt("section \(section.id): planes of \(start) bytes stand in \(planesEnd) bytes")
    }
    return blocks
  }

  /// The elements themselves, each made by `element` from its pattern.
  @inline(__always)
  func decode<Element>(_ element: (Value) -> Element) -> [Element] {
    var result: [Element] = []
    result.reserveCapacity(elementCount)
    var coded: [Value] = []
    for block in blocks {
      gather(block, into: &coded)
      result.append(contentsOf: coded.lazy.map(element))
    }
    return result
  }

  /// The running sums of zigzag differences.
  @inline(__always)
  func decodeDeltas<Element>(_ element: (Value) -> Element, _ zero: Element) -> [Element] {
    var result = [Element](repeating: zero, count: elementCount)
    var target = result.mutableSpan
    var start = 0
    var buffer: [Value] = []
    for block in blocks {
      gather(block, into: &buffer)
      let coded = buffer.span
      var value = block.base
      for index in coded.indices {
        value = value &+ Self.unzigzag(coded[index])
        target[start &+ index] = element(value)
      }
      start += block.elementCount
    }
    return result
  }

  /// Puts the planes of a block together in `coded`.
  private func gather(_ block: Block, into coded: inout [Value]) {
    if coded.count != block.elementCount { coded = [Value](repeating: 0, count: block.elementCount) }
    var target = coded.mutableSpan
    for plane in 0..<block.width {
      let start = block.start + plane * block.elementCount
      let source = content.span.extracting(start..<(start + block.elementCount))
      let shift = Value(truncatingIfNeeded: 8 * plane)
      if plane == 0 {
        for index in 0..<block.elementCount { target[index] = Value(source[index]) }
      } else {
        for index in 0..<block.elementCount { target[index] |= Value(source[index]) &<< shift }
      }
    }
  }

  @inline(__always)
  private static func unzigzag(_ coded: Value) -> Value {
    (coded &>> 1) ^ (0 &- (coded & 1))
  }
}

extension PlaneDecoder where Value == UInt32 {
  /// The ascending lists that `degrees` divides the elements into; every element must be below `limit`.
  func decodeLists(degrees: Span<UInt32>, below limit: UInt32) throws(KithError) -> [UInt32] {
    try checkSum(of: degrees)
    var result = [UInt32](repeating: 0, count: elementCount)
    var target = result.mutableSpan
    var row = 0
    var leftInList = 0
    var start = 0
    // The last element of the list that goes on from the block before.
    var last: UInt64?
    var buffer: [Value] = []
    for block in blocks {
      gather(block, into: &buffer)
      let coded = buffer.span
      var index = 0
      while index < coded.count {
        while leftInList == 0 {
          leftInList = Int(degrees[row])
          row &+= 1
          last = nil
        }
        let end = min(index &+ leftInList, coded.count)
        leftInList &-= end &- index
        var value = UInt64(coded[index])
        guard last.map({ $0 < value }) ?? true else { throw notAscending(row) }
        target[start &+ index] = coded[index]
        index &+= 1
        // Sums of at most 2¹⁷ numbers below 2³² cannot overflow, and they ascend: looking at the last one is enough.
        while index < end {
          value &+= UInt64(coded[index]) &+ 1
          target[start &+ index] = UInt32(truncatingIfNeeded: value)
          index &+= 1
        }
        guard value < UInt64(limit) else {
          throw place.corrupt("list \(row - 1) names \(value), which is not below \(limit)")
        }
        last = value
      }
      start += block.elementCount
    }
    return result
  }

  private func checkSum(of degrees: Span<UInt32>) throws(KithError) {
    var sum: UInt64 = 0
    for row in degrees.indices { sum &+= UInt64(degrees[row]) }
    guard sum == UInt64(elementCount) else {
      throw place.corrupt("the degrees add up to \(sum), the lists hold \(elementCount)")
    }
  }

  private func notAscending(_ row: Int) -> KithError {
    place.corrupt("list \(row - 1) does not ascend")
  }
}
