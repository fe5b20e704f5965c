import Kith

/// Applies the rows of files, file by file.
///
/// A row that breaks a rule of the graph is counted and skipped; an invalid line ends the import.
struct Importer {
  /// The rows between the one that is applied and the one whose memory is prefetched.
  private static let rowsAhead = 8

  private let clock = ContinuousClock()
  private var progress: Progress
  private let rejects: RejectFile?

  /// - Parameter rejects: takes the rows that break a rule.
  init(progress: Progress, rejects: RejectFile?) {
    self.progress = progress
    self.rejects = rejects
  }

  mutating func apply(_ reader: RowReader, to batch: inout SocialGraph.Batch) throws(CommandFailure) -> ImportReport {
    defer { reader.close() }
    let kind = reader.kind
    var report = ImportReport(kind: kind, path: reader.path)
    let began = clock.now
    progress.begin(kind.name)
    defer { progress.finish() }
    while let next = reader.next() {
      for index in next.rows.indices {
        if index + Self.rowsAhead < next.rows.count { batch.prefetch(next.rows[index + Self.rowsAhead].change) }
        try apply(next.rows[index], to: &batch, &report)
      }
      if let failure = next.failure { throw failure }
      report.times.add(next.times)
      progress.update(done: report.rowCount, of: "rows", share: next.shareRead)
    }
    if kind.areEdges { progress.note("sorting \(kind.name)…") }
    do throws(KithError) {
      let repeated = try batch.endEdges()
      if repeated.count > 0 {
        report.addedCount -= repeated.count
        report.skip(ImportReport.duplicate, line: repeated.firstPlace, count: repeated.count, Self.duplicateMessage)
      }
    } catch {
      throw .no(error.sentence)
    }
    if let remark = report.times.remark { Console.note(reader.path, remark) }
    report.seconds = (clock.now - began).seconds
    return report
  }

  @inline(__always)
  private func apply(
    _ row: ImportRow, to batch: inout SocialGraph.Batch, _ report: inout ImportReport
  ) throws(CommandFailure) {
    report.rowCount += 1
    do throws(KithError) {
      if try batch.importRow(row.change, place: row.line) {
        report.addedCount += 1
      } else {
        report.skip(ImportReport.duplicate, line: row.line, Self.duplicateMessage)
      }
    } catch {
      guard error.isBrokenRule else { throw .line(row.line, of: report.path, error.sentence) }
      report.skip(error.code, line: row.line, error.sentence)
      try rejects?.add(row, of: report.path, error)
    }
  }

  private static let duplicateMessage = "it exists already"
}

extension KithError {
  /// Whether a row breaks a rule of the graph, so that later rows can still be valid.
  fileprivate var isBrokenRule: Bool {
    switch self {
    case .unknownUser, .unknownUsername, .unknownPost, .usernameTaken, .userIDTaken, .postIDTaken, .invalidUsername,
      .textTooLong, .cannotFollowSelf, .blocked, .missingEdge, .invalidRequest:
      true
    default: false
    }
  }
}
