/// How a graph is kept.
public struct Options: Hashable, Sendable {
  /// How safe a change is when its verb returns.
  public var durability: Durability
  /// A snapshot is written after so many changes; nil for never.
  public var snapshotAfterChangeCount: Int?
  /// A snapshot is written after so many bytes of changes in the journal; nil for never.
  public var snapshotAfterByteCount: Int?
  /// A snapshot is written so many seconds after the first change since the last one; nil for never.
  public var snapshotAfterSeconds: Int?
  /// How fast a snapshot that begins by itself is written at most, in bytes of columns a second, before compression;
  /// nil for as fast as can be. A slower one leaves more of the disk and of the cores to everything else.
  public var snapshotBytesPerSecond: Int?
  /// How many cores a snapshot that begins by itself may use; nil for all but one, so that a writer keeps one to
  /// itself. `snapshot()` uses all.
  public var snapshotCoreCount: Int?
  /// A store whose disk failed, or was full, tries after so many seconds to heal itself by a snapshot, and again after
  /// twice as many, up to five minutes; nil for never. `snapshot()` does it at once.
  public var healAfterSeconds: Int?
  /// The host is told (`StoreEvent.diskLow`) when the store's disk has less room than so many bytes.
  public var lowDiskByteCount: Int64
  /// What is kept in memory to find posts by their words. Answers do not depend on it.
  public var postIndex: PostIndexing
  /// Which snapshots stay in the store, and so how far back one can go.
  public var retention: Retention
  /// Users there may be at the same time; nil for as many as memory holds. A change that would exceed a limit fails
  /// with `limitExceeded` and changes nothing; so does a batch that holds it, and opening what holds more.
  public var maximumUserCount: Int?
  /// Posts there may be at the same time; nil for as many as memory holds.
  public var maximumPostCount: Int?
  /// Bytes that the graph may take (`MemoryReport.byteCount`); nil for all there are. Once it takes as many, changes
  /// that add anything fail with `limitExceeded`, while those that take away go on; so it exceeds the limit by what one
  /// change adds at most, which is a page or two, rarely more. What pins keep besides is not counted.
  public var maximumByteCount: Int?

  /// The defaults: every change on the disk before it is acknowledged; a snapshot after ten million changes, a gibibyte
  /// of journal or an hour, whichever comes first, on all cores but one; all of the index of posts.
  public init(
    durability: Durability = .synced, snapshotAfterChangeCount: Int? = 10_000_000,
    snapshotAfterByteCount: Int? = 1 << 30, snapshotAfterSeconds: Int? = 3_600, snapshotBytesPerSecond: Int? = nil,
    snapshotCoreCount: Int? = nil, healAfterSeconds: Int? = 5, lowDiskByteCount: Int64 = 1 << 30,
    retention: Retention = Retention(), postIndex: PostIndexing = .textsAndAuthors,
    maximumUserCount: Int? = nil, maximumPostCount: Int? = nil, maximumByteCount: Int? = nil
  ) {
    self.durability = durability
    self.snapshotAfterChangeCount = snapshotAfterChangeCount
    self.snapshotAfterByteCount = snapshotAfterByteCount
    self.snapshotAfterSeconds = snapshotAfterSeconds
    self.snapshotBytesPerSecond = snapshotBytesPerSecond
    self.snapshotCoreCount = snapshotCoreCount
    self.healAfterSeconds = healAfterSeconds
    self.lowDiskByteCount = lowDiskByteCount
    self.retention = retention
    self.postIndex = postIndex
    self.maximumUserCount = maximumUserCount
    self.maximumPostCount = maximumPostCount
    self.maximumByteCount = maximumByteCount
  }
}

/// How safe a change is when its verb returns.
public enum Durability: String, Hashable, Sendable {
  /// On the disk: it survives a power cut.
  case synced
  /// With the operating system: it survives the end of the process, not of the machine.
  case flushed
  /// In memory alone, until the next snapshot.
  case memory
}
