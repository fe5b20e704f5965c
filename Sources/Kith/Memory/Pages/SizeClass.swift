/// The list of free blocks of a size: linear below 512 bytes, then 32 classes per power of two.
struct SizeClass {
  static let levelCount = 18
  static let perLevel = 32
  private static let smallByteCount = 512

  let level: Int
  let subclass: Int

  var index: Int { level * Self.perLevel + subclass }

  /// The class of a size.
  init(of byteCount: Int) {
    if byteCount < Self.smallByteCount {
      (level, subclass) = (0, byteCount >> 4)
    } else {
      let log = Int.bitWidth - 1 - byteCount.leadingZeroBitCount
      (level, subclass) = (log - 8, byteCount >> (log - 5) & 31)
    }
  }

  /// The first class all of whose blocks have at least this size.
  init(above byteCount: Int) {
    if byteCount < Self.smallByteCount {
      self.init(of: byteCount)
    } else {
      let log = Int.bitWidth - 1 - byteCount.leadingZeroBitCount
      self.init(of: byteCount + (1 << (log - 5)) - 1)
    }
  }
}
