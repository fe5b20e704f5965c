extension String {
  /// Lends the UTF-8 bytes, which are not copied if they are contiguous, as in all strings of Swift's own.
  @inline(__always)
  func withBytes<R>(_ body: (Span<UInt8>) -> R) -> R {
    var text = self
    // Safety: the span does not outlive the call.
    return text.withUTF8 { utf8 in body(unsafe Span(_unsafeElements: utf8)) }
  }
}
