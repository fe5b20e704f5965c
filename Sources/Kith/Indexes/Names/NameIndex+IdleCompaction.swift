/// Idle compaction: reduces the number of sorted runs when no names are being added.
///
/// The compactions that are due (`dueCompaction`) keep writes cheap. They leave up to three segments per level and a
/// memtable, and every search reads all of them. When no name has been added for a while, the youngest sorted runs and
/// the memtable are compacted further:
/// - After a tenth of a second: as many runs as together hold at most eight times the names younger than the oldest of
///   them. However often the stream of names pauses, each name is rewritten about eight more times for every eightfold
///   growth of the index. Afterwards each run holds more than seven times the names of all younger runs.
/// - After a hundred times the duration of the compaction: all runs, down to one segment, whatever their sizes. These
///   compactions together take at most a hundredth of one core.
///
/// The first rule bounds the ratio of sizes, as RocksDB's universal compaction does. The second is InfluxDB's full
/// compaction of cold shards (`compact-full-write-cold-duration`), with a delay proportional to the work.
extension NameIndex {
  /// A sorted run is included if it and the younger ones hold at most this many times the names younger than it.
  private static let idleGrowthFactor = 8
  /// The shortest delay. A shorter pause may occur within one stream of names.
  private static let shortestIdleMilliseconds = 100
  /// Names to rewrite per millisecond of delay. A compaction rewrites a hundred times as many per millisecond.
  private static let namesPerIdleMillisecond = 20

  /// The sorted runs to compact next, with the memtable, and how long no name must have been added before.
  struct IdlePlan: Equatable {
    /// The oldest input; all younger runs are inputs, too.
    let firstRun: Int
    let idleMilliseconds: Int
  }

  /// Nil if idle compaction would gain nothing, and while other compactions are due.
  /// - Complexity: O(sorted runs + blocks of the memtable).
  var idlePlan: IdlePlan? {
    if dueCompaction() != nil { return nil }
    var plan: IdlePlan?
    var youngerCount = memtable.count
    var keyByteCount = memtable.keyByteCount
    for index in sortedRuns.indices.reversed() {
      keyByteCount += sortedRuns[index].keyByteCount
      if keyByteCount > NameSegment.maximumKeyByteCount { break }
      let count = sortedRuns[index].liveCount + youngerCount
      let isCheap = count <= Self.idleGrowthFactor * youngerCount
      // A memtable that is small beside the only sorted run may stay: new names need a memtable anyway.
      if isCheap || index + 1 < sortedRuns.count {
        let delay = isCheap ? 0 : count / Self.namesPerIdleMillisecond
        let next = IdlePlan(firstRun: index, idleMilliseconds: max(delay, Self.shortestIdleMilliseconds))
        if plan.map({ next.idleMilliseconds <= $0.idleMilliseconds }) ?? true { plan = next }
      }
      youngerCount = count
    }
    return plan
  }

  /// Whether the last name that was added made the compaction of the memtable with the only sorted run worth its cost.
  /// The maintainer found nothing to wait for before, and would not ask again until the memtable is full.
  var beginsIdlePlan: Bool {
    guard sortedRuns.count == 1 else { return false }
    let growth = Self.idleGrowthFactor - 1
    let worthwhile = growth * (memtable.count - 1)..<growth * memtable.count
    return worthwhile.contains(sortedRuns[0].liveCount - 1)
  }

  /// Changes with every added name, except if a name was removed from the memtable and another added.
  var version: UInt64 { UInt64(memtableGeneration) << 32 | UInt64(memtable.count) }

  var idleCompaction: IdleCompaction? {
    idlePlan.map { IdleCompaction(idleMilliseconds: $0.idleMilliseconds, version: version) }
  }

  /// Begins the idle compaction, if any. No other compaction may be running.
  mutating func beginIdleCompaction(names: inout TextColumn) -> NameCompaction? {
    guard let idlePlan else { return nil }
    if memtable.count > 0 { freezeMemtable(names: names) }
    return beginCompaction(of: idlePlan.firstRun..<sortedRuns.count, names: &names)
  }
}
