/// Fewer tiers for those who search, once no name comes any more.
///
/// The merges that are due (`dueMerge`) keep writing cheap: they leave up to three segments of each size and a head,
/// and every search looks all of them through. When no name has come for a while, the youngest tiers are merged
/// further, and the head with them:
/// - after a tenth of a second, as many as together hold at most eight times the names behind the oldest of them.
///   However often names rest, each is rewritten about eight times more for every eightfold of the index; and of what
///   is left, each tier holds more than seven times the names of all younger ones.
/// - after a hundred times what the merge takes, whatever their sizes are, down to one segment: all of these together
///   take no more than a hundredth of one core.
///
/// The first bounds the ratio of sizes, as the universal compaction of RocksDB does; the second is the full compaction
/// of shards gone cold of InfluxDB (`compact-full-write-cold-duration`), with a time that grows with the work.
extension NameIndex {
  /// How many times the names that came behind a tier may be rewritten for them to join it.
  private static let growthAtRest = 8
  /// A moment without names that is no pause between two of one stream.
  private static let shortestQuietMilliseconds = 100
  /// Names rewritten for each millisecond of quiet: a merge does a hundred times as many.
  private static let namesPerQuietMillisecond = 20

  /// Which tiers are to be merged next, with the head, while no name comes, and how long none must have come before.
  struct Rest: Equatable {
    /// These tiers and all behind them.
    let firstTier: Int
    let quietMilliseconds: Int
  }

  /// Nil when there is nothing to be won, and while merges are due anyway.
  /// - Complexity: O(tiers + blocks of the head).
  var rest: Rest? {
    if dueMerge() != nil { return nil }
    var rest: Rest?
    var youngerCount = head.count
    var keyByteCount = head.keyByteCount
    for index in tiers.indices.reversed() {
      keyByteCount += tiers[index].keyByteCount
      if keyByteCount > NameSegment.maximumKeyByteCount { break }
      let count = tiers[index].count - tiers[index].deadCount + youngerCount
      let isCheap = count <= Self.growthAtRest * youngerCount
      // A head that is small beside the only tier may stay: names that come go into one anyway.
      if isCheap || index + 1 < tiers.count {
        let quiet = isCheap ? 0 : count / Self.namesPerQuietMillisecond
        let next = Rest(firstTier: index, quietMilliseconds: max(quiet, Self.shortestQuietMilliseconds))
        if rest.map({ next.quietMilliseconds <= $0.quietMilliseconds }) ?? true { rest = next }
      }
      youngerCount = count
    }
    return rest
  }

  /// The moment of the youngest name. While it stays the same, none came (but for one that took the place of another
  /// of the youngest).
  struct Moment: Equatable {
    fileprivate let headSerial: UInt32
    fileprivate let headCount: Int
  }

  var moment: Moment { Moment(headSerial: headSerial, headCount: head.count) }

  /// The merge of names at rest, to be run elsewhere and brought back to `adopt`. No other may be running.
  mutating func beginRestMerge(names: inout TextColumn) -> NameMerge? {
    guard let rest else { return nil }
    if head.count > 0 { freezeHead(names: names) }
    return beginMerge(of: rest.firstTier..<tiers.count, names: &names)
  }
}
