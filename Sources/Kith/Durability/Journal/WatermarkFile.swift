/// The durable watermark in the file `ACK`: all changes up to `sequence` were acknowledged, or may have been.
struct DurableWatermark: Hashable, Sendable {
  let storeID: StoreID
  fileprivate(set) var sequence: UInt64
  /// The generation of the journal being written.
  fileprivate(set) var generation: UInt64

  init(storeID: StoreID, sequence: UInt64, generation: UInt64) {
    self.storeID = storeID
    self.sequence = sequence
    self.generation = generation
  }
}

/// The file `ACK`: a lower bound of the acknowledged changes, stored apart from the journal. It distinguishes a journal
/// that lost its end from one torn by a crash.
///
/// It has two slots of one sector each. The slot that was last synced is not written; every record goes to the other
/// slot, until that one is synced. Whatever a crash does, one slot is intact. Records are not synced, so they cost
/// nothing. The bound may lag, which is harmless, but it never runs ahead. A clean close writes the same record to
/// both.
struct WatermarkFile<D: Disk>: ~Copyable, Sendable {
  private let disk: D
  private let file: D.File
  private var last: DurableWatermark
  /// The slot to write.
  private var openSlot: Int
  private var isSynced = true
  /// The failure that stopped recording. The bound on disk no longer advances.
  private(set) var failure: KithError?

  static var slotByteCount: Int { JournalFormat.sectorByteCount }

  /// Opens the file, or creates it durably and atomically.
  ///
  /// Recovery may have found more than was recorded. That counts as acknowledged from now on, because callers see it.
  /// Must be called before the store's first journal is written: recovery relies on every journal having a watermark
  /// file.
  init(directory: String, disk: D, _ initial: DurableWatermark) throws(KithError) {
    let path = directory.appendingPathComponent(StoreNames.watermark)
    let exists = try disk.status(of: path, followingLinks: false) != nil
    let file = try exists ? disk.open(path, writable: true) : Self.create(path, in: directory, disk, initial)
    // Only a synced slot may be left untouched.
    if exists { try disk.sync(file) }
    let found = try Self.read(file, path, disk)
    self.disk = disk
    self.file = file
    last = found.acknowledgement
    openSlot = 1 - found.slot
    if initial.sequence > last.sequence {
      record(sequence: initial.sequence, generation: initial.generation)
      sync()
    }
  }

  /// Records that all changes up to `sequence` are synced. A failure is kept in `failure` and has no other effect.
  mutating func record(sequence: UInt64, generation: UInt64) {
    guard sequence > last.sequence || generation > last.generation else { return }
    last.sequence = max(last.sequence, sequence)
    last.generation = max(last.generation, generation)
    writeLast()
  }

  private mutating func writeLast() {
    guard failure == nil else { return }
    do throws(KithError) {
      isSynced = false
      try disk.write(file, at: Int64(openSlot * Self.slotByteCount), Self.encoded(last).span)
    } catch {
      failure = error
    }
  }

  /// Syncs the last record.
  mutating func sync() {
    guard failure == nil, !isSynced else { return }
    do throws(KithError) {
      try disk.sync(file)
      isSynced = true
      openSlot = 1 - openSlot
    } catch {
      failure = error
    }
  }

  /// Ends the recording with the same record in both slots. Damage to one of them and to the journal can then not be
  /// mistaken for a crash.
  mutating func close() {
    sync()
    writeLast()
    sync()
  }

  /// Reads the watermark of a store; nil if it has no file.
  /// - Throws: `corrupt` if neither slot is intact, which no crash can cause.
  static func read(in directory: String, disk: D, syncing: Bool) throws(KithError) -> DurableWatermark? {
    let path = directory.appendingPathComponent(StoreNames.watermark)
    guard try disk.status(of: path, followingLinks: false) != nil else { return nil }
    let file = try disk.open(path, writable: false)
    if syncing {
      try disk.sync(file)
      disk.dropCache(file)
    }
    return try read(file, path, disk).acknowledgement
  }

  private static func create(
    _ path: String, in directory: String, _ disk: D, _ initial: DurableWatermark
  ) throws(KithError) -> D.File {
    let temporaryPath = path + StoreNames.temporarySuffix
    let file = try disk.create(temporaryPath)
    try disk.write(file, at: 0, (encoded(initial) + encoded(initial)).span)
    try disk.sync(file)
    try disk.rename(temporaryPath, to: path)
    try disk.syncDirectory(directory)
    return file
  }

  // MARK: - Slots

  private static var magic: [UInt8] { Array("KITHACK1".utf8) }

  private static func encoded(_ acknowledgement: DurableWatermark) -> [UInt8] {
    var writer = ByteWriter(reserving: slotByteCount)
    writer.append(magic)
    acknowledgement.storeID.append(to: &writer)
    writer.append(acknowledgement.sequence)
    writer.append(acknowledgement.generation)
    writer.pad(to: slotByteCount - JournalFormat.checksumByteCount)
    writer.appendChecksum()
    return writer.bytes
  }

  /// The greater of the two slots.
  private static func read(
    _ file: D.File, _ path: String, _ disk: D
  ) throws(KithError) -> (slot: Int, acknowledgement: DurableWatermark) {
    var bytes = [UInt8](repeating: 0, count: 2 * slotByteCount)
    var span = bytes.mutableSpan
    let found = try disk.read(file, at: 0, into: &span)
    bytes.removeLast(bytes.count - found)
    var best: (slot: Int, acknowledgement: DurableWatermark)?
    var firstError: KithError?
    for slot in 0..<2 {
      do throws(KithError) {
        let slotBytes = Array(bytes.dropFirst(slot * slotByteCount).prefix(slotByteCount))
        let acknowledgement = try decoded(slotBytes, path, slot)
        let isGreater =
          best.map { best in
            (acknowledgement.sequence, acknowledgement.generation)
              > (best.acknowledgement.sequence, best.acknowledgement.generation)
          } ?? true
        if isGreater { best = (slot, acknowledgement) }
      } catch {
        firstError = firstError ?? error
      }
    }
    if let best { return best }
    throw firstError ?? .corrupt(file: path, offset: 0, reason: "it is empty")
  }

  private static func decoded(_ bytes: [UInt8], _ path: String, _ slot: Int) throws(KithError) -> DurableWatermark {
    var reader = ByteReader(bytes, file: path, at: Int64(slot * slotByteCount))
    try reader.expect(magic, "the magic word of the slot")
    let storeID = try StoreID(reading: &reader)
    let sequence = try reader.readNumber("the sequence number")
    let generation = try reader.readNumber("the generation")
    try reader.expectZeros(slotByteCount - reader.position - JournalFormat.checksumByteCount)
    let hashed = bytes.span.extracting(0..<reader.position)
    guard try reader.readUInt64() == XXH64.hash(hashed) else {
      throw reader.corrupt("the hash of the slot is wrong", at: slotByteCount - JournalFormat.checksumByteCount)
    }
    return DurableWatermark(storeID: storeID, sequence: sequence, generation: generation)
  }
}
