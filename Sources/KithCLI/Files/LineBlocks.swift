/// A file as blocks of whole lines, each ending in LF; a last line without one gets it. A byte-order mark at the
/// beginning is skipped.
///
/// If the first line ends in CR LF, all lines must, and they are passed on as if they ended in LF alone. If it ends in
/// LF alone, no line may end in CR LF.
struct LineBlocks: RowBlocks {
  /// The longest text of a field, as written, and space for the numbers before it. A line longer than that is refused
  /// before it fills the memory.
  static let maximumFieldByteCount = 1 << 20
  static let maximumLineByteCount = maximumFieldByteCount + 256
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]
  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")

  private(set) var file: InputFile
  /// The current lines.
  private(set) var bytes: [UInt8] = []
  /// The beginning of a line whose end is not read yet.
  private var tail: [UInt8] = []
  private var isAtEnd = false
  private var hasBegun = false
  /// Whether the first line ends in CR LF; nil before it is read.
  private var endsInCRLF: Bool?
  /// How the line after `bytes` ends, if not as the first one. It is not passed on.
  private(set) var badEnd: String?
  private let mayDiffer: Bool

  /// - Parameter mayDiffer: whether lines are passed on with the ends that they have.
  init(_ file: InputFile, mayDiffer: Bool = false) {
    self.file = file
    self.mayDiffer = mayDiffer
  }

  /// Reads the next lines into `bytes`; false when there are no more.
  mutating func next() throws(CommandFailure) -> Bool {
    guard badEnd == nil, try readLines() else { return false }
    if mayDiffer { return true }
    if endsInCRLF == nil, let end = bytes.firstIndex(of: Self.lineFeed) {
      endsInCRLF = end > 0 && bytes[end - 1] == Self.carriageReturn
    }
    if endsInCRLF == true { dropCarriageReturns() } else { endBeforeCarriageReturn() }
    return true
  }

  /// Reads whole lines into `bytes` unchanged, except for the mark and the end of the last one.
  private mutating func readLines() throws(CommandFailure) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    swap(&bytes, &tail)
    while !isAtEnd {
      let searched = bytes.count
      isAtEnd = try !file.read(into: &bytes)
      if !hasBegun { passMark() }
      if let last = bytes[min(searched, bytes.count)...].lastIndex(of: Self.lineFeed) {
        tail.removeAll(keepingCapacity: true)
        tail.append(contentsOf: bytes[(last + 1)...])
        bytes.removeSubrange((last + 1)...)
        return true
      }
      // Without a line break in it, the input is the beginning of one line: the caller reports which one is too long.
      if bytes.count > Self.maximumLineByteCount { break }
    }
    guard !bytes.isEmpty else { return false }
    if endsInCRLF == true && bytes.last != Self.carriageReturn { bytes.append(Self.carriageReturn) }
    bytes.append(Self.lineFeed)
    return true
  }

  /// Drops a byte-order mark from the first bytes, as soon as there are enough to recognise it.
  private mutating func passMark() {
    if bytes.count < Self.byteOrderMark.count && Self.byteOrderMark.starts(with: bytes) && !isAtEnd { return }
    hasBegun = true
    if bytes.starts(with: Self.byteOrderMark) { bytes.removeFirst(Self.byteOrderMark.count) }
  }

  /// Removes the CR before each LF, up to a line that has none.
  private mutating func dropCarriageReturns() {
    var (kept, start) = (0, 0)
    while start < bytes.count, let end = bytes[start...].firstIndex(of: Self.lineFeed) {
      guard end > start, bytes[end - 1] == Self.carriageReturn else {
        badEnd = "it ends in LF alone; the first line ends in CR LF, and so must all"
        break
      }
      for place in start..<end - 1 {
        bytes[kept] = bytes[place]
        kept += 1
      }
      bytes[kept] = Self.lineFeed
      kept += 1
      start = end + 1
    }
    bytes.removeSubrange(kept...)
  }

  /// Ends the lines before the first one that ends in CR LF. Within a line, a CR is a character of a text.
  private mutating func endBeforeCarriageReturn() {
    var start = 0
    while let place = bytes[start...].firstIndex(of: Self.carriageReturn) {
      start = place + 1
      guard bytes[start] == Self.lineFeed else { continue }
      let line = bytes[..<place].lastIndex(of: Self.lineFeed).map { $0 + 1 } ?? 0
      bytes.removeSubrange(line...)
      badEnd = "a carriage return at the end of the line; the first line ends in LF alone, and so must all"
      return
    }
  }
}
