extension SocialGraph {
  /// What a graph has done since it was opened, and what it is doing. Histograms of durations are in nanoseconds.
  ///
  /// Each number is exact, but they are read one after another, while the graph is at work.
  public struct Statistics: Codable, Hashable, Sendable {
    /// Queries or changes of one kind.
    public struct Operation: Codable, Hashable, Sendable {
      /// How long each took, whether it failed or not.
      public let nanoseconds: LogLinearHistogram
      /// How many threw an error.
      public let failureCount: Int
    }

    /// What makes changes durable. All is zero for a graph in memory.
    public struct Commits: Codable, Hashable, Sendable {
      /// Changes that were applied and are not yet durable: the length of the commit queue.
      public let pendingChangeCount: Int
      /// Threads that wait for a sync which another thread leads.
      public let waiterCount: Int
      /// The number of changes of each group that was written together.
      public let groupSizes: LogLinearHistogram
      /// How long writing and syncing each group took. Empty unless the durability is `synced`.
      public let syncNanoseconds: LogLinearHistogram
    }

    /// MVCC snapshots in memory (`SocialGraph.pin`) that are held, those of the engine included.
    public struct Pins: Codable, Hashable, Sendable {
      /// How many are held.
      public let count: Int
      /// The age of the oldest; nil without any. An old pin keeps every page that was written since.
      public let oldestNanoseconds: Int?
    }

    /// Background compactions of one search index.
    public struct Compactions: Codable, Hashable, Sendable {
      /// How many are running.
      public let runningCount: Int
      /// How long each took that has ended.
      public let nanoseconds: LogLinearHistogram
    }

    /// Snapshot files of the store.
    public struct Snapshots: Codable, Hashable, Sendable {
      /// How many failed, or were cancelled by `close`.
      public internal(set) var failureCount = 0
      /// The bytes of all files that were written.
      public internal(set) var byteCount = 0
      /// How long each took that succeeded.
      public internal(set) var nanoseconds = LogLinearHistogram()
      /// The last one that succeeded.
      public internal(set) var last: SnapshotInfo?
    }

    /// The last thing that failed in the store.
    public struct Failure: Codable, Hashable, Sendable {
      /// The name of the event: `journalFailed`, `snapshotFailed` or `diskLow`.
      public let name: String
      /// What failed, in one sentence.
      public let message: String
      /// When it failed.
      public let time: Timestamp
      /// Whether it has ended: the journal was recovered, a snapshot was written, or the disk has space again.
      public internal(set) var isOver = false

      init(event: StoreEvent, time: Timestamp) {
        name = event.name
        message = event.sentence
        self.time = time
      }
    }

    /// When this was read.
    public let time: Timestamp
    /// The sequence number of the last change. It counts the changes that had an effect, since the graph was new.
    public let sequence: UInt64
    /// The numbers of users, posts and edges.
    public let counts: Counts
    /// The bytes of the graph in memory: `MemoryReport.byteCount`.
    public let byteCount: Int
    /// Whether changes are accepted now: the graph is open for writing, and nothing has failed that refuses them.
    public let acceptsChanges: Bool
    /// The last failure of the store since it was opened; nil for none, and for a graph in memory.
    public let lastFailure: Failure?
    /// The queries and changes since the graph was opened. Empty unless `Options.measuresLatency` is on or the graph
    /// has an instrument.
    public let operations: [GraphOperation: Operation]
    /// How long each change waited for readers and for other changes before it was applied. Empty if `operations` is.
    public let lockWaitNanoseconds: LogLinearHistogram
    /// What makes changes durable.
    public let commits: Commits
    /// The MVCC snapshots that are held.
    public let pins: Pins
    /// Live queries and search sessions that are subscribed.
    public let liveQueryCount: Int
    /// Observers of all changes (`SocialGraph.changes`).
    public let changeObserverCount: Int
    /// Compactions of the index of usernames.
    public let userCompactions: Compactions
    /// Compactions of the index of words in posts.
    public let postCompactions: Compactions
    /// The store's snapshot files.
    public let snapshots: Snapshots
  }
}
