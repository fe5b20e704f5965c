import Kith

/// The outcome of one file.
struct ImportReport: Sendable {
  /// Rows that broke one rule: how many, and the line and message of the first.
  struct Skipped: Sendable {
    let reason: String
    var count: Int
    fileprivate(set) var firstLine: Int
    let firstMessage: String
  }

  /// The reason for skipping a row that exists already.
  static let duplicate = "duplicate"

  let kind: RowKind
  let path: String
  var rowCount = 0
  var addedCount = 0
  /// By the line of the first row.
  private(set) var skipped: [Skipped] = []
  var times = TimeTally()
  var seconds = 0.0

  init(kind: RowKind, path: String) {
    self.kind = kind
    self.path = path
  }

  var skippedCount: Int { rowCount - addedCount }
  /// The rows that break a rule, so that the graph lacks what they say.
  var lostCount: Int { skipped.reduce(0) { $1.reason == Self.duplicate ? $0 : $0 + $1.count } }
  /// Whether no row was added, and none existed already.
  var isFruitless: Bool { addedCount == 0 && !skipped.contains { $0.reason == Self.duplicate } }
  var rowsPerSecond: Int { seconds > 0 ? Int(Double(rowCount) / seconds) : 0 }

  mutating func skip(_ reason: String, line: Int, count: Int = 1, _ message: @autoclosure () -> String) {
    if let place = skipped.firstIndex(where: { $0.reason == reason }) {
      skipped[place].count += count
      skipped[place].firstLine = min(skipped[place].firstLine, line)
    } else {
      skipped.append(Skipped(reason: reason, count: count, firstLine: line, firstMessage: message()))
      skipped.sort { $0.firstLine < $1.firstLine }
    }
  }
}

/// The outcome of an import.
struct ImportSummary {
  let store: String
  let reports: [ImportReport]
  let counts: SocialGraph.Counts
  let sequence: UInt64
  /// The snapshot that committed the import; nil when nothing changed.
  let snapshotPath: String?
  /// Building the name index and writing the snapshot.
  let commitSeconds: Double
  let seconds: Double

  /// The file of the rows that were lost; nil if none was asked for.
  let rejectsPath: String?

  /// Whether no row of any file was added, and none existed already.
  var isFruitless: Bool { reports.allSatisfy(\.isFruitless) }

  /// What is reported of the rows that were lost; nil if there are none.
  var loss: String? {
    let lost = Self.skipped(reports).filter { $0.reason != ImportReport.duplicate }
    guard !lost.isEmpty else { return nil }
    let count = lost.reduce(0) { $0 + $1.count }
    let place = rejectsPath.map { "they are in \($0)" } ?? "\(RejectFile.option.name) FILE would keep them"
    return "\(counted(count, "row")) \(count == 1 ? "was" : "were") rejected (\(Self.text(of: lost))); \(place)"
  }

  /// Rows skipped over all files, by reason, most frequent first.
  static func skipped(_ reports: [ImportReport]) -> [(reason: String, count: Int)] {
    var total: [String: Int] = [:]
    for skipped in reports.flatMap(\.skipped) { total[skipped.reason, default: 0] += skipped.count }
    return total.map { (reason: $0.key, count: $0.value) }.sorted { ($1.count, $0.reason) < ($0.count, $1.reason) }
  }

  /// `5 unknownUser, 1 usernameTaken`
  static func text(of reasons: [(reason: String, count: Int)]) -> String {
    reasons.map { "\(grouped($0.count)) \($0.reason)" }.joined(separator: ", ")
  }

  /// - Parameter isKept: whether the rows that could be added were.
  static func text(of reports: [ImportReport], isKept: Bool = true) -> String {
    var table = Table([.left, .right, .right, .right, .right, .right])
    table.addHeading("", "rows", isKept ? "added" : "valid", "skipped", "seconds", "rows/s")
    for report in reports {
      table.add(
        report.kind.name, grouped(report.rowCount), grouped(report.addedCount), grouped(report.skippedCount),
        decimal(report.seconds, places: 2), grouped(report.rowsPerSecond))
    }
    var text = table.text()
    for report in reports {
      for skipped in report.skipped {
        text += "  skipped \(report.kind.counted(skipped.count)), \(skipped.reason)"
        text += "; first at \(printable(report.path)):\(skipped.firstLine): \(printable(skipped.firstMessage))\n"
      }
    }
    return text
  }

  var text: String {
    let commit = snapshotPath.map { "committed in \(decimal(commitSeconds, places: 2)) s: \(printable($0))" }
    return """
      \(Self.text(of: reports))  \(commit ?? "nothing changed, nothing was written")
      \(printable(store)): \(counts.text), sequence \(grouped(sequence)), in \(decimal(seconds, places: 2)) s

      """
  }

  func write(to writer: inout JSONWriter) {
    writer.member("store", store)
    Self.write(reports, isKept: true, to: &writer)
    writer.member("rejects", stringOrNull: rejectsPath?.shownPath)
    writer.object("counts") { counts.write(to: &$0) }
    writer.member("sequence", sequence)
    writer.member("snapshot", stringOrNull: snapshotPath)
    writer.member("commitMilliseconds", Int((commitSeconds * 1_000).rounded()))
    writer.member("milliseconds", Int((seconds * 1_000).rounded()))
  }
}

extension ImportSummary {
  /// The files, and what was skipped over all of them.
  static func write(_ reports: [ImportReport], isKept: Bool, to writer: inout JSONWriter) {
    writer.member("committed", isKept)
    writer.array("files", reports) { writer, report in
      writer.object { report.write(to: &$0, isKept: isKept) }
    }
    writer.object("skipped") { writer in
      for (reason, count) in skipped(reports) { writer.member(reason, count) }
    }
    writer.member("rejected", reports.reduce(0) { $0 + $1.lostCount })
  }
}

extension ImportReport {
  fileprivate func write(to writer: inout JSONWriter, isKept: Bool) {
    switch kind {
    case .component(let component): writer.member("kind", component.rawValue)
    case .edges(let relation):
      writer.member("kind", "edges")
      writer.member("relation", relation)
    }
    writer.member("file", path.shownPath)
    writer.member("rows", rowCount)
    writer.member(isKept ? "added" : "valid", addedCount)
    writer.object("skipped") { writer in
      for skipped in skipped { writer.member(skipped.reason, skipped.count) }
    }
    writer.member("timesBefore1980", times.earlyCount)
    writer.member("milliseconds", Int((seconds * 1_000).rounded()))
    writer.member("rowsPerSecond", rowsPerSecond)
  }
}
