/// The long lists of `PackedLists` by number, in groups of 64.
///
/// The first write after a pin copies the references of one group, and of all groups, but not those of all lists, each
/// of which would be a cache line to wait for (a graph of a million users has ten thousand).
struct LongLists<Element: BitwiseCopyable & FixedWidthInteger & UnsignedInteger & Sendable> {
  private static var groupShift: Int { 6 }
  private static var groupCount: Int { 1 << groupShift }

  private var groups: [[ChunkedList<Element>?]] = []
  /// Numbers that are free again.
  private var free: [Int] = []
  private var nextNumber = 0
  /// Bytes of all lists, kept by whoever changes one.
  var listsByteCount = 0

  init() {}

  @inline(__always)
  subscript(number: Int) -> ChunkedList<Element>? {
    groups[number >> Self.groupShift][number & (Self.groupCount - 1)]
  }

  /// Takes a list in and gives it a number.
  mutating func insert(_ list: ChunkedList<Element>) -> Int {
    listsByteCount += list.byteCount
    if let number = free.popLast() {
      groups[number >> Self.groupShift][number & (Self.groupCount - 1)] = list
      return number
    }
    if nextNumber & (Self.groupCount - 1) == 0 { groups.append([]) }
    groups[nextNumber >> Self.groupShift].append(list)
    nextNumber += 1
    return nextNumber - 1
  }

  /// Puts a copy in the place of a list.
  mutating func replace(_ number: Int, with copy: ChunkedList<Element>) {
    listsByteCount += copy.byteCount - (self[number]?.byteCount ?? 0)
    groups[number >> Self.groupShift][number & (Self.groupCount - 1)] = copy
  }

  mutating func remove(_ number: Int) {
    listsByteCount -= self[number]?.byteCount ?? 0
    groups[number >> Self.groupShift][number & (Self.groupCount - 1)] = nil
    free.append(number)
  }

  /// Bytes of lists and of what leads to them.
  /// - Complexity: O(1).
  var byteCount: Int { listsByteCount + groups.count * (Self.groupCount * 8 + 40) + free.capacity * 8 }

  func checkInvariants(_ name: String) -> [String] {
    var bytes = 0
    for group in groups { for list in group { bytes += list?.byteCount ?? 0 } }
    return bytes == listsByteCount ? [] : ["\(name): long lists take \(bytes) bytes, not \(listsByteCount)"]
  }
}
