/// Compressed texts: decoded when they are read.
extension TextColumn {
  /// The first reference of a compressed text.
  static let firstCompressed: UInt64 = 1 << 56
  static let tableMask: UInt64 = 0xFF << 56

  /// Whether `compress` was called.
  var isCompressing: Bool { unsafe tables != nil }

  /// Compresses the texts, and all that follow. Row by row, so that the pages of plain texts are freed on the way.
  /// - Complexity: O(bytes).
  /// - Parameter windowByteCount: the bytes of texts from which tokens are learned.
  mutating func compress(windowByteCount: Int = TextCompressor.windowByteCount) {
    precondition(!isCompressing, "texts are compressed once")
    let compressor = TextCompressor(windowByteCount: windowByteCount)
    // Evenly, so that the tokens suit old texts and new ones.
    let step = max(1, liveByteCount / windowByteCount)
    for row in stride(from: 0, to: count, by: step) where compressor.isLearning { compressor.learn(bytes(row)) }
    if step > 1 { compressor.endLearning() }
    adopt(compressor)
    if !compressor.isLearning { for row in 0..<count { storeAgain(row) } }
  }

  /// How much longer compressed texts are than they could be. Tokens are learned again when a column is opened, so the
  /// same texts may then take more.
  /// - Complexity: O(rows).
  var compressionExcess: Int {
    if !isCompressing { return 0 }
    let plain = (0..<count).reduce(0) { $0 + byteCount($1) }
    return max(0, liveByteCount - plain * TextCompressor.fewestBits / TextCompressor.mostBits)
  }

  /// Calls `body` with the bytes of a row's text: in place, or decoded if it is compressed.
  @inline(__always)
  func withBytes<Result>(_ row: Int, _ body: (Span<UInt8>) -> Result) -> Result {
    let reference = reference(row)
    return reference < Self.firstCompressed ? body(bytes(row)) : withDecodedBytes(reference, body)
  }

  @inline(never)
  private func withDecodedBytes<Result>(_ reference: UInt64, _ body: (Span<UInt8>) -> Result) -> Result {
    let length = Int(reference & 0xFFFF)
    // Safety: the span ends before the buffer is freed, and all its bytes are written.
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: length) { buffer in
      if let target = buffer.baseAddress { unsafe decode(reference, to: UnsafeMutableRawPointer(target)) }
      return body(unsafe Span(_unsafeElements: UnsafeBufferPointer(buffer)))
    }
  }

  @inline(never)
  func decodedString(_ reference: UInt64) -> String {
    let length = Int(reference & 0xFFFF)
    return unsafe String(unsafeUninitializedCapacity: length) { buffer in
      if let target = buffer.baseAddress { unsafe decode(reference, to: UnsafeMutableRawPointer(target)) }
      return length
    }
  }

  /// Copies a row's text to memory that has room for it.
  @inline(__always)
  @unsafe func copy(_ row: Int, to target: UnsafeMutableRawPointer) {
    let reference = reference(row)
    if reference >= Self.firstCompressed { return unsafe decode(reference, to: target) }
    let text = stored(reference)
    if let start = unsafe text.start { unsafe target.copyMemory(from: start, byteCount: text.byteCount) }
  }

  @inline(never)
  @unsafe func decode(_ reference: UInt64, to target: UnsafeMutableRawPointer) {
    guard let tables = unsafe tables else { preconditionFailure("a column with compressed texts has token tables") }
    unsafe TextCompressor.decode(
      tables, Int(reference >> 56), address(reference & ~Self.tableMask), room: Self.room(of: reference), to: target,
      byteCount: Int(reference & 0xFFFF))
  }

  /// The bytes that a text takes in its page; 0 if they are no text's.
  func storedByteCount(_ reference: UInt64) -> Int {
    let length = Int(reference & 0xFFFF)
    guard reference >= Self.firstCompressed else { return length }
    guard let tables = unsafe tables else { return 0 }
    return unsafe TextCompressor.storedByteCount(
      tables, Int(reference >> 56), address(reference & ~Self.tableMask), room: Self.room(of: reference),
      byteCount: length)
  }

  /// The bytes from a text's beginning to the end of its page.
  private static func room(of reference: UInt64) -> Int { pageByteCount - Int(reference >> 16 & 0xFFFFF) }
}
