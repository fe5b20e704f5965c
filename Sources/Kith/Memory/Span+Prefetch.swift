import CHints

extension Span where Element: BitwiseCopyable {
  /// Asks for the cache lines of `count` elements that are soon read; for fewer at the end.
  ///
  /// Where `count` is a constant, no branch waits for memory here: so one who asks for many places gets them all at
  /// once.
  @inline(__always)
  func prefetch(_ start: Int, count: Int) {
    unsafe withUnsafeBytes { bytes in
      let offset = start * MemoryLayout<Element>.stride
      guard let base = bytes.baseAddress, offset >= 0, offset < bytes.count else { return }
      // An address behind the end is computed, never read; asking for it does no harm.
      let address = UInt(bitPattern: base) + UInt(offset)
      let byteCount = UInt(count * MemoryLayout<Element>.stride)
      var step: UInt = 0
      while step < byteCount {
        unsafe kith_prefetch(UnsafeRawPointer(bitPattern: address &+ step))
        step &+= 64
      }
      unsafe kith_prefetch(UnsafeRawPointer(bitPattern: address &+ byteCount &- 1))
    }
  }
}
