import Kith

/// How the times of a file of rows are written.
enum TimeUnit: String, CaseIterable, Sendable {
  /// Milliseconds since 1970.
  case milliseconds = "ms"
  /// Seconds since 1970.
  case seconds = "s"
  /// As in RFC 3339.
  case iso

  static let option = Option(
    "--time-unit", "UNIT",
    "times of rows: ms (the default) or s, milliseconds or seconds since 1970, or iso, as 2024-02-29T23:59:07.5+01:00, "
      + "UTC without an offset",
    choices: allCases.map(\.rawValue))

  /// The milliseconds of a number.
  func milliseconds(_ number: Int64) throws(MalformedRow) -> Int64 {
    guard self == .seconds else { return number }
    let (milliseconds, overflows) = number.multipliedReportingOverflow(by: 1_000)
    guard !overflows else { throw MalformedRow("\(number) seconds are no time") }
    return milliseconds
  }

  /// The milliseconds of a text.
  static func milliseconds(_ text: String) throws(MalformedRow) -> Int64 {
    guard let milliseconds = parseTime(text, missingMilliseconds: 0) else {
      throw MalformedRow("\"\(text.shortened(to: 40))\" is no time such as 2024-02-29T23:59:07Z")
    }
    return milliseconds
  }
}

/// The times of rows that were read as milliseconds. Those before 1980 are seconds, most likely.
struct TimeTally: Sendable {
  /// 1980-01-01 in milliseconds: as seconds, that of 11,968.
  static let early: Int64 = 315_532_800_000

  private(set) var count = 0
  private(set) var earlyCount = 0
  /// The line and the milliseconds of the first early one.
  private(set) var first: (line: Int, milliseconds: Int64)?

  @inline(__always)
  mutating func note(_ milliseconds: Int64, line: Int) {
    count += 1
    guard milliseconds < Self.early else { return }
    earlyCount += 1
    if first == nil { first = (line, milliseconds) }
  }

  /// Adds the times of later rows.
  mutating func add(_ later: TimeTally) {
    count += later.count
    earlyCount += later.earlyCount
    first = first ?? later.first
  }

  /// What to tell about them; nil for nothing.
  var remark: String? {
    guard let first else { return nil }
    let (all, verb) = (earlyCount == count ? "all " : "", earlyCount == 1 ? "is" : "are")
    return "\(all)\(counted(earlyCount, "time")) \(verb) before 1980, as line \(first.line): "
      + "\(timeText(first.milliseconds)); if the file has seconds, give --time-unit s"
  }
}
