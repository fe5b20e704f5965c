/// The lists that are too long for their adjacency block (`PackedLists`), by number.
struct OverflowLists<Element: BitwiseCopyable & FixedWidthInteger & UnsignedInteger & Sendable> {
  private var lists = ObjectSlots<ChunkedList<Element>>()
  /// The bytes of all lists, updated by the code that changes a list.
  var listsByteCount = 0

  init() {}

  @inline(__always)
  subscript(number: Int) -> ChunkedList<Element>? { lists[number] }

  /// Inserts a list. Returns its number.
  mutating func insert(_ list: ChunkedList<Element>) -> Int {
    listsByteCount += list.byteCount
    return lists.insert(list)
  }

  /// Replaces a list by its copy.
  mutating func replace(_ number: Int, with copy: ChunkedList<Element>) {
    listsByteCount += copy.byteCount - (lists[number]?.byteCount ?? 0)
    lists.replace(number, with: copy)
  }

  mutating func remove(_ number: Int) {
    listsByteCount -= lists[number]?.byteCount ?? 0
    lists.remove(number)
  }

  /// The bytes of the lists and their directory.
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
