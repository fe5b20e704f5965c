/// Objects by number, in groups of 64: the chunks of a page table, the long lists of all rows, or the pages of one of
/// them.
///
/// A copy shares the groups. The first write afterwards retains all groups, and the objects of one group. It does not
/// retain every object, each of which would be a cache miss (5,600 pages for a list of ten million elements).
struct ObjectSlots<Object: AnyObject> {
  private static var groupShift: Int { 6 }
  private static var groupCount: Int { 1 << groupShift }

  private var groups: [[Object?]] = []
  /// Free numbers. Nil rather than empty: a pin copies the slots of all lists, and retains the storage of empty arrays.
  private var free: [Int]?
  private var nextNumber = 0

  /// The number of slots, including free ones.
  var count: Int { nextNumber }

  /// The object of a number; nil if the number is free.
  @inline(__always)
  subscript(number: Int) -> Object? { groups[number >> Self.groupShift][number & (Self.groupCount - 1)] }

  /// Inserts an object. Returns its number.
  mutating func insert(_ object: Object) -> Int {
    if let number = free?.popLast() {
      if free?.isEmpty == true { free = nil }
      replace(number, with: object)
      return number
    }
    if nextNumber & (Self.groupCount - 1) == 0 { groups.append([]) }
    groups[nextNumber >> Self.groupShift].append(object)
    nextNumber += 1
    return nextNumber - 1
  }

  /// Replaces the object of a number.
  mutating func replace(_ number: Int, with object: Object) {
    groups[number >> Self.groupShift][number & (Self.groupCount - 1)] = object
  }

  /// Whether the object has no other reference, including copies of these slots.
  mutating func isUnique(_ number: Int) -> Bool {
    isKnownUniquelyReferenced(&groups[number >> Self.groupShift][number & (Self.groupCount - 1)])
  }

  mutating func remove(_ number: Int) {
    groups[number >> Self.groupShift][number & (Self.groupCount - 1)] = nil
    if free == nil { free = [number] } else { free?.append(number) }
  }

  func forEach(_ body: (Object) -> Void) {
    for group in groups { for case let object? in group { body(object) } }
  }

  /// The bytes of the directory, without the objects.
  /// - Complexity: O(1).
  var byteCount: Int { nextNumber * 8 + groups.count * 40 + (free?.capacity ?? 0) * 8 }
}
