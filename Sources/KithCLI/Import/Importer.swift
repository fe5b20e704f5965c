import Kith

/// Turns rows into changes and applies them, file by file.
///
/// A row that breaks a rule of the graph is counted and skipped; an invalid line ends the import.
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
    _ kind: GraphComponent, _ blocks: any RowBlocks, to batch: inout SocialGraph.Batch
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
      if blocks.isBadlyEnded {
        throw .line(line + 1, of: report.path, "it ends in LF alone; the first line ends in CR LF, and so must all")
      }
    }
    if kind.relation != nil { progress.note("sorting \(kind.rawValue)…") }
    do throws(KithError) {
      let repeated = try batch.endEdges()
      if repeated.count > 0 {
        report.addedCount -= repeated.count
        report.skip(ImportReport.duplicate, line: repeated.firstPlace, count: repeated.count, Self.duplicateMessage)
      }
    } catch {
      throw .no(error.description)
    }
    report.seconds = (clock.now - began).seconds
    return report
  }

  /// Applies whole lines; `line` is the number of the last line before them, and afterwards of the last of them.
  private func apply(
    _ bytes: [UInt8], to batch: inout SocialGraph.Batch, line: inout Int, report: inout ImportReport
  ) throws(CommandFailure) {
    var parser = RowParser()
    while true {
      let (emptyCount, isAtRow) = parser.skipEmptyLines(bytes)
      line += emptyCount
      guard isAtRow else { return }
      line += 1
      let start = parser.offset
      if report.rowCount == 0, !report.hasHeader, RowParser.mayBeHeader(bytes[start...]) {
        report.hasHeader = report.kind.isHeader(RowParser.fields(bytes[start...]))
        if report.hasHeader {
          parser.skipLine(bytes)
          continue
        }
      }
      let change: Change
      do throws(MalformedRow) {
        change = try self.change(report.kind, bytes, &parser)
      } catch {
        var reason = Self.reason(error, of: report.kind, fieldCount: parser.fieldCount(bytes, from: start))
        if report.rowCount == 0, RowParser.mayBeHeader(bytes[start...]) {
          reason += "; a header names the columns in this order: \(report.kind.columns.joined(separator: " "))"
        }
        if RowParser.fields(bytes[start...]).first?.contains(",") == true { reason += "; is it CSV? --format csv" }
        throw .line(line, of: report.path, reason)
      }
      report.rowCount += 1
      do throws(KithError) {
        if try batch.importRow(change, place: line) {
          report.addedCount += 1
        } else {
          report.skip(ImportReport.duplicate, line: line, Self.duplicateMessage)
        }
      } catch {
        guard error.isBrokenRule else { throw .line(line, of: report.path, error.description) }
        report.skip(error.code, line: line, error.description)
      }
    }
  }

  @inline(__always)
  private func change(
    _ kind: GraphComponent, _ bytes: [UInt8], _ parser: inout RowParser
  ) throws(MalformedRow) -> Change {
    let first = try parser.integer(bytes)
    guard !parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
    guard kind != .users else {
      let name = try parser.text(bytes)
      guard parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
      return .addUser(id: UserID(first), username: name)
    }
    let second = try parser.integer(bytes)
    guard let relation = kind.relation else {
      guard !parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
      let time = try parser.integer(bytes)
      guard !parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
      let text = try parser.text(bytes)
      guard parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
      return .addPost(id: PostID(first), author: UserID(second), text: text, createdAt: Timestamp(time))
    }
    var time = self.time
    let hasTime = relation.schema.hasTime
    if hasTime && !parser.isAtRowEnd(bytes) { time = Timestamp(try parser.integer(bytes)) }
    guard parser.isAtRowEnd(bytes) else { throw Self.wrongFieldCount }
    return Change(EdgeChange(relation, UserID(first), second, at: hasTime ? time : nil))
  }

  private static let duplicateMessage = "it exists already"

  private static let wrongFieldCount = MalformedRow("a wrong number of fields")

  /// A wrong number of fields is reported first: with it, any other reason would mislead.
  private static func reason(_ error: MalformedRow, of kind: GraphComponent, fieldCount: Int) -> String {
    guard !kind.fieldCounts.contains(fieldCount) else { return "\(error.reason); a row is: \(kind.fields)" }
    return "\(counted(fieldCount, "field")); a row of \(kind.rawValue) is: \(kind.fields)"
  }
}

extension KithError {
  /// Whether a row breaks a rule of the graph, so that later rows can still be valid.
  fileprivate var isBrokenRule: Bool {
    switch self {
    case .unknownUser, .unknownUsername, .unknownPost, .usernameTaken, .userIDTaken, .postIDTaken, .invalidUsername,
      .textTooLong, .cannotFollowSelf, .blocked, .invalidRequest:
      true
    default: false
    }
  }
}
