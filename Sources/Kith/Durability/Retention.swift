/// Which snapshots a store keeps, always with every journal since the oldest of them: so how far back one can go.
///
/// Whatever it says, the two newest sound snapshots stay.
public struct Retention: Hashable, Sendable {
  /// So many snapshots are kept at least; two are, if it is less.
  public var snapshotCount: Int
  /// Snapshots are kept as long as any instant of the last so many seconds needs them; nil for no such wish.
  public var seconds: Int?
  /// But no snapshot beyond the two newest is kept with which snapshots and journals take more bytes; nil for no limit.
  public var byteCount: Int64?

  /// The default is two snapshots.
  public init(snapshotCount: Int = 2, seconds: Int? = nil, byteCount: Int64? = nil) {
    self.snapshotCount = snapshotCount
    self.seconds = seconds
    self.byteCount = byteCount
  }

  static let leastSnapshotCount = 2

  /// Whether so many snapshots are enough, the oldest of which was written at a time.
  func isEnough(_ count: Int, backTo writtenAt: Timestamp, now: Timestamp) -> Bool {
    guard count >= max(snapshotCount, Self.leastSnapshotCount) else { return false }
    guard let seconds else { return true }
    let (age, overflows) = now.rawValue.subtractingReportingOverflow(writtenAt.rawValue)
    return overflows || age / 1_000 >= Int64(seconds)
  }
}
