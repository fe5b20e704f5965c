import Kith

/// The newest changes of a store, for those who watch them.
struct ChangeLog {
  static let limit = 1_024

  /// Ascending.
  private var entries: [(sequence: UInt64, change: Change)] = []

  mutating func add(_ changes: [Change], first: UInt64) {
    let dropped = max(0, changes.count - Self.limit)
    for (place, change) in changes.enumerated().dropFirst(dropped) { entries.append((first + UInt64(place), change)) }
    // Not one at a time: each removal moves the rest.
    if entries.count > 2 * Self.limit { entries.removeFirst(entries.count - Self.limit) }
  }

  /// The changes after one, at most the newest.
  func changes(after sequence: UInt64) -> ArraySlice<(sequence: UInt64, change: Change)> {
    let start = entries.lastIndex { $0.sequence <= sequence }.map { $0 + 1 } ?? 0
    return entries[start...].suffix(Self.limit)
  }
}

/// What one client is sent of the changes: at most so many a second, and how many were left out.
struct ChangeAllowance {
  static let countPerSecond = 200

  private let clock = ContinuousClock()
  private var second: ContinuousClock.Instant
  private var sentCount = 0
  private var skippedCount: UInt64 = 0
  /// The number of the last change that was sent or skipped.
  private(set) var sequence: UInt64

  init(after sequence: UInt64) {
    self.sequence = sequence
    second = clock.now
  }

  /// The events for new changes, and for those that were skipped in the second before.
  /// - Parameter last: the number of the graph's last change.
  mutating func events(_ changes: ArraySlice<(sequence: UInt64, change: Change)>, last: UInt64) -> [UInt8] {
    var events: [UInt8] = []
    if second.duration(to: clock.now) >= .seconds(1) {
      events += skippedEvent()
      second = clock.now
      sentCount = 0
    }
    for (number, change) in changes.prefix(Self.countPerSecond - sentCount) {
      skippedCount += number - sequence - 1
      events += EventStream.event("change") { change.write(to: &$0, sequence: number) }
      sequence = number
      sentCount += 1
    }
    let newest = max(last, changes.last?.sequence ?? 0)
    if newest > sequence, sentCount == Self.countPerSecond || changes.isEmpty {
      skippedCount += newest - sequence
      sequence = newest
    }
    return events
  }

  private mutating func skippedEvent() -> [UInt8] {
    if skippedCount == 0 { return [] }
    defer { skippedCount = 0 }
    return EventStream.event("skipped") { $0.member("count", skippedCount) }
  }
}
