extension SocialGraph {
  /// How many snapshots a store keeps. Every journal since the oldest kept snapshot is kept too. This bounds
  /// point-in-time recovery.
  ///
  /// The two newest intact snapshots are always kept.
  public struct Retention: Hashable, Sendable {
    /// The least number of snapshots kept; at least two.
    public var snapshotCount: Int
    /// Snapshots needed to restore any state of so long a time are kept; nil for none. One clock that was wrong removes
    /// none of them: of the intervals between snapshots, the first one that is longer does not count.
    public var duration: Duration?
    /// The most bytes of snapshots and journals. Snapshots beyond the two newest are removed to stay below it; nil for
    /// no limit.
    public var byteCount: Int64?

    /// The default is two snapshots.
    public init(snapshotCount: Int = 2, duration: Duration? = nil, byteCount: Int64? = nil) {
      self.snapshotCount = snapshotCount
      self.duration = duration
      self.byteCount = byteCount
    }

    static let leastSnapshotCount = 2

    /// Whether this many snapshots are enough, the oldest of which has a given age.
    func isEnough(_ count: Int, age: SnapshotAge) -> Bool {
      guard count >= max(snapshotCount, Self.leastSnapshotCount) else { return false }
      return duration == nil || age.isEnough
    }
  }
}

/// How old a snapshot is, by clocks of which one may have been wrong: the intervals between the snapshots since are
/// added up.
///
/// An interval below zero counts nothing, and neither does the first one that is longer than the whole period: a clock
/// that was once ahead or behind looks like that. A second one is believed.
struct SnapshotAge {
  private let period: Int64
  private var age: Int64 = 0
  private var last: Timestamp
  private var hasDoubted = false

  init(_ retention: SocialGraph.Retention, now: Timestamp) {
    period = Int64(max(.zero, retention.duration ?? .zero).wholeMilliseconds)
    last = now
  }

  /// Goes on to the next older snapshot.
  mutating func pass(_ writtenAt: Timestamp) {
    let (difference, overflows) = last.rawValue.subtractingReportingOverflow(writtenAt.rawValue)
    let interval = overflows ? (last < writtenAt ? 0 : Int64.max) : max(0, difference)
    last = writtenAt
    if interval > period && !hasDoubted {
      hasDoubted = true
    } else {
      age = age.addingReportingOverflow(interval).overflow ? .max : age + interval
    }
  }

  var isEnough: Bool { age >= period }
}
