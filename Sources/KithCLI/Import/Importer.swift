import Kith

/// Turns rows into changes and applies them, file by file.
///
/// A row that breaks a rule of the graph is counted and passed over; a line that is no row ends the import.
struct Importer {
  private let time: Timestamp
  private let clock = ContinuousClock()
  private var progress: Progress

  /// - Parameter time: the time of rows without one.
  init(time: Timestamp, progress: Progress) {
    self.time = time
    self.progress = progress
  }

  mutating func apply(
    _ kind: RowKind, _ blocks: LineBlocks, to batch: inout Batch
  ) throws(CommandFailure) -> ImportReport {
    var blocks = blocks
    defer { blocks.file.close() }
    var report = ImportReport(kind: kind, path: blocks.file.path)
    let began = clock.now
    progress.begin(kind.rawValue)
    defer { progress.finish() }
    var line = 0
    while try blocks.next() {
      try apply(blocks.bytes, to: &batch, line: &line, report: &report)
      progress.update(done: report.rowCount, of: "rows", share: blocks.file.shareRead)
    }
    report.seconds = (clock.now - began).seconds
    return report
  }

  /// Applies whole lines; `line` is the number of the last line before them, then of the last of them.
  private func apply(
    _ bytes: [UInt8], to batch: inout Batch, line: inout Int, report: inout ImportReport
  ) throws(CommandFailure) {
    var parser = RowParser()
    while true {
      let (emptyCount, isAtRow) = parser.skipEmptyLines(bytes)
      line += emptyCount
      guard isAtRow else { return }
      line += 1
      let start = parser.offset
      let change: Change
      do throws(MalformedRow) {
        change = try self.change(report.kind, bytes, &parser)
      } catch {
        let reason = Self.reason(error, of: report.kind, fieldCount: parser.fieldCount(bytes, from: start))
        throw .line(line, of: report.path, reason)
      }
      report.rowCount += 1
      do throws(KithError) {
        if try batch.importChange(change).changed {
          report.addedCount += 1
        } else {
          report.skip("duplicate", line: line, "it is there already")
        }
      } catch {
        guard error.isBrokenRule else { throw .line(line, of: report.path, error.description) }
        report.skip(error.code, line: line, error.description)
      }
    }
  }

  @inline(__always)
  private func change(
    _ kind: RowKind, _ bytes: [UInt8], _ parser: inout RowParser
  ) throws(MalformedRow) -> Change {
    let first = try parser.integer(bytes)
    guard !parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
    if kind == .users {
      let name = try parser.text(bytes)
      guard parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
      return .addUser(id: UserID(first), username: name)
    }
    let second = try parser.integer(bytes)
    if kind == .posts {
      guard !parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
      let time = try parser.integer(bytes)
      guard !parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
      let text = try parser.text(bytes)
      guard parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
      return .addPost(id: PostID(first), author: UserID(second), text: text, createdAt: Timestamp(time))
    }
    var time = self.time
    if !parser.isAtRowEnd(bytes), kind == .follows || kind == .likes { time = Timestamp(try parser.integer(bytes)) }
    guard parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
    switch kind {
    case .likes: return .like(UserID(first), PostID(second), at: time)
    case .blocks: return .block(UserID(first), UserID(second))
    case .mutes: return .mute(UserID(first), UserID(second))
    default: return .follow(UserID(first), UserID(second), at: time)
    }
  }

  private static let wrongFieldCount = MalformedRow("a wrong number of fields")

  /// The number of fields is told first: with it wrong, any other reason would mislead.
  private static func reason(_ error: MalformedRow, of kind: RowKind, fieldCount: Int) -> String {
    guard !kind.fieldCounts.contains(fieldCount) else { return "\(error.reason); a row is: \(kind.fields)" }
    return "\(fieldCount) field\(fieldCount == 1 ? "" : "s"); a row of \(kind.rawValue) is: \(kind.fields)"
  }
}

extension KithError {
  /// Whether a row breaks a rule of the graph, so that the next one may still be good.
  fileprivate var isBrokenRule: Bool {
    switch self {
    case .unknownUser, .unknownPost, .usernameTaken, .idTaken, .invalidUsername, .textTooLong, .cannotFollowSelf,
      .blocked, .invalidRequest:
      true
    default: false
    }
  }
}
