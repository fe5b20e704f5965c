import CSupport

/// The bit-parallel computation of edit distances of `EditMatcher`, for keys in ASCII.
///
/// Safe because `edits` passes a table of the size that the C function reads.
enum EditKernel {
  /// The fewest edits that turn a text into a run of the bytes of a key: any number above `most` where there are more.
  /// - Parameters:
  ///   - places: for each of 128 ASCII bytes, bit n for position n of the text.
  ///   - count: the positions of the text, 1 to 64.
  ///   - letters: bit b & 63 for each ASCII byte b of the text.
  /// - Returns: nil if the key is empty or not ASCII.
  static func edits(
    of places: [UInt64], count: Int, letters: UInt64, in key: Span<UInt8>, atMost most: Int
  ) -> Int? {
    precondition(places.count == 128 && (1...64).contains(count), "a text has one to 64 positions of 128 bytes")
    let edits = unsafe places.withUnsafeBufferPointer { places in
      unsafe key.withUnsafeBufferPointer { key in
        // Safety: the table has a place for each ASCII byte, and a key with others is not looked up.
        guard let base = places.baseAddress, let start = key.baseAddress else { return Int32(-1) }
        return unsafe kith_edits(base, UInt32(count), letters, start, key.count, Int32(clamping: most))
      }
    }
    return edits < 0 ? nil : Int(edits)
  }
}
