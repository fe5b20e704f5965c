extension Section {
  /// The bytes of a section of bytes.
  ///
  /// Here and below, `corrupt` is thrown for an unexpected encoding, for a number of elements other than `count`, and
  /// for content whose length does not match its elements.
  func decodedBytes(count: Int? = nil) throws(KithError) -> [UInt8] {
    try head.check(count, encodings: [.bytes], place)
    guard elementCount == UInt64(content.count) else {
      throw corrupt("\(content.count) bytes are not \(elementCount) elements")
    }
    return content
  }

  /// Calls `body` with the numbers of a column of 32-bit integers, stored as they are or as differences, in order.
  @inline(__always)
  func forEachUInt32(count: Int? = nil, _ body: (UInt32) throws(KithError) -> Void) throws(KithError) {
    try head.check(count, encodings: [.planes, .deltaPlanes], place)
    try ByteStreamSplitDecoder<UInt32>(self).forEach(areDeltas: encoding == .deltaPlanes, body)
  }

  /// Calls `body` with the numbers of a column of 64-bit integers, stored as they are or as differences, in order.
  @inline(__always)
  func forEachInt64(count: Int? = nil, _ body: (Int64) throws(KithError) -> Void) throws(KithError) {
    try head.check(count, encodings: [.planes, .deltaPlanes], place)
    try ByteStreamSplitDecoder<UInt64>(self).forEach(areDeltas: encoding == .deltaPlanes) {
      (value) throws(KithError) in
      try body(Int64(bitPattern: value))
    }
  }

  /// All numbers of a column of 32-bit integers.
  func decodedUInt32(count: Int? = nil) throws(KithError) -> [UInt32] {
    var numbers: [UInt32] = []
    if let count { numbers.reserveCapacity(min(count, content.count)) }
    try forEachUInt32(count: count) { numbers.append($0) }
    return numbers
  }

  /// A decoder of a column of lists, for any thread.
  func listDecoder() throws(KithError) -> ByteStreamSplitDecoder<UInt32> {
    try head.check(nil, encodings: [.listPlanes], place)
    return try ByteStreamSplitDecoder(self)
  }

  /// An error about the content of this section.
  func corrupt(_ reason: String) -> KithError {
    place.corrupt("section \(id): \(reason)")
  }
}

extension SectionHead {
  /// Checks the encoding, and that there are `count` elements.
  func check(_ count: Int?, encodings: [ColumnEncoding], _ place: FilePlace) throws(KithError) {
    guard encodings.contains(encoding) else {
      throw place.corrupt("section \(id): \(encoding) is no encoding for it")
    }
    if let count, elementCount != UInt64(count) {
      throw place.corrupt("section \(id): it has \(elementCount) elements, not \(count)")
    }
  }
}
