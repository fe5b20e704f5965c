extension Section {
  /// The bytes of a section of bytes.
  ///
  /// Here and below: with `count`, any other number of elements is `corrupt`, as are an unexpected encoding and content
  /// that is not exactly as long as its elements.
  func decodedBytes(count: Int? = nil) throws(KithError) -> [UInt8] {
    try head.check(count, encodings: [.bytes], place)
    try checkContent(elementByteCount: 1)
    return content
  }

  /// The numbers of a column of 32-bit integers, however it is encoded, in order.
  @inline(__always)
  func forEachUInt32(count: Int? = nil, _ body: (UInt32) throws(KithError) -> Void) throws(KithError) {
    try head.check(count, encodings: [.integers32, .planes, .deltaPlanes], place)
    if encoding == .integers32 {
      try checkContent(elementByteCount: 4)
      try forEachLittleEndian(body)
    } else {
      try PlaneDecoder<UInt32>(self).forEach(areDeltas: encoding == .deltaPlanes, body)
    }
  }

  /// The numbers of a column of 64-bit integers, however it is encoded, in order.
  @inline(__always)
  func forEachInt64(count: Int? = nil, _ body: (Int64) throws(KithError) -> Void) throws(KithError) {
    try head.check(count, encodings: [.integers64, .planes, .deltaPlanes], place)
    if encoding == .integers64 {
      try checkContent(elementByteCount: 8)
      try forEachLittleEndian { (value: UInt64) throws(KithError) in try body(Int64(bitPattern: value)) }
    } else {
      try PlaneDecoder<UInt64>(self).forEach(areDeltas: encoding == .deltaPlanes) { (value) throws(KithError) in
        try body(Int64(bitPattern: value))
      }
    }
  }

  /// All numbers of a column of 32-bit integers.
  func decodedUInt32(count: Int? = nil) throws(KithError) -> [UInt32] {
    var numbers: [UInt32] = []
    if let count { numbers.reserveCapacity(min(count, content.count)) }
    try forEachUInt32(count: count) { numbers.append($0) }
    return numbers
  }

  /// All numbers of a column of 64-bit integers.
  func decodedInt64(count: Int? = nil) throws(KithError) -> [Int64] {
    var numbers: [Int64] = []
    try forEachInt64(count: count) { numbers.append($0) }
    return numbers
  }

  /// The planes of a column of lists, to be read from any thread.
  func listDecoder() throws(KithError) -> PlaneDecoder<UInt32> {
    try head.check(nil, encodings: [.listPlanes], place)
    return try PlaneDecoder(self)
  }

  /// The planes of a column of 32-bit integers, to be read from any thread.
  func planeDecoder(count: Int) throws(KithError) -> PlaneDecoder<UInt32> {
    try head.check(count, encodings: [.planes], place)
    return try PlaneDecoder(self)
  }

  /// The error for content that makes no sense to the reader of this section.
  func corrupt(_ reason: String) -> KithError {
    place.corrupt("section \(id): \(reason)")
  }

  private func checkContent(elementByteCount: Int) throws(KithError) {
    let (wanted, overflow) = elementCount.multipliedReportingOverflow(by: UInt64(elementByteCount))
    guard !overflow, wanted == UInt64(content.count) else {
      throw corrupt("\(content.count) bytes are not \(elementCount) elements")
    }
  }

  @inline(__always)
  private func forEachLittleEndian<Value: FixedWidthInteger>(
    _ body: (Value) throws(KithError) -> Void
  ) throws(KithError) {
    let width = MemoryLayout<Value>.size
    let bytes = content.span
    for index in 0..<(bytes.count / width) {
      let source = bytes.extracting((index &* width)..<(index &* width &+ width))
      var value: Value = 0
      for byte in 0..<width { value |= Value(source[byte]) &<< Value(truncatingIfNeeded: 8 &* byte) }
      try body(value)
    }
  }
}

extension SectionHead {
  /// Refuses an unexpected encoding, and any other number of elements than `count`.
  func check(_ count: Int?, encodings: [ColumnEncoding], _ place: FilePlace) throws(KithError) {
    guard encodings.contains(encoding) else {
      throw place.corrupt("section \(id): \(encoding) is no encoding for it")
    }
    if let count, elementCount != UInt64(count) {
      throw place.corrupt("section \(id): it has \(elementCount) elements, not \(count)")
    }
  }
}
