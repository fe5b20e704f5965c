extension SocialGraph {
  /// How many snapshots a store keeps. Every journal since the oldest kept snapshot is kept too. This bounds
  /// point-in-time recovery.
  ///
  /// The two newest intact snapshots are always kept.
  public struct Retention: Hashable, Sendable {
    /// The least number of snapshots kept; at least two.
    public var snapshotCount: Int
    /// Snapshots needed to restore any state of the last so many seconds are kept; nil for none.
    public var seconds: Int?
    /// The most bytes of snapshots and journals. Snapshots beyond the two newest are removed to stay below it; nil for
    /// no limit.
    public var byteCount: Int64?

    /// The default is two snapshots.
    public init(snapshotCount: Int = 2, seconds: Int? = nil, byteCount: Int64? = nil) {
      self.snapshotCount = snapshotCount
      self.seconds = seconds
      self.byteCount = byteCount
    }

    static let leastSnapshotCount = 2

    /// Whether this many snapshots are enough, the oldest of which was written at a given time.
    func isEnough(_ count: Int, backTo writtenAt: Timestamp, now: Timestamp) -> Bool {
      guard count >= max(snapshotCount, Self.leastSnapshotCount) else { return false }
      guard let seconds else { return true }
      let (age, overflows) = now.rawValue.subtractingReportingOverflow(writtenAt.rawValue)
      return overflows || age / 1_000 >= Int64(seconds)
    }
  }
}
