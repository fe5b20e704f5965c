/// Cuts a stream of bytes, which comes in pieces of any size, into lines.
///
/// A line over the limit is reported as such and never held whole: its bytes are dropped as they arrive, up to its line
/// break.
struct LineSplitter {
  /// The longest line of a request, without its line break.
  static let maximumByteCount = 8 << 20

  enum Line: Equatable {
    case line([UInt8])
    case tooLong
  }

  private let maximumByteCount: Int
  private var buffer: [UInt8] = []
  /// Where the next line begins, and how far the bytes were searched for line breaks.
  private var start = 0
  private var scanned = 0
  private var isDropping = false

  init(maximumByteCount: Int = Self.maximumByteCount) { self.maximumByteCount = maximumByteCount }

  mutating func feed(_ bytes: ArraySlice<UInt8>) {
    buffer.append(contentsOf: bytes)
  }

  /// The next whole line without its line break, or nil until more is fed.
  mutating func next() -> Line? {
    if let lineBreak = buffer[scanned...].firstIndex(of: UInt8(ascii: "\n")) { return take(to: lineBreak) }
    buffer.removeFirst(start)
    start = 0
    scanned = buffer.count
    if isDropping || buffer.count > maximumByteCount {
      isDropping = true
      buffer = []
      scanned = 0
    }
    return nil
  }

  /// The rest after the last line break, once the input has ended and `next` has returned nil.
  mutating func last() -> Line? {
    isDropping || start < buffer.count ? take(to: buffer.count) : nil
  }

  private mutating func take(to end: Int) -> Line {
    defer {
      start = min(end + 1, buffer.count)
      scanned = start
      isDropping = false
    }
    return isDropping || end - start > maximumByteCount ? .tooLong : .line(Array(buffer[start..<end]))
  }
}
