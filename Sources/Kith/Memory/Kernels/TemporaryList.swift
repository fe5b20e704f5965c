/// Lends an empty list of a fixed capacity, which is on the stack if it takes at most 1,024 bytes: a short query would
/// spend more time in the allocator than in its lists.
@inline(__always)
func withTemporaryList<Element: BitwiseCopyable, R>(
  of type: Element.Type, capacity: Int, _ body: (inout OutputSpan<Element>) -> R
) -> R {
  unsafe withUnsafeTemporaryAllocation(of: type, capacity: capacity) { buffer in
    // Safety: the memory lives until `body` has returned, and bits need no deinitialisation.
    var list = unsafe OutputSpan(buffer: buffer, initializedCount: 0)
    defer { list.removeAll() }
    return body(&list)
  }
}

extension Array {
  /// Appends an element some times.
  ///
  /// Where an array is made for every query: this is compiled for its type, while `init(repeating:count:)` and
  /// `init(capacity:initializingWith:)` of Swift 6.3 look that up each time (550 instructions).
  @inline(__always)
  mutating func append(_ element: Element, count: Int) {
    append(addingCapacity: count) { output in output.append(repeating: element, count: count) }
  }
}
