/// A file as blocks of whole lines, each ending in LF; a last line without one is given it.
struct LineBlocks {
  /// The longest text of a field, as it is written, and room for the numbers before it. A line over both is refused
  /// before it fills the memory.
  static let maximumFieldByteCount = 1 << 20
  private static let maximumLineByteCount = maximumFieldByteCount + 256

  private(set) var file: InputFile
  /// The lines at hand.
  private(set) var bytes: [UInt8] = []
  /// The beginning of a line whose end is not read yet.
  private var tail: [UInt8] = []
  private var isAtEnd = false

  init(_ file: InputFile) { self.file = file }

  /// Takes the next lines into `bytes`; false when there are no more.
  mutating func next() throws(CommandFailure) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    swap(&bytes, &tail)
    while !isAtEnd {
      let searched = bytes.count
      isAtEnd = try !file.read(into: &bytes)
      if let last = bytes[searched...].lastIndex(of: UInt8(ascii: "\n")) {
        tail.removeAll(keepingCapacity: true)
        tail.append(contentsOf: bytes[(last + 1)...])
        bytes.removeSubrange((last + 1)...)
        return true
      }
      // Without a line break in it, what is at hand is the beginning of one line: the caller says which is too long.
      if bytes.count > Self.maximumLineByteCount { break }
    }
    guard !bytes.isEmpty else { return false }
    bytes.append(UInt8(ascii: "\n"))
    return true
  }
}
