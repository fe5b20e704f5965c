/// Words as bytes in the machine's order, for files that only this process reads.
extension [UInt64] {
  func withBytes<Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    // Safety: the bytes are those of the words, and valid for the call.
    try unsafe withUnsafeBufferPointer { (words) throws(Failure) in
      try body(unsafe Span(_unsafeBytes: UnsafeRawBufferPointer(words)))
    }
  }
}

extension MutableSpan<UInt64> {
  mutating func withMutableBytes<Output, Failure: Error>(
    _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Output
  ) throws(Failure) -> Output {
    // Safety: as above; a word may have any bytes.
    try unsafe withUnsafeMutableBytes { (all) throws(Failure) in
      var bytes = unsafe MutableSpan<UInt8>(_unsafeBytes: all)
      return try body(&bytes)
    }
  }
}
