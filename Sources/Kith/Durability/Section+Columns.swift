extension Section {
  /// A section made of an encoded column.
  init(
    _ id: SectionID, _ column: consuming EncodedColumn, version: UInt16 = 1, isCritical: Bool = true,
    compressionLevel: Int32 = 1
  ) {
    self.init(
      id: id, version: version, encoding: column.encoding, isCritical: isCritical, elementCount: column.elementCount,
      content: column.content, compressionLevel: compressionLevel)
  }

  /// The bytes of a section of bytes.
  ///
  /// Here and below: with `count`, any other number of elements is `corrupt`, as are an unexpected encoding and content
  /// that is not exactly as long as its elements.
  func decodedBytes(count: Int? = nil) throws(KithError) -> [UInt8] {
    try check(count, encodings: [.bytes])
    try checkContent(elementByteCount: 1)
    return content
  }

  /// The numbers of a column of 32-bit integers, however it is encoded.
  func decodedUInt32(count: Int? = nil) throws(KithError) -> [UInt32] {
    try check(count, encodings: [.integers32, .planes, .deltaPlanes])
    if encoding == .integers32 {
      try checkContent(elementByteCount: 4)
      return littleEndian(UInt32.self) { $0 }
    }
    let decoder = try PlaneDecoder<UInt32>(self)
    return encoding == .planes ? decoder.decode { $0 } : decoder.decodeDeltas({ $0 }, 0)
  }

  /// The numbers of a column of 64-bit integers, however it is encoded.
  func decodedInt64(count: Int? = nil) throws(KithError) -> [Int64] {
    try check(count, encodings: [.integers64, .planes, .deltaPlanes])
    if encoding == .integers64 {
      try checkContent(elementByteCount: 8)
      return littleEndian(UInt64.self) { Int64(bitPattern: $0) }
    }
    let decoder = try PlaneDecoder<UInt64>(self)
    return encoding == .planes
      ? decoder.decode { Int64(bitPattern: $0) } : decoder.decodeDeltas({ Int64(bitPattern: $0) }, 0)
  }

  /// The targets of lists whose lengths are `degrees`: each list strictly ascending, each target below `limit`.
  func decodedLists(degrees: Span<UInt32>, below limit: UInt32) throws(KithError) -> [UInt32] {
    try check(nil, encodings: [.listPlanes])
    let decoder = try PlaneDecoder<UInt32>(self)
    return try decoder.decodeLists(degrees: degrees, below: limit)
  }

  /// The error for content that makes no sense to the reader of this section.
  func corrupt(_ reason: String) -> KithError {
    place.corrupt("section \(id): \(reason)")
  }

  private func check(_ count: Int?, encodings: [ColumnEncoding]) throws(KithError) {
    guard encodings.contains(encoding) else { throw corrupt("\(encoding) is no encoding for it") }
    if let count, elementCount != UInt64(count) { throw corrupt("it has \(elementCount) elements, not \(count)") }
  }

  private func checkContent(elementByteCount: Int) throws(KithError) {
    let (wanted, overflow) = elementCount.multipliedReportingOverflow(by: UInt64(elementByteCount))
    guard !overflow, wanted == UInt64(content.count) else {
      throw corrupt("\(content.count) bytes are not \(elementCount) elements")
    }
  }

  private func littleEndian<Value: FixedWidthInteger, Element>(
    _ type: Value.Type, _ element: (Value) -> Element
  ) -> [Element] {
    let width = MemoryLayout<Value>.size
    let bytes = content.span
    var result: [Element] = []
    result.reserveCapacity(bytes.count / width)
    for index in 0..<(bytes.count / width) {
      let source = bytes.extracting((index &* width)..<(index &* width &+ width))
      var value: Value = 0
      for byte in 0..<width { value |= Value(source[byte]) &<< Value(truncatingIfNeeded: 8 &* byte) }
      result.append(element(value))
    }
    return result
  }
}
