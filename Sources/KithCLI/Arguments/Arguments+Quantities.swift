import Kith

/// Amounts with a unit.
extension Arguments {
  /// A number of bytes, with K, M, G or T for powers of 1,024, from 1 on.
  func byteCount(_ option: Option) throws(CommandFailure) -> Int64? {
    guard let text = value(option) else { return nil }
    let shift = ["K": 10, "M": 20, "G": 30, "T": 40][text.last.map { $0.uppercased() } ?? ""]
    let number = Int64(shift == nil ? text : String(text.dropLast())).map {
      $0.multipliedReportingOverflow(by: 1 << (shift ?? 0))
    }
    guard let number, !number.overflow, number.partialValue > 0 else {
      throw misuse("\(option.name) \(text): a number of bytes is needed, such as 500M or 8G")
    }
    return number.partialValue
  }

  /// A time with its unit: s, m, h or d; at most a year.
  func duration(_ option: Option) throws(CommandFailure) -> Duration? {
    guard let text = value(option) else { return nil }
    let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
      number > 0, number <= 366 * 86_400 / unit
    else {
      throw misuse("\(option.name) \(text): a time is needed, such as 30s, 15m, 6h or 7d")
    }
    return .seconds(number * unit)
  }

  /// Whether the value says that something never happens.
  func isNever(_ option: Option) -> Bool { value(option) == "never" }
}
