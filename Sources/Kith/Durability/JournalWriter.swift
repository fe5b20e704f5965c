/// Writes one journal after another: each frame is written, synced, and only then acknowledged, strictly one by one.
///
/// It holds no lock and no thread: whoever owns it calls it from one place at a time. A journal's file is made with its
/// first frame. Any failure poisons the writer: since nobody knows what a failed write or sync left behind, nothing is
/// tried again, and later frames are refused without touching the disk. It heals by a snapshot of everything that
/// memory holds, under a new generation, and a new writer after it.
struct JournalWriter<D: Disk>: ~Copyable, Sendable {
  private let directory: String
  private let storeID: (high: UInt64, low: UInt64)
  private let disk: D
  private let growthLimit: Int
  private(set) var generation: UInt64
  /// The number of the first change of the next frame.
  private(set) var nextSequence: UInt64
  /// Hash over the chain of all changes up to the last frame that was handed over, whether it stands or not.
  private(set) var chainHash: UInt64
  /// The last change that is known to be on the disk.
  private(set) var syncedThrough: UInt64
  /// What poisoned it.
  private(set) var failure: KithError?
  private var journal: OpenJournal?
  /// The last frame as it stands in the file; its memory serves the next one.
  private var sealed: [UInt8] = []

  /// The journal that is being written.
  private struct OpenJournal {
    let file: D.File
    let id: UInt64
    /// Where the next frame will stand.
    var offset: Int64
    /// Up to where the disk has given room: always a sector more than what is used, so that a file that ends with a
    /// frame is known to have been cut.
    var allocated: Int64
  }

  /// A writer that has touched nothing yet.
  ///
  /// - Parameters:
  ///   - firstSequence: the number of the first change to come; those before it are on the disk.
  ///   - chainHash: hash over the chain of all changes before it.
  ///   - growthLimit: how much room is taken at once, at most: a multiple of 512.
  init(
    directory: String, storeID: (high: UInt64, low: UInt64), generation: UInt64, firstSequence: UInt64,
    chainHash: UInt64, disk: D, growthLimit: Int = JournalFormat.growthLimit
  ) {
    precondition(
      growthLimit > 0 && growthLimit % JournalFormat.sectorByteCount == 0, "a journal grows by whole sectors")
    precondition(firstSequence > 0, "changes are numbered from 1 on")
    self.directory = directory
    self.storeID = storeID
    self.generation = generation
    self.disk = disk
    self.growthLimit = growthLimit
    self.chainHash = chainHash
    nextSequence = firstSequence
    syncedThrough = firstSequence - 1
  }

  /// Where the present journal is, or will be.
  var path: String { directory.appendingPathComponent(StoreNames.journal(generation: generation)) }

  /// Writes a frame, and returns when it is on the disk.
  ///
  /// Errors: the first failure as it is; after it `indeterminate` with the number of the frame's first change.
  /// - Parameters:
  ///   - time: the present.
  ///   - syncing: false returns as soon as the operating system has it: it survives the end of the process alone.
  /// - Precondition: the frame is not empty and begins with `nextSequence`.
  mutating func append(_ frame: borrowing JournalFrame, at time: Timestamp, syncing: Bool = true) throws(KithError) {
    try checkSound(frame.firstSequence)
    precondition(!frame.isEmpty && frame.firstSequence == nextSequence, "frames follow each other without gaps")
    let header = journal == nil ? encodedHeader(at: time) : []
    let id = journal?.id ?? JournalHeader.journalID(header)
    let hash = frame.seal(into: &sealed, journalID: id, writtenAt: time, syncedThrough: syncedThrough)
    // Before any write: the chain goes on over a frame that fails, because memory holds its changes.
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

  /// Returns when all frames are on the disk.
  mutating func sync() throws(KithError) {
    try checkSound(syncedThrough + 1)
    do throws(KithError) {
      try syncFile()
    } catch {
      failure = error
      throw error
    }
  }

  /// Ends the present journal; the next frame begins the one of `generation`.
  mutating func rotate(to generation: UInt64) throws(KithError) {
    precondition(generation > self.generation, "generations ascend")
    try close()
    self.generation = generation
  }

  /// Syncs what is not synced yet, and gives back the room that the journal did not need.
  mutating func close() throws(KithError) {
    try sync()
    if let journal {
      // A courtesy: with fewer zeros after it the journal says the same, so a failure means nothing.
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
      writtenAt: time.rawValue
    ).encoded()
  }

  /// A journal without frames. Its header is on the disk under its name before the first frame is written: so a frame
  /// after a damaged header tells damage from a crash.
  private func create(_ header: [UInt8], id: UInt64) throws(KithError) -> OpenJournal {
    let file = try disk.create(path)
    let bytes = header + [UInt8](repeating: 0, count: JournalFormat.sectorByteCount)
    do throws(KithError) {
      try disk.write(file, at: 0, bytes.span)
      try disk.sync(file)
      try disk.syncDirectory(directory)
    } catch {
      // It held no change. If it stays, recovery will pass over it.
      try? disk.remove(path)
      throw error
    }
    return OpenJournal(file: file, id: id, offset: Int64(header.count), allocated: Int64(bytes.count))
  }

  private mutating func writeSealed() throws(KithError) {
    guard let journal else { return }
    let end = journal.offset + Int64(sealed.count)
    if end + Int64(JournalFormat.sectorByteCount) > journal.allocated {
      // Room first: a full disk refuses here, before a byte of the frame is written. Zeros, not a mere reservation: to
      // turn reserved blocks into written ones would cost each sync a change of metadata. Synced with the frame.
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
