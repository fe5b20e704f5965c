/// Decodes integers from byte-stream-split blocks: the reading half of `ColumnCoding`.
///
/// All sizes are checked before anything is allocated. An element takes at least one byte, so the result is at most
/// eight times as long as the content. Any range of elements can be decoded separately, on any thread.
struct ByteStreamSplitDecoder<Value: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
  let elementCount: Int
  private let content: FramedContent
  private let place: FilePlace
  private let blocks: [Block]

  private struct Block: Sendable {
    /// The start of its byte planes in the content.
    let start: Int
    let elementCount: Int
    let width: Int
    let base: Value
  }

  init(_ section: Section) throws(KithError) {
    try self.init(section.head, FramedContent(section.content), section.place)
  }

  init(_ head: SectionHead, _ content: FramedContent, _ place: FilePlace) throws(KithError) {
    self.content = content
    self.place = place
    guard head.elementCount <= UInt64(content.byteCount) else {
      throw place.corrupt("section \(head.id): \(content.byteCount) bytes cannot hold \(head.elementCount) elements")
    }
    elementCount = Int(head.elementCount)
    blocks = try Self.readHeaders(of: head, content, place, elementCount: elementCount)
  }

  /// Reads the block headers at the end of the content. The byte planes must fill the rest exactly.
  private static func readHeaders(
    of head: SectionHead, _ content: FramedContent, _ place: FilePlace, elementCount: Int
  ) throws(KithError) -> [Block] {
    let blockCount = (elementCount + ColumnCoding.blockElementCount - 1) / ColumnCoding.blockElementCount
    let planesEnd = content.byteCount - blockCount * ColumnCoding.blockHeaderByteCount
    guard planesEnd >= 0 else { throw place.corrupt("section \(head.id) is too short for its block headers") }
    let (bytes, first) = try content.bytes(planesEnd..<content.byteCount)
    var reader = ByteReader(Array(bytes[(planesEnd - first)...]), file: place.file)
    var blocks: [Block] = []
    var start = 0
    for index in 0..<blockCount {
      let count = min(elementCount - index * ColumnCoding.blockElementCount, ColumnCoding.blockElementCount)
      let base = Value(exactly: try reader.readUInt64())
      let width = Int(try reader.readUInt8())
      let reserved = try reader.readBytes(7)
      guard let base, 1 <= width, width <= MemoryLayout<Value>.size, reserved.allSatisfy({ $0 == 0 }) else {
        throw place.corrupt("section \(head.id): the header of block \(index) is impossible")
      }
      blocks.append(Block(start: start, elementCount: count, width: width, base: base))
      start += count * width
    }
    guard start == planesEnd else {
      throw place.corrupt("section \(head.id): planes of \(start) bytes stand in \(planesEnd) bytes")
    }
    return blocks
  }

  /// Checks the hash of the content, after all elements were read.
  func checkHash() throws(KithError) {
    guard try content.hasItsHash() else { throw place.corrupt("the content of a section has a wrong hash") }
  }

  /// Calls `body` with the elements, in order.
  /// - Parameter areDeltas: whether they are running sums of zigzag differences.
  @inline(__always)
  func forEach(areDeltas: Bool, _ body: (Value) throws(KithError) -> Void) throws(KithError) {
    var coded = [Value](repeating: 0, count: min(elementCount, ColumnCoding.blockElementCount))
    for (index, block) in blocks.enumerated() {
      let start = index * ColumnCoding.blockElementCount
      var all = coded.mutableSpan
      try gather(start..<start + block.elementCount, into: &all)
      let span = coded.span.extracting(first: block.elementCount)
      if areDeltas {
        var value = block.base
        for index in span.indices {
          value = value &+ Self.unzigzag(span[index])
          try body(value)
        }
      } else {
        for index in span.indices { try body(span[index]) }
      }
    }
  }

  /// Assembles a range of elements from their byte planes, at the beginning of a span that may be longer.
  func gather(_ range: Range<Int>, into coded: inout MutableSpan<Value>) throws(KithError) {
    var position = range.lowerBound
    while position < range.upperBound {
      let index = position / ColumnCoding.blockElementCount
      let (block, first) = (blocks[index], index * ColumnCoding.blockElementCount)
      let end = min(range.upperBound, first + block.elementCount)
      let (bytes, origin) = try content.bytes(block.start..<block.start + block.width * block.elementCount)
      var part = coded._mutatingExtracting(position - range.lowerBound..<end - range.lowerBound)
      for plane in 0..<block.width {
        let start = block.start - origin + plane * block.elementCount + position - first
        let source = bytes.span.extracting(start..<start + part.count)
        let shift = Value(truncatingIfNeeded: 8 * plane)
        if plane == 0 {
          for index in part.indices { part[index] = Value(source[index]) }
        } else {
          for index in part.indices { part[index] |= Value(source[index]) &<< shift }
        }
      }
      position = end
    }
  }

  @inline(__always)
  private static func unzigzag(_ coded: Value) -> Value {
    (coded &>> 1) ^ (0 &- (coded & 1))
  }
}

extension ByteStreamSplitDecoder where Value == UInt32 {
  /// Checks that the degrees add up to the number of elements.
  func checkSum(of degrees: [UInt32]) throws(KithError) {
    var sum: UInt64 = 0
    for degree in degrees { sum &+= UInt64(degree) }
    guard sum == UInt64(elementCount) else {
      throw place.corrupt("the degrees add up to \(sum), the lists hold \(elementCount)")
    }
  }

  /// Decodes the elements of adjacent ascending lists of lengths `degrees` into the high words of `targets`.
  ///
  /// Every list must ascend strictly, and every element be below `limit`. `checkSum` must have passed.
  /// - Parameters:
  ///   - elements: their range among the elements of all lists.
  ///   - coded: gets the elements as they are stored. As long as `targets`.
  func decodeLists(
    _ lists: Range<Int>, _ elements: Range<Int>, degrees: [UInt32], below limit: UInt32,
    into targets: inout MutableSpan<UInt64>, using coded: inout MutableSpan<UInt32>
  ) throws(KithError) {
    try gather(elements, into: &coded)
    var index = 0
    for list in lists {
      let end = index &+ Int(degrees[list])
      var last: UInt64?
      while index < end {
        // The first element of a list, and of a block, is stored as it is; the others are gaps.
        let whole = UInt64(coded[index])
        guard last.map({ $0 < whole }) ?? true else { throw place.corrupt("list \(list) does not ascend") }
        let inBlock = (elements.lowerBound &+ index) & (ColumnCoding.blockElementCount - 1)
        let stop = min(end, index &+ ColumnCoding.blockElementCount &- inBlock)
        var value = whole
        targets[index] = value &<< 32
        index &+= 1
        // Sums of at most 2¹⁷ numbers below 2³² cannot overflow. They ascend, so checking the last one suffices.
        while index < stop {
          value &+= UInt64(coded[index]) &+ 1
          targets[index] = value &<< 32
          index &+= 1
        }
        guard value < UInt64(limit) else {
          throw place.corrupt("list \(list) names \(value), which is not below \(limit)")
        }
        last = value
      }
    }
  }
}
