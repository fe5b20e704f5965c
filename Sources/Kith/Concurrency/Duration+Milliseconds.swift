extension Duration {
  /// The whole milliseconds; the greatest number for more of them.
  var wholeMilliseconds: Int {
    let (seconds, rest) = components
    let (milliseconds, overflows) = Int(seconds).multipliedReportingOverflow(by: 1_000)
    let (sum, exceeds) = milliseconds.addingReportingOverflow(Int(rest / 1_000_000_000_000_000))
    return overflows || exceeds ? (seconds < 0 ? .min : .max) : sum
  }
}
