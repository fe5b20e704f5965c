import Kith

/// Whether a log has the history of a place in it.
enum LogHistory: Hashable, Sendable {
  case same
  /// The record of the place was removed, and the next one does not show it.
  case trimmed
  case other(String)

  static func compare(_ place: LogPlace, with log: any ReplicationLog) async throws(KithError) -> LogHistory {
    if place.position == 0 { return .same }
    let found: LogRecord?
    do throws(KithError) {
      found = try await log.read(after: place.position - 1, byteLimit: 1, timeout: .zero).first
    } catch {
      if case .diverged(_, let reason) = error { return .other(reason) }
      throw error
    }
    guard let record = found else { return .other("the log ends before position \(place.position)") }
    if record.position != place.position { return .trimmed }
    return record.chain == place.chain ? .same : .other("record \(record.position) is of another history")
  }
}
