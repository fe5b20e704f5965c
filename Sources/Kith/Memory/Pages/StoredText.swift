/// Where a text of a column is stored: found once, to be prefetched and then read. Valid until the next write.
@safe struct StoredText: BitwiseCopyable {
  // Safety: `TextColumn` makes it, and reads it.
  let reference: UInt64
  /// Of the plain text, or of the compressed one; nil for an empty text.
  let start: UnsafeRawPointer?

  /// An empty text.
  init() { unsafe (reference, start) = (0, nil) }

  init(reference: UInt64, start: UnsafeRawPointer?) {
    self.reference = reference
    unsafe self.start = unsafe start
  }

  @inline(__always)
  var byteCount: Int { Int(reference & 0xFFFF) }
}
