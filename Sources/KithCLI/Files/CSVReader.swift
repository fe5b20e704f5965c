import Kith

/// A CSV file (RFC 4180) as blocks of tab-separated lines.
///
/// Fields are separated by commas; one in quotes can hold commas, quotes (doubled) and line breaks. Records end in CR
/// LF or LF. A record of several lines becomes a line and as many empty ones as it had breaks, so that lines keep their
/// numbers. A byte-order mark at the beginning is skipped.
struct CSVReader: RowBlocks {
  private enum State {
    case fieldStart, plain, quoted
    /// After a quote inside quotes: the first of two, or the end.
    case quote
    /// After a CR outside quotes.
    case carriageReturn
  }

  private static let (comma, quote) = (UInt8(ascii: ","), UInt8(ascii: "\""))
  private static let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  let badEnd: String? = nil
  private(set) var file: InputFile
  /// Whole lines.
  private(set) var bytes: [UInt8] = []
  /// The line of an unfinished record.
  private var tail: [UInt8] = []
  private var state = State.fieldStart
  private var hasBegun = false
  private var isAtEnd = false
  /// The number of the current line, and of the first one of its record.
  private var (line, firstLine) = (1, 1)

  init(_ file: InputFile) { self.file = file }

  /// Reads the next lines into `bytes`; false when there are no more.
  mutating func next() throws(CommandFailure) -> Bool {
    bytes.removeAll(keepingCapacity: true)
    while bytes.isEmpty, !isAtEnd {
      var block: [UInt8] = []
      isAtEnd = try !file.read(into: &block)
      // Too few bytes to recognise a mark are the whole file, or the beginning of a pipe.
      while !hasBegun, !isAtEnd, block.count < Self.byteOrderMark.count { isAtEnd = try !file.read(into: &block) }
      let start = !hasBegun && block.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
      hasBegun = true
      for byte in block[start...] { try take(byte) }
      if isAtEnd { try finish() }
      guard tail.count <= LineBlocks.maximumLineByteCount else {
        throw failure("a record of over \(LineBlocks.maximumFieldByteCount) bytes; is a quote not closed?")
      }
    }
    return !bytes.isEmpty
  }

  @inline(__always)
  private mutating func take(_ byte: UInt8) throws(CommandFailure) {
    switch (state, byte) {
    case (.quoted, Self.quote): state = .quote
    case (.quoted, _):
      if byte == Self.lineFeed { line += 1 }
      append(byte)
    case (.fieldStart, Self.quote): state = .quoted
    case (.quote, Self.quote):
      append(byte)
      state = .quoted
    case (_, Self.lineFeed): endRecord()
    case (.carriageReturn, _): throw failure("a carriage return outside quotes, without a line feed")
    case (_, Self.comma):
      tail.append(UInt8(ascii: "\t"))
      state = .fieldStart
    case (_, Self.carriageReturn): state = .carriageReturn
    case (.quote, _): throw failure("something follows the closing quote of a field")
    case (_, Self.quote): throw failure("a quote inside a field that does not begin with one")
    default:
      append(byte)
      state = .plain
    }
  }

  @inline(__always)
  private mutating func append(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\t"): RowEncoder.append(escape: "t", to: &tail)
    case Self.lineFeed: RowEncoder.append(escape: "n", to: &tail)
    case Self.carriageReturn: RowEncoder.append(escape: "r", to: &tail)
    case UInt8(ascii: "\\"): RowEncoder.append(escape: "\\", to: &tail)
    default: tail.append(byte)
    }
  }

  private mutating func endRecord() {
    bytes.append(contentsOf: tail)
    tail.removeAll(keepingCapacity: true)
    line += 1
    for _ in firstLine..<line { bytes.append(Self.lineFeed) }
    firstLine = line
    state = .fieldStart
  }

  private mutating func finish() throws(CommandFailure) {
    switch state {
    case .quoted: throw failure("a quote is not closed")
    case .carriageReturn, .plain, .quote: endRecord()
    case .fieldStart: if !tail.isEmpty { endRecord() }
    }
  }

  private func failure(_ reason: String) -> CommandFailure { .line(firstLine, of: file.path, reason) }
}
