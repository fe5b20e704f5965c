/// The long lists of `PackedLists` by number.
struct LongLists<Element: BitwiseCopyable & FixedWidthInteger & UnsignedInteger & Sendable> {
  private var lists = ObjectSlots<ChunkedList<Element>>()
  /// Bytes of all lists, kept by whoever changes one.
  var listsByteCount = 0

  init() {}

  @inline(__always)
  subscript(number: Int) -> ChunkedList<Element>? { lists[number] }

  /// Takes a list in and gives it a number.
  mutating func insert(_ list: ChunkedList<Element>) -> Int {
    listsByteCount += list.byteCount
    return lists.insert(list)
  }

  /// Puts a copy in the place of a list.
  mutating func replace(_ number: Int, with copy: ChunkedList<Element>) {
    listsByteCount += copy.byteCount - (lists[number]?.byteCount ?? 0)
    lists.replace(number, with: copy)
  }

  mutating func remove(_ number: Int) {
    listsByteCount -= lists[number]?.byteCount ?? 0
    lists.remove(number)
  }

  /// Bytes of lists and of what leads to them.
  /// - Complexity: O(1).
  var byteCount: Int { listsByteCount + lists.byteCount }

  func checkInvariants(_ name: String) -> [String] {
    var problems: [String] = []
    var bytes = 0
    lists.forEach { list in
      bytes += list.byteCount
      problems += list.checkInvariants(name)
    }
    if bytes != listsByteCount { problems.append("\(name): long lists take \(bytes) bytes, not \(listsByteCount)") }
    return problems
  }
}
