/// Sorts in-edges by second, then by the order of sources.
///
/// An edge is one word: its second in the high half, its source's row in the low half. Ids mostly ascend with rows, so
/// one sort of words does nearly all. Only edges with equal seconds are compared again.
enum EdgeSort {
  /// Up to this many edges, insertion sort is fastest.
  private static let insertionCount = 40
  /// From this many edges on, radix sort is fastest.
  private static let radixCount = 400

  /// Sorts the edges of consecutive lists; within each list they are sorted by source so far.
  /// - Parameter lists: the lengths of the lists, which add up to the number of edges.
  /// - Complexity: O(edges · log longest list); O(edges) for long lists.
  static func sort(
    _ edges: inout MutableSpan<UInt64>, lists: ArraySlice<UInt32>, order: borrowing some SourceOrder & ~Copyable
  ) {
    var scratch: [UInt64] = []
    // Safety: all below stays within its list, and the lists within the edges.
    unsafe edges.withUnsafeMutableBufferPointer { all in
      var start = 0
      for length in lists {
        let list = unsafe UnsafeMutableBufferPointer(rebasing: all[start..<start + Int(length)])
        start += list.count
        if list.count < 2 { continue }
        if unsafe !isSorted(list) {
          if list.count <= insertionCount {
            unsafe sortByInsertion(list)
          } else if list.count < radixCount {
            var list = unsafe list
            unsafe list.sort()
          } else {
            unsafe sortByDigits(list, &scratch)
          }
        }
        unsafe sortTies(list, order: order)
      }
    }
  }

  private static func isSorted(_ list: UnsafeMutableBufferPointer<UInt64>) -> Bool {
    for index in 1..<list.count where unsafe list[index - 1] > list[index] { return false }
    return true
  }

  private static func sortByInsertion(_ list: UnsafeMutableBufferPointer<UInt64>) {
    for index in 1..<list.count {
      let word = unsafe list[index]
      var place = index
      while place > 0, unsafe list[place &- 1] > word {
        unsafe list[place] = unsafe list[place &- 1]
        place &-= 1
      }
      unsafe list[place] = word
    }
  }

  /// Radix sort by the second, eleven bits per digit, lowest first. Stable, so sources keep their order. A digit that
  /// is equal in all edges costs one test.
  private static func sortByDigits(_ list: UnsafeMutableBufferPointer<UInt64>, _ scratch: inout [UInt64]) {
    let digitCount = 1 << 11
    if scratch.count < list.count { scratch = [UInt64](repeating: 0, count: list.count) }
    var union: UInt64 = 0
    for index in list.indices { unsafe union |= list[index] ^ list[0] }
    unsafe scratch.withUnsafeMutableBufferPointer { scratch in
      var (from, to) = unsafe (list, UnsafeMutableBufferPointer(rebasing: scratch[0..<list.count]))
      var next = [Int](repeating: 0, count: digitCount)
      for shift: UInt64 in [32, 43, 54] where (union >> shift) & UInt64(digitCount - 1) != 0 {
        for digit in 0..<digitCount { next[digit] = 0 }
        for index in from.indices { unsafe next[Int((from[index] >> shift) & UInt64(digitCount - 1))] += 1 }
        var start = 0
        for digit in 0..<digitCount {
          let count = next[digit]
          next[digit] = start
          start += count
        }
        for index in from.indices {
          let digit = unsafe Int((from[index] >> shift) & UInt64(digitCount - 1))
          unsafe to[next[digit]] = unsafe from[index]
          next[digit] += 1
        }
        unsafe swap(&from, &to)
      }
      if unsafe from.baseAddress != list.baseAddress { _ = unsafe list.update(fromContentsOf: from) }
    }
  }

  /// Sorts edges with equal seconds.
  private static func sortTies(
    _ list: UnsafeMutableBufferPointer<UInt64>, order: borrowing some SourceOrder & ~Copyable
  ) {
    var start = 0
    for end in 1...list.count {
      if unsafe end < list.count && list[end] >> 32 == list[start] >> 32 { continue }
      if end - start > 1 { unsafe sortTies(UnsafeMutableBufferPointer(rebasing: list[start..<end]), by: order) }
      start = end
    }
  }

  private static func sortTies(
    _ ties: UnsafeMutableBufferPointer<UInt64>, by order: borrowing some SourceOrder & ~Copyable
  ) {
    func row(_ index: Int) -> UInt32 { unsafe UInt32(truncatingIfNeeded: ties[index]) }
    if (1..<ties.count).allSatisfy({ order.isBefore(row($0 - 1), row($0)) }) { return }
    let sorted = unsafe ties.sorted { order.isBefore(UInt32(truncatingIfNeeded: $0), UInt32(truncatingIfNeeded: $1)) }
    for index in ties.indices { unsafe ties[index] = sorted[index] }
  }
}
