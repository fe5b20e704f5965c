/// Whether the disk of a store that failed has room for what repairs it: a snapshot, and a journal.
struct DiskRoom: Sendable {
  private let freeByteCount: @Sendable () -> Int64?
  private let neededByteCount: Int64
  /// Whether there was too little when the store failed. If not, something else did.
  let wasFull: Bool

  /// The disk as it is now.
  init(of store: Store<SystemDisk>) {
    let lastByteCount = Int64(store.events.snapshots.last?.byteCount ?? 0)
    // A snapshot grows with the graph.
    self.init(neededByteCount: lastByteCount + lastByteCount / 4 + Int64(JournalFormat.growthLimit)) {
      [directory = store.directory] in directory.disk.freeByteCount(at: directory.path)
    }
  }

  init(neededByteCount: Int64, _ freeByteCount: @escaping @Sendable () -> Int64?) {
    self.freeByteCount = freeByteCount
    self.neededByteCount = neededByteCount
    wasFull = freeByteCount().map { $0 < neededByteCount } ?? false
  }

  var hasRoom: Bool { freeByteCount().map { $0 >= neededByteCount } ?? false }
}
