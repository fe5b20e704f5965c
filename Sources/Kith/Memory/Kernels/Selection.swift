import CSupport

/// Selection of the largest values without sorting.
enum Selection {
  /// Moves the `count` largest of the values in a range, by default all, to its front, unordered except that the
  /// smallest of them is last.
  ///
  /// Quickselect (C. A. R. Hoare, "Algorithm 65: Find", 1961). Its partition has no branch on a comparison: half would
  /// be mispredicted.
  /// - Parameter count: 1 to the number of values in the range.
  /// - Complexity: O(values) on average.
  static func moveLargest<Value: Comparable>(
    _ count: Int, of values: inout MutableSpan<Value>, in range: Range<Int>? = nil
  ) {
    let range = range ?? 0..<values.count
    var low = range.lowerBound
    var high = range.upperBound - 1
    let last = low + count - 1
    while low < high {
      values.swapAt((low + high) / 2, high)
      let pivot = values[high]
      var border = partition(&values, low..<high) { $0 > pivot }
      let isLargest = border == low
      if isLargest { border = partition(&values, low..<high) { $0 >= pivot } }
      values.swapAt(border, high)
      if last == border || (isLargest && last < border) { return }
      if last < border { high = border - 1 } else { low = border + 1 }
    }
  }

  /// Moves the values of a range that belong to the front there. Returns the place after them.
  @inline(__always)
  private static func partition<Value: Comparable>(
    _ values: inout MutableSpan<Value>, _ range: Range<Int>, _ isFront: (Value) -> Bool
  ) -> Int {
    var border = range.lowerBound
    unsafe values.withUnsafeMutableBufferPointer { values in
      // Safety: a range of the values, and the border does not pass the index. A check of the border would be a branch
      // on each comparison.
      for index in range {
        let value = unsafe values[index]
        unsafe values[index] = unsafe values[border]
        unsafe values[border] = value
        border = kith_index_after(border, isFront(value))
      }
    }
    return border
  }
}
