/// All lists, concatenated: as a snapshot writes them.
extension PackedLists {
  /// The start of every `elementCount`-th element of all lists, concatenated: the list, and the offset in it.
  /// - Complexity: O(lists).
  func starts(every elementCount: Int) -> [(list: Int, offset: Int)] {
    var starts: [(list: Int, offset: Int)] = []
    var (first, next) = (0, 0)
    for list in 0..<count {
      let end = first + count(of: list)
      while next < end {
        starts.append((list, next - first))
        next += elementCount
      }
      first = end
    }
    return starts
  }

  /// Calls `body` with `elementCount` elements from a position in the concatenated lists on, each with its list.
  @inline(__always)
  func forEach(from start: (list: Int, offset: Int), count elementCount: Int, _ body: (Int, Element) -> Void) {
    var left = elementCount
    var skipped = start.offset
    var list = start.list
    while left > 0 {
      for run in 0..<runCount(of: list) {
        let length = runLength(run, of: list)
        if skipped >= length {
          skipped -= length
          continue
        }
        let end = min(length, skipped + left)
        left -= end - skipped
        withElements(skipped..<end, ofRun: run, of: list) { elements in
          for index in elements.indices { body(list, elements[index]) }
        }
        skipped = 0
        if left == 0 { break }
      }
      list += 1
    }
  }
}
