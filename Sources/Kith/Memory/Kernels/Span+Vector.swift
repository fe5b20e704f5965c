extension Span<UInt64> {
  /// The four words from an index on.
  @inline(__always)
  func vector(at index: Int) -> SIMD4<UInt64> {
    precondition(index >= 0 && index <= count - SIMD4<UInt64>.scalarCount, "a vector is within the words")
    // Safety: the index is checked.
    return unsafe bytes.unsafeLoadUnaligned(
      fromUncheckedByteOffset: index &* MemoryLayout<UInt64>.size, as: SIMD4<UInt64>.self)
  }
}
