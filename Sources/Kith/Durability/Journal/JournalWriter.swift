/// Writes journals, one after another. Each frame is written, synced, and only then acknowledged, strictly one at a
/// time.
///
/// It has no lock and no thread: its owner calls it from one thread at a time. A journal's file is created with its
/// first frame. Any failure poisons the writer: what a failed write or sync left behind is unknown, so nothing is
/// retried, and later frames are rejected without touching the disk. Recovery is a snapshot of everything in memory,
/// under a new generation, and then a new writer.
struct JournalWriter<D: Disk>: ~Copyable, Sendable {
  private let directory: String
  private let storeID: StoreID
  private let disk: D
  private let growthLimit: Int
  private let hasSchema: Bool
  private(set) var generation: UInt64
  /// The sequence number of the first change of the next frame.
  private(set) var nextSequence: UInt64
  /// The chain hash of all changes up to the last frame passed to `append`, even if writing it failed.
  private(set) var chainHash: UInt64
  /// The last change that is known to be synced.
  private(set) var syncedThrough: UInt64
  /// The failure that poisoned the writer.
  private(set) var failure: KithError?
  private var journal: OpenJournal?
  /// The last frame as stored in the file. Its memory is reused.
  private var sealed: [UInt8] = []

  /// The journal being written.
  private struct OpenJournal {
    let file: D.File
    let id: UInt64
    /// The offset of the next frame.
    var offset: Int64
    /// The end of the allocated space: at least a sector more than is used, so that a file that ends with a frame is
    /// known to have been cut.
    var allocated: Int64
  }

  /// Creates a writer without touching the disk.
  /// - Parameters:
  ///   - firstSequence: the sequence number of the first change to come. Earlier changes are synced.
  ///   - chainHash: the chain hash of all earlier changes.
  ///   - growthLimit: the largest step in which space is allocated; a multiple of 512.
  ///   - hasSchema: whether the graph has a schema, or its first change declares one.
  init(
    directory: String, storeID: StoreID, generation: UInt64, firstSequence: UInt64,
    chainHash: UInt64, disk: D, growthLimit: Int = JournalFormat.growthLimit, hasSchema: Bool = false
  ) {
    precondition(
      growthLimit > 0 && growthLimit % JournalFormat.sectorByteCount == 0, "a journal grows by whole sectors")
    precondition(firstSequence > 0, "changes are numbered from 1 on")
    self.directory = directory
    self.storeID = storeID
    self.generation = generation
    self.disk = disk
    self.growthLimit = growthLimit
    self.hasSchema = hasSchema
    self.chainHash = chainHash
    nextSequence = firstSequence
    syncedThrough = firstSequence - 1
  }

  /// The path of the current journal, which may not exist yet.
  var path: String { directory.appendingPathComponent(StoreNames.journal(generation: generation)) }

  /// Whether the current journal exists and is open.
  var hasFile: Bool { journal != nil }

  /// Writes a frame, and returns when it is synced.
  /// - Parameters:
  ///   - time: the current time.
  ///   - syncing: false to return once the operating system has the frame. It then survives only the end of the
  ///     process.
  /// - Precondition: the frame is not empty and begins with `nextSequence`.
  /// - Throws: the first failure as it is; after that `indeterminate` with the sequence number of the frame's first
  ///   change.
  mutating func append(_ frame: borrowing JournalFrame, at time: Timestamp, syncing: Bool = true) throws(KithError) {
    try checkSound(frame.firstSequence)
    precondition(!frame.isEmpty && frame.firstSequence == nextSequence, "frames follow each other without gaps")
    let header = journal == nil ? encodedHeader(at: time) : []
    let id = journal?.id ?? JournalHeader.journalID(header)
    let hash = frame.seal(into: &sealed, journalID: id, writtenAt: time, syncedThrough: syncedThrough)
    // Before the write: the chain includes a frame that fails, because memory holds its changes.
    chainHash = JournalFormat.chain(chainHash, hash)
    nextSequence = frame.nextSequence
    do throws(KithError) {
      if journal == nil { journal = try create(header, id: id) }
      try writeSealed()
      if sealed.capacity > JournalFormat.zeros.count { sealed = [] }
      if syncing { try syncFile() }
    } catch {
      failure = error
      throw error
    }
  }

  /// Returns when all frames are synced.
  mutating func sync() throws(KithError) {
    try checkSound(syncedThrough + 1)
    do throws(KithError) {
      try syncFile()
    } catch {
      failure = error
      throw error
    }
  }

  /// Ends the current journal. The next frame begins the journal of `generation`.
  mutating func rotate(to generation: UInt64) throws(KithError) {
    precondition(generation > self.generation, "generations ascend")
    try close()
    self.generation = generation
  }

  /// Syncs the journal and truncates its unused space.
  mutating func close() throws(KithError) {
    try sync()
    if let journal {
      // Optional: trailing zeros do not change the meaning of the journal, so a failure is ignored.
      try? disk.truncate(journal.file, to: journal.offset + Int64(JournalFormat.sectorByteCount))
    }
    journal = nil
  }

  private func checkSound(_ sequence: UInt64) throws(KithError) {
    if let failure { throw .indeterminate(sequence: sequence, cause: failure) }
  }

  private func encodedHeader(at time: Timestamp) -> [UInt8] {
    JournalHeader(
      storeID: storeID, generation: generation, firstSequence: nextSequence, chainHash: chainHash,
      writtenAt: time.rawValue, hasSchema: hasSchema
    ).encoded()
  }

  /// Creates a journal without frames. The header is synced under the journal's name before the first frame is written.
  /// So a frame after a damaged header shows damage, not a crash.
  private func create(_ header: [UInt8], id: UInt64) throws(KithError) -> OpenJournal {
    let file = try disk.create(path)
    let bytes = header + [UInt8](repeating: 0, count: JournalFormat.sectorByteCount)
    do throws(KithError) {
      try disk.write(file, at: 0, bytes.span)
      try disk.sync(file)
      try disk.syncDirectory(directory)
    } catch {
      // It held no change. If it stays, recovery ignores it.
      try? disk.remove(path)
      throw error
    }
    return OpenJournal(file: file, id: id, offset: Int64(header.count), allocated: Int64(bytes.count))
  }

  private mutating func writeSealed() throws(KithError) {
    guard let journal else { return }
    let end = journal.offset + Int64(sealed.count)
    if end + Int64(JournalFormat.sectorByteCount) > journal.allocated {
      // Allocate first: a full disk fails here, before a byte of the frame is written. Zeros instead of a mere
      // reservation: turning reserved blocks into written ones would cost every sync a metadata update. Synced with the
      // frame.
      let growth = min(max(Int(end), JournalFormat.firstGrowthByteCount), growthLimit)
      try writeZeros(from: end, count: growth, journal.file)
      self.journal?.allocated = end + Int64(growth)
    }
    try disk.write(journal.file, at: journal.offset, sealed.span)
    self.journal?.offset = end
  }

  private func writeZeros(from offset: Int64, count: Int, _ file: D.File) throws(KithError) {
    let zeros = JournalFormat.zeros
    var done = 0
    while done < count {
      let next = min(count - done, zeros.count)
      try disk.write(file, at: offset + Int64(done), zeros.span.extracting(0..<next))
      done += next
    }
  }

  private mutating func syncFile() throws(KithError) {
    guard let journal, syncedThrough < nextSequence - 1 else { return }
    try disk.sync(journal.file)
    syncedThrough = nextSequence - 1
  }
}
