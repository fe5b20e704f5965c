/// Somebody whom a user follows, by row, and since when: an element of the forward side of follows as it lies in
/// memory.
public struct FolloweeRow: BitwiseCopyable, Hashable, Sendable {
  // The two halves of a word, the row in the high one.
  #if _endian(little)
    /// When the follow was made, in seconds since 1970.
    public let second: UInt32
    /// Whom.
    public let row: UInt32
  #else
    /// Whom.
    public let row: UInt32
    /// When the follow was made, in seconds since 1970.
    public let second: UInt32
  #endif

  /// A list of forward elements, seen as what they mean.
  @inline(__always)
  @_lifetime(copy elements)
  static func view(_ elements: Span<UInt64>) -> Span<FolloweeRow> {
    // Safety: a word is two halves of 32 bits, without padding, in the order declared above.
    let span = Span<FolloweeRow>(_bytes: unsafe elements.bytes)
    return unsafe _overrideLifetime(span, copying: elements)
  }
}
