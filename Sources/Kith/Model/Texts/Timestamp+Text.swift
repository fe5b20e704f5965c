/// Times as text, in UTC and independent of the locale.
extension Timestamp {
  /// `2024-02-29 23:59:07`
  package var text: String {
    let seconds = rawValue.flooredDivision(by: 1_000)
    let days = seconds.flooredDivision(by: 86_400)
    let second = seconds - days * 86_400
    let (year, month, day) = Self.civilDate(days: days)
    let fields = [month, day, second / 3_600, second / 60 % 60, second % 60].map { ($0 < 10 ? "0" : "") + String($0) }
    return "\(year)-\(fields[0])-\(fields[1]) \(fields[2]):\(fields[3]):\(fields[4])"
  }

  /// `2024-02-29 23:59:07.250 UTC`
  var exactText: String {
    let rest = rawValue % 1_000
    let milliseconds = String(rest < 0 ? rest + 1_000 : rest)
    return text + "." + String(repeating: "0", count: 3 - milliseconds.utf8.count) + milliseconds + " UTC"
  }

  /// Days since 1970-01-01 to a date of the Gregorian calendar.
  ///
  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`.
  private static func civilDate(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted.flooredDivision(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
  }
}

extension Int64 {
  /// Rounded down, so that times before 1970 have their dates, too.
  fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
