/// Selection of the largest values without sorting.
enum Selection {
  /// Moves the `count` largest values to the front, unordered except that the smallest of them is last.
  ///
  /// Quickselect (C. A. R. Hoare, "Algorithm 65: Find", 1961).
  /// - Parameter count: 1 to the number of values.
  /// - Complexity: O(values) on average.
  static func moveLargest<Value: Comparable>(_ count: Int, of values: inout MutableSpan<Value>) {
    var low = 0
    var high = values.count - 1
    let last = count - 1
    while low < high {
      let pivot = values[(low + high) / 2]
      var left = low
      var right = high
      while left <= right {
        while values[left] > pivot { left += 1 }
        while values[right] < pivot { right -= 1 }
        if left > right { break }
        values.swapAt(left, right)
        left += 1
        right -= 1
      }
      if last <= right {
        high = right
      } else if last >= left {
        low = left
      } else {
        return
      }
    }
  }
}
