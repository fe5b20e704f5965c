/// What `ACK` says: all changes up to `sequence` were acknowledged, or could have been.
struct Acknowledgement: Hashable, Sendable {
  /// A UUID as two integers: the store's.
  var storeID: (high: UInt64, low: UInt64) { (storeIDHigh, storeIDLow) }
  private let storeIDHigh: UInt64
  private let storeIDLow: UInt64
  fileprivate(set) var sequence: UInt64
  /// The journal that was being written.
  fileprivate(set) var generation: UInt64

  init(storeID: (high: UInt64, low: UInt64), sequence: UInt64, generation: UInt64) {
    (storeIDHigh, storeIDLow) = storeID
    self.sequence = sequence
    self.generation = generation
  }
}

/// The file `ACK`: a lower bound, away from the journal, of what was acknowledged, so that a journal that lost its end
/// is not taken for one that a crash had torn.
///
/// Two slots of one sector each. The one that a sync has brought to the disk is left alone, and every record is written
/// into the other, until that one is synced: whatever a crash does, one slot is sound. Records are not synced, so that
/// they cost nothing; the bound may lag, which is harmless, but it never runs ahead. A clean close leaves the same in
/// both.
struct AcknowledgementFile<D: Disk>: ~Copyable, Sendable {
  private let disk: D
  private let file: D.File
  private var last: Acknowledgement
  /// The slot that may be written.
  private var openSlot: Int
  private var isSynced = true
  /// Why no more is recorded: the bound stays where it was.
  private(set) var failure: KithError?

  static var slotByteCount: Int { JournalFormat.sectorByteCount }

  /// Opens the file, or makes it so that it stands there whole, durable, or not at all.
  ///
  /// Recovery may have found more than was recorded: from now on that counts as acknowledged, since callers see it.
  /// To be called before the store's first journal is written: recovery relies on it that no journal is without.
  init(directory: String, disk: D, _ initial: Acknowledgement) throws(KithError) {
    let path = directory.appendingPathComponent(StoreNames.acknowledgements)
    let isThere = try disk.status(of: path, followingLinks: false) != nil
    let file = try isThere ? disk.open(path, writable: true) : Self.create(path, in: directory, disk, initial)
    // Only what is on the disk may be left alone.
    if isThere { try disk.sync(file) }
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

  /// Records that all changes up to `sequence` are on the disk. A failure is kept in `failure`, and nothing else
  /// happens.
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

  /// Brings the last record to the disk.
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

  /// Ends the recording with both slots saying the same: then damage to one of them, and to the journal as well, cannot
  /// pass for what a crash left.
  mutating func close() {
    sync()
    writeLast()
    sync()
  }

  /// What the store's file says; nil when it has none.
  ///
  /// Errors: `corrupt` when neither slot is sound, which no crash can do.
  static func read(in directory: String, disk: D, syncing: Bool) throws(KithError) -> Acknowledgement? {
    let path = directory.appendingPathComponent(StoreNames.acknowledgements)
    guard try disk.status(of: path, followingLinks: false) != nil else { return nil }
    let file = try disk.open(path, writable: false)
    if syncing {
      try disk.sync(file)
      disk.dropCache(file)
    }
    return try read(file, path, disk).acknowledgement
  }

  private static func create(
    _ path: String, in directory: String, _ disk: D, _ initial: Acknowledgement
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

  private static func encoded(_ acknowledgement: Acknowledgement) -> [UInt8] {
    var writer = ByteWriter(reserving: slotByteCount)
    writer.append(magic)
    writer.append(acknowledgement.storeID.high)
    writer.append(acknowledgement.storeID.low)
    writer.append(acknowledgement.sequence)
    writer.append(acknowledgement.generation)
    writer.pad(to: slotByteCount - JournalFormat.checksumByteCount)
    writer.appendChecksum()
    return writer.bytes
  }

  /// The greater of the two slots.
  private static func read(
    _ file: D.File, _ path: String, _ disk: D
  ) throws(KithError) -> (slot: Int, acknowledgement: Acknowledgement) {
    var bytes = [UInt8](repeating: 0, count: 2 * slotByteCount)
    var span = bytes.mutableSpan
    let found = try disk.read(file, at: 0, into: &span)
    bytes.removeLast(bytes.count - found)
    var best: (slot: Int, acknowledgement: Acknowledgement)?
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

  private static func decoded(_ bytes: [UInt8], _ path: String, _ slot: Int) throws(KithError) -> Acknowledgement {
    var reader = ByteReader(bytes, file: path, at: Int64(slot * slotByteCount))
    try reader.expect(magic, "the magic word of the slot")
    let storeID = (high: try reader.readUInt64(), low: try reader.readUInt64())
    let sequence = try reader.readNumber("the sequence number")
    let generation = try reader.readNumber("the generation")
    try reader.expectZeros(slotByteCount - reader.position - JournalFormat.checksumByteCount)
    let hashed = bytes.span.extracting(0..<reader.position)
    guard try reader.readUInt64() == XXH64.hash(hashed) else {
      throw reader.corrupt("the hash of the slot is wrong", at: slotByteCount - JournalFormat.checksumByteCount)
    }
    return Acknowledgement(storeID: storeID, sequence: sequence, generation: generation)
  }
}
