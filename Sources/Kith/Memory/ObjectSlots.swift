/// Objects by number, in groups of 64: the chunks of a table of pages, the long lists of all rows, the pages of one of
/// them.
///
/// A copy shares the groups. The first write afterwards retains the objects of one group, and all groups, but not every
/// object, each of which would be a cache line to wait for (5,600 pages of a list of ten million elements).
struct ObjectSlots<Object: AnyObject> {
  private static var groupShift: Int { 6 }
  private static var groupCount: Int { 1 << groupShift }

  private var groups: [[Object?]] = []
  /// Numbers that are free again.
  private var free: [Int] = []
  private var nextNumber = 0

  /// How many numbers there are, free ones included.
  var count: Int { nextNumber }

  /// The object of a number, nil where it is free.
  @inline(__always)
  subscript(number: Int) -> Object? { groups[number >> Self.groupShift][number & (Self.groupCount - 1)] }

  /// Takes an object in and gives it a number.
  mutating func insert(_ object: Object) -> Int {
    if let number = free.popLast() {
      replace(number, with: object)
      return number
    }
    if nextNumber & (Self.groupCount - 1) == 0 { groups.append([]) }
    groups[nextNumber >> Self.groupShift].append(object)
    nextNumber += 1
    return nextNumber - 1
  }

  /// Puts another object in the place of one.
  mutating func replace(_ number: Int, with object: Object) {
    groups[number >> Self.groupShift][number & (Self.groupCount - 1)] = object
  }

  /// Whether nobody else has the object: neither a copy of these slots nor any other reference.
  mutating func isUnique(_ number: Int) -> Bool {
    isKnownUniquelyReferenced(&groups[number >> Self.groupShift][number & (Self.groupCount - 1)])
  }

  mutating func remove(_ number: Int) {
    groups[number >> Self.groupShift][number & (Self.groupCount - 1)] = nil
    free.append(number)
  }

  func forEach(_ body: (Object) -> Void) {
    for group in groups { for case let object? in group { body(object) } }
  }

  /// Bytes of what leads to the objects.
  /// - Complexity: O(1).
  var byteCount: Int { nextNumber * 8 + groups.count * 40 + free.capacity * 8 }
}
