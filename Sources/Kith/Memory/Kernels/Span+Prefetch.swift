import CSupport

extension Span where Element: BitwiseCopyable {
  /// Prefetches the cache lines of `count` elements; fewer at the end.
  ///
  /// If `count` is a constant, there is no branch that waits for memory. A caller that prefetches many ranges thus
  /// overlaps all of them.
  @inline(__always)
  func prefetch(_ start: Int, count: Int) {
    unsafe withUnsafeBytes { bytes in
      let offset = start * MemoryLayout<Element>.stride
      guard let base = bytes.baseAddress, offset >= 0, offset < bytes.count else { return }
      // An address after the end is computed but never read; prefetching it is harmless.
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
