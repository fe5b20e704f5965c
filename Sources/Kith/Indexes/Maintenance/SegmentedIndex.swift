/// A segmented index: a log-structured merge tree (LSM) in memory, as its maintainer sees it.
///
/// Entries are added to a mutable *memtable*. A full memtable is frozen. *Compactions* rewrite frozen memtables and
/// immutable *segments* (sorted runs) into fewer, larger segments. A deleted entry stays in its segment as a
/// *tombstone* until a compaction drops it; the row of the table distinguishes it from a live entry. The results of
/// queries do not depend on which compactions have run.
protocol SegmentedIndex: ~Copyable, SendableMetatype {
  associatedtype Compaction: IndexCompaction
  associatedtype Replaced

  /// Begins the next compaction that is due, if any. Takes a snapshot in O(1); the compaction does the work.
  /// - Parameter running: the inputs of the running compactions. The new one shares none of them.
  mutating func beginCompaction(besides running: [Range<UInt32>]) -> Compaction?

  /// Replaces the compaction's inputs with the segment.
  /// - Parameter segment: nil if no live entry was left.
  /// - Returns: what was replaced, for the caller to free outside the lock.
  mutating func install(_ segment: Compaction.Segment?, of compaction: Compaction) -> Replaced

  /// The idle compaction that is worth running if no entry is added for a while; nil if there is none.
  var idleCompaction: IdleCompaction? { get }

  /// Begins the idle compaction. No other compaction may be running.
  mutating func beginIdleCompaction() -> Compaction?
}

extension SegmentedIndex where Self: ~Copyable {
  var idleCompaction: IdleCompaction? { nil }
  mutating func beginIdleCompaction() -> Compaction? { nil }
}

/// A compaction that has begun: a function of an immutable snapshot. It needs no lock and runs on any thread.
protocol IndexCompaction: AnyObject, Sendable {
  associatedtype Segment: Sendable

  /// The generations of memtables, or the rows, that it rewrites. Compactions that run in parallel have disjoint
  /// inputs.
  var inputRange: Range<UInt32> { get }

  /// Builds the segment. Nil if no live entry is left, or if it was stopped.
  /// - Parameter isStopped: polled during the work; true if the segment is no longer needed.
  func segment(unless isStopped: () -> Bool) -> Segment?
}

/// A compaction that begins when no entry has been added for a while.
struct IdleCompaction: Equatable, Sendable {
  let idleMilliseconds: Int
  /// The version of the index. It changes with every added entry.
  let version: UInt64
}
