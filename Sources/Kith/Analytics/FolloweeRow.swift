extension GraphView {
  /// A followee by row, and the time of the follow: an element of the forward lists in its memory layout.
  public struct FolloweeRow: BitwiseCopyable, Hashable, Sendable {
    // The two halves of a word; the row is the high half.
    #if _endian(little)
      /// The time of the follow, in seconds since 1970.
      public let second: UInt32
      /// The row of the followee.
      public let row: UInt32
    #else
      /// The row of the followee.
      public let row: UInt32
      /// The time of the follow, in seconds since 1970.
      public let second: UInt32
    #endif

    /// A list of forward elements as followee rows.
    @inline(__always)
    @_lifetime(copy elements)
    static func view(_ elements: Span<UInt64>) -> Span<FolloweeRow> {
      // Safety: a word has two halves of 32 bits, without padding, in the order declared above.
      let span = Span<FolloweeRow>(_bytes: unsafe elements.bytes)
      return unsafe _overrideLifetime(span, copying: elements)
    }
  }
}
