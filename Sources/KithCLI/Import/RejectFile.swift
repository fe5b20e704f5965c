import Kith

/// The file of the rows that an import loses: one JSON object a line, each with the row and why it was rejected,
/// written as they come.
final class RejectFile {
  static let option = Option(
    "--rejects", "FILE", "a new file for the rows that break a rule: one JSON object a line, with the reason")
  private static let pieceByteCount = 64 << 10

  let path: String
  private let file: PrivateFile
  private var writer = JSONWriter()
  private var isFinished = false

  init(_ path: String) throws(CommandFailure) {
    self.path = path
    do throws(KithError) { file = try PrivateFile(path) } catch { throw .usage(error.sentence) }
  }

  /// Adds a row of a file.
  func add(_ row: ImportRow, of path: String, _ error: KithError) throws(CommandFailure) {
    writer.object { writer in
      writer.member("file", path.shownPath)
      writer.member("line", row.line)
      writer.member("code", error.code)
      writer.member("message", error.sentence)
      writer.object("row") { row.change.write(to: &$0) }
    }
    writer.newline()
    if writer.bytes.count >= Self.pieceByteCount { try flush() }
  }

  /// Gives the file its name once it is on the disk. Only the first call does anything.
  func finish() throws(CommandFailure) {
    if isFinished { return }
    isFinished = true
    try flush()
    do throws(KithError) {
      try file.finish()
    } catch {
      throw .no("\(path): the rejected rows cannot be kept: \(error.sentence)")
    }
  }

  private func flush() throws(CommandFailure) {
    do throws(KithError) {
      try file.append(writer.bytes)
    } catch {
      throw .no("\(path): the rejected rows cannot be kept: \(error.sentence)")
    }
    writer.removeAll()
  }
}
