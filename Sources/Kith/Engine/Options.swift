extension SocialGraph {
  /// Options of a graph and its store.
  public struct Options: Hashable, Sendable {
    /// How durable a change is when its call returns.
    public var durability: Durability = .synced
    /// Writes a snapshot after this many changes; nil for never.
    public var snapshotAfterChangeCount: Int? = 10_000_000
    /// Writes a snapshot after this many bytes of changes in the journal; nil for never.
    public var snapshotAfterByteCount: Int? = 1 << 30
    /// Writes a snapshot so long after the first change since the last one; nil for never.
    public var snapshotAfter: Duration? = .seconds(3_600)
    /// The rate limit of automatic snapshots, in bytes of columns per second, before compression; nil for no limit. A
    /// lower rate leaves more of the disk and of the cores to other work.
    public var snapshotBytesPerSecond: Int?
    /// The cores that an automatic snapshot may use; nil for all but one, which is left to a writer. `snapshot()` uses
    /// all.
    public var snapshotCoreCount: Int?
    /// The time after which a store whose disk failed or was full first tries to recover by writing a snapshot. The
    /// delay doubles with each attempt, up to five minutes. Nil for never. `snapshot()` tries at once.
    public var healAfter: Duration? = .seconds(5)
    /// Notifies the host (`StoreEvent.diskLow`) when the store's disk has fewer free bytes than this.
    public var lowDiskByteCount: Int64 = 1 << 30
    /// Whether `SocialGraph.statistics()` has the latencies of queries and changes. Off, they cost nothing; on, about
    /// 0.1 µs each, and a megabyte.
    public var measuresLatency: Bool = false
    /// How much is indexed to find posts by words. The results of queries do not depend on it.
    public var postIndex: PostIndexing = .textsAndAuthors
    /// Whether the texts of posts are compressed in memory: to 0.45 of their bytes where people chat, each by itself,
    /// after the first megabyte. Results and files do not depend on it. Reading a text then takes about 45 ns more, and
    /// adding one about a microsecond; opening a store, a second for 100 MB of texts; a search of posts, a seventh to a
    /// half longer.
    public var compressTexts: Bool = false
    /// Which snapshots are kept, and so the range of point-in-time recovery.
    public var retention: Retention = Retention()
    /// Whether follows, likes, blocks and mutes are kept in as few bits as they need: eight to ten bytes each, instead
    /// of about thirteen. The files of a store are the same, so it may be opened with or without. What reads or changes
    /// many edges gets slower: <doc:PerformanceAndMemory> says how much.
    public var compactLists: Bool = false
    /// When two usernames count as equal, so that only one user may have them. Checked when users are added and
    /// renamed. It is not stored in the files, and replay ignores it. Opening a graph that violates it throws
    /// `usernamesCollide`.
    public var uniqueNames: UniqueNames = .exact
    /// The most users at one time; nil for no limit. A change that would exceed a limit throws `limitExceeded` and has
    /// no effect. The same holds for a batch with such a change, and for opening a graph that exceeds a limit.
    public var maximumUserCount: Int?
    /// The most posts at one time; nil for no limit.
    public var maximumPostCount: Int?
    /// The most bytes of the graph (`MemoryReport.byteCount`); nil for no limit. At the limit, changes that add
    /// anything throw `limitExceeded`; removals succeed. The graph exceeds the limit at most by what one change adds: a
    /// page or two, rarely more. A bulk import counts what it builds at its end before it accepts a row. Memory held
    /// only by pins is not counted.
    ///
    /// A store that grew under the limit opens again with it: opening allows an eighth and two megabytes more, and
    /// counts compressed texts with the fewest bytes that they can take, 3/16 of the plain ones. An external snapshot
    /// whose graph would take more than a gibibyte, and more than 200 times the bytes of the file, is read only if this
    /// limit allows it.
    public var maximumByteCount: Int?

    /// The defaults: every change is synced before it is acknowledged. A snapshot is written after ten million changes,
    /// a gibibyte of journal or an hour, whichever comes first, on all cores but one. The full post index. Usernames
    /// unique by exact text.
    public init() {}

    /// The defaults, but for what `change` sets.
    package init(_ change: (inout Options) -> Void) { change(&self) }

    var form: GraphForm { GraphForm(lists: compactLists ? .compact : .plain, compressesTexts: compressTexts) }
  }
}

extension SocialGraph {
  /// When two usernames count as equal.
  @nonexhaustive
  public enum UniqueNames: String, CaseIterable, Hashable, Sendable {
    /// If their texts are equal after NFC. Real nicknames may differ only by case.
    case exact
    /// If their loose keys are equal, which ignores case and accents. Users are then found by name in the same way.
    /// Names with an empty loose key, such as a lone accent, all count as equal. Takes about ten bytes of memory per
    /// user.
    case loose
  }
}

extension SocialGraph {
  /// How durable a change is when its call returns.
  @nonexhaustive
  public enum Durability: String, Hashable, Sendable {
    /// Synced to disk: survives a power failure.
    case synced
    /// Written to the operating system: survives a crash of the process, not of the machine.
    case flushed
    /// In memory only, until the next snapshot.
    case memory
  }
}

extension SocialGraph {
  /// How to open a store.
  public enum Access: Sendable {
    /// For reading and writing: takes the store's lock.
    case readWrite
    /// For reading only.
    case readOnly
  }
}
