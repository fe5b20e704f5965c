/// Reads requests from one stream and writes their answers to another, up to the end of the input.
///
/// Answers are written when the next read would block, and when there are many.
struct RequestLoop {
  private static let readByteCount = 256 << 10
  private static let flushByteCount = 64 << 10
  /// How often watched answers are looked at that others may have changed.
  private static let watchMilliseconds: Int32 = 20

  let input: ByteStream
  let output: ByteStream
  /// Whether other sessions change the graph too.
  let isShared: Bool
  /// Set when no further request may be answered: the answers that there are are written, and the loop ends.
  var cut: StopFlag?

  private var isCut: Bool { cut?.isSet == true }

  func run(_ session: inout QuerySession) throws(ByteStream.Failure) {
    session.isAbandoned = { [output, cut] in cut?.isSet == true || output.waitForHangUp(milliseconds: 0) }
    var splitter = LineSplitter()
    var answers = JSONWriter()
    var chunk = [UInt8](repeating: 0, count: Self.readByteCount)
    while true {
      while !isCut, let line = splitter.next() {
        session.answer(line, to: &answers)
        try flushIfFull(&answers)
        try session.push(to: &answers, flush: flushIfFull)
      }
      if isCut { return try flush(&answers) }
      if !input.isReadable { try flush(&answers) }
      while isShared, session.isWatching, !input.waitUntilReadable(milliseconds: Self.watchMilliseconds) {
        try session.push(to: &answers, flush: flushIfFull)
        try flush(&answers)
      }
      let count = try input.read(into: &chunk)
      if count == 0 { break }
      splitter.feed(chunk[..<count])
    }
    if let line = splitter.last() { session.answer(line, to: &answers) }
    try session.push(to: &answers, flush: flushIfFull)
    try flush(&answers)
  }

  private func flushIfFull(_ answers: inout JSONWriter) throws(ByteStream.Failure) {
    if answers.bytes.count >= Self.flushByteCount { try flush(&answers) }
  }

  private func flush(_ answers: inout JSONWriter) throws(ByteStream.Failure) {
    if answers.bytes.isEmpty { return }
    try output.write(answers.bytes)
    answers.removeAll()
  }
}
