/// The list of free blocks of a span: linear below 512 bytes, then 32 classes per power of two.
///
/// The class is that of the span less sixteen bytes. Otherwise half of an arena and a page that just fits in it would
/// have different classes, and the page would not be found there.
struct SizeClass {
  static let levelCount = 18
  static let perLevel = 32
  private static let smallByteCount = 512

  let level: Int
  let subclass: Int

  var index: Int { level * Self.perLevel + subclass }

  /// The class of a span.
  init(of span: Int) {
    let byteCount = span - 16
    if byteCount < Self.smallByteCount {
      (level, subclass) = (0, byteCount >> 4)
    } else {
      let log = Int.bitWidth - 1 - byteCount.leadingZeroBitCount
      (level, subclass) = (log - 8, byteCount >> (log - 5) & 31)
    }
  }

  /// The first class all of whose blocks have at least this span.
  init(above span: Int) {
    let byteCount = span - 16
    if byteCount < Self.smallByteCount {
      self.init(of: span)
    } else {
      let log = Int.bitWidth - 1 - byteCount.leadingZeroBitCount
      self.init(of: span + (1 << (log - 5)) - 1)
    }
  }
}
