/// Parses a time as in RFC 3339, `2024-02-29T23:59:07.5+01:00`, or as `timeText` writes it, `2024-02-29 23:59:07`; UTC
/// without an offset. A day alone, `2024-02-29`, is its start, or its last second where a second includes its end.
///
/// Returns milliseconds since 1970; nil for invalid text.
/// - Parameter missingMilliseconds: the milliseconds of a time without a fraction. The last one of its second includes
///   everything that a list shows with this second.
func parseTime(_ text: String, missingMilliseconds: Int64 = 999) -> Int64? {
  if text.utf8.count == 10 {
    return parseTime(
      text + (missingMilliseconds == 0 ? "T00:00:00" : "T23:59:59"), missingMilliseconds: missingMilliseconds)
  }
  var digits = text.utf8[...]
  var offsetMinutes: Int64 = 0
  if let last = digits.last, "Zz".utf8.contains(last) {
    digits = digits.dropLast()
  } else if let offset = offsetMinutesAtEnd(of: digits) {
    offsetMinutes = offset
    digits = digits.dropLast(offsetByteCount)
  }
  let parts = digits.split(separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
  guard let whole = parts.first, whole.count == 19,
    let fraction = milliseconds(parts.dropFirst().first, missingMilliseconds)
  else {
    return nil
  }
  let shape = Array(whole)
  for (place, marks) in [(4, "-"), (7, "-"), (10, "Tt "), (13, ":"), (16, ":")]
  where !marks.utf8.contains(shape[place]) { return nil }
  func field(_ range: Range<Int>, in allowed: ClosedRange<Int64>) -> Int64? {
    number(shape[range]).flatMap { allowed.contains($0) ? $0 : nil }
  }
  guard let year = field(0..<4, in: 1970...9999), let month = field(5..<7, in: 1...12),
    let day = field(8..<10, in: 1...31), let hour = field(11..<13, in: 0...23),
    let minute = field(14..<16, in: 0...59), let second = field(17..<19, in: 0...59)
  else { return nil }
  let days = daysSince1970(year: year, month: month, day: day)
  // The 31st of a shorter month.
  guard daysSince1970(year: year + month / 12, month: month % 12 + 1, day: 1) > days else { return nil }
  return (((days * 24 + hour) * 60 + minute - offsetMinutes) * 60 + second) * 1_000 + fraction
}

/// `+01:00`
private let offsetByteCount = 6

private func offsetMinutesAtEnd(of text: Substring.UTF8View) -> Int64? {
  let offset = Array(text.suffix(offsetByteCount))
  guard offset.count == offsetByteCount, text.count > 19, "+-".utf8.contains(offset[0]), offset[3] == UInt8(ascii: ":"),
    let hours = number(offset[1..<3]), let minutes = number(offset[4..<6]), hours < 24, minutes < 60
  else { return nil }
  return (offset[0] == UInt8(ascii: "-") ? -1 : 1) * (hours * 60 + minutes)
}

private func number(_ digits: some Collection<UInt8>) -> Int64? {
  guard digits.allSatisfy({ 0x30 <= $0 && $0 <= 0x39 }) else { return nil }
  return digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
}

/// One to nine digits, of which those beyond the third are dropped.
private func milliseconds(_ digits: Substring.UTF8View?, _ missing: Int64) -> Int64? {
  guard let digits else { return missing }
  guard (1...9).contains(digits.count), number(digits) != nil, let value = number(digits.prefix(3)) else { return nil }
  return [100, 10, 1][min(digits.count, 3) - 1] * value
}

/// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
private func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
  let shifted = month <= 2 ? year - 1 : year
  let (era, yearOfEra) = (shifted / 400, shifted % 400)
  let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}
