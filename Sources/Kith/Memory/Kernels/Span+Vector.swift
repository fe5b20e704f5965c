extension Span<UInt64> {
  /// The four words from an index on.
  @inline(__always)
  func vector(at index: Int) -> SIMD4<UInt64> {
    precondition(index >= 0 && index <= count - SIMD4<UInt64>.scalarCount, "a vector is within the words")
    // Safety: the index is checked.
    return unsafe bytes.unsafeLoadUnaligned(
      fromUncheckedByteOffset: index &* MemoryLayout<UInt64>.size, as: SIMD4<UInt64>.self)
  }

  /// The index of the first word, from `index` on, that is not zero; the number of words if all are.
  @inline(__always)
  func firstNonzero(from index: Int) -> Int {
    let step = 2 * SIMD4<UInt64>.scalarCount
    var index = index
    while index + step <= count {
      let four = vector(at: index) | vector(at: index + SIMD4<UInt64>.scalarCount)
      let two = four.lowHalf | four.highHalf
      if two.x | two.y != 0 { break }
      index += step
    }
    while index < count && self[index] == 0 { index += 1 }
    return index
  }
}
