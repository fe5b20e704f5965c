/// The free space of the disk of a store that failed, beside what repairs the store: a snapshot, and a journal.
struct FreeDiskSpace: Sendable {
  private let byteCount: @Sendable () -> Int64?
  private let neededByteCount: Int64
  /// Whether there was too little when the store failed. If not, something else did.
  let wasLow: Bool

  /// That of the disk as it is now.
  init(of store: Store<SystemDisk>) {
    let lastByteCount = Int64(store.events.snapshots.last?.byteCount ?? 0)
    // A snapshot grows with the graph.
    self.init(neededByteCount: lastByteCount + lastByteCount / 4 + Int64(JournalFormat.growthLimit)) {
      [directory = store.directory] in directory.disk.freeByteCount(at: directory.path)
    }
  }

  init(neededByteCount: Int64, _ byteCount: @escaping @Sendable () -> Int64?) {
    self.byteCount = byteCount
    self.neededByteCount = neededByteCount
    wasLow = byteCount().map { $0 < neededByteCount } ?? false
  }

  var isEnough: Bool { byteCount().map { $0 >= neededByteCount } ?? false }
}
