/// The text of axis labels and rates.

/// `1 µs` for a tick, which is 1, 2 or 5 of a power of ten.
func latencyTick(_ nanoseconds: Double) -> String {
  var (value, unit) = (nanoseconds, "ns")
  for larger in ["µs", "ms", "s"] where value >= 1_000 { (value, unit) = (value / 1_000, larger) }
  return "\(decimal(value, places: 0)) \(unit)"
}

/// `1,000`, `10 k`, `2.5 M`
func countTick(_ count: Double) -> String {
  let (value, unit) = count >= 1e6 ? (count / 1e6, " M") : count >= 1e4 ? (count / 1e3, " k") : (count, "")
  return decimal(value, places: value == value.rounded() || unit.isEmpty ? 0 : 1) + unit
}

/// `1.85 M`, `420 k`
func rateText(_ perSecond: Double) -> String {
  if perSecond >= 1e6 { return "\(decimal(perSecond / 1e6, places: perSecond >= 1e7 ? 1 : 2)) M" }
  return perSecond >= 1e4 ? "\(decimal(perSecond / 1e3, places: 0)) k" : grouped(Int(perSecond))
}
