import CSupport

extension Span<UInt16> {
  /// The first index, from `start` on and before `end`, whose number is at least `number`; `end` if there is none. The
  /// numbers between them ascend.
  /// - Complexity: O(log distance).
  @inline(__always)
  func lowerBound(of number: UInt16, from start: Int, to end: Int) -> Int {
    precondition(0 <= start && start <= end && end <= count, "a range of the numbers")
    // Safety: nothing is read from `count` on.
    return unsafe withUnsafeBufferPointer { numbers in
      guard let base = numbers.baseAddress else { return end }
      return unsafe kith_gallop(base, start, end, numbers.count, number)
    }
  }
}
