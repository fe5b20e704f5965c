/// Constants of the journal format, shared by writer and reader. `Snapshots/FORMAT.md` is the specification.
enum JournalFormat {
  static let version = FormatVersion(major: 1, minor: 1)
  /// The version of a journal of a graph without a schema, and of the oldest reader of it: 1.1 only adds the changes
  /// of a schema, and needs a reader of its own.
  static let versionWithoutSchema = FormatVersion(major: 1, minor: 0)

  static let headerMagic = Array("KITHJRNL".utf8)
  /// `KFRM` as bytes in the file.
  static let frameMagic: UInt32 = 0x4D52_464B

  /// The unit that a disk writes atomically. Frames are aligned to it at both ends, so writing a frame never touches a
  /// sector of another frame. A torn write cannot damage acknowledged frames.
  static let sectorByteCount = 512
  /// A page by itself, which is never written again.
  static let headerByteCount = 4096
  static let frameHeaderByteCount = 48
  static let checksumByteCount = 8
  /// The longest frame that a reader accepts.
  static let frameByteLimit = 1 << 30

  /// The space allocated for a journal: the first step, and the largest one. Steps double in between, so that a store
  /// with one change does not pay for 4 MiB.
  static let firstGrowthByteCount = 64 << 10
  static let growthLimit = 4 << 20
  /// The largest step if frames are not synced. Growing then costs no sync of metadata, and the new space is still in
  /// the processor's cache when it is written (a single frame takes 1.6 µs; 1.9 µs in steps of 4 MiB).
  static let unsyncedGrowthLimit = 256 << 10
  static let zeros = [UInt8](repeating: 0, count: 1 << 20)

  /// The limit of sequence numbers and generations in every file, so that incrementing one cannot overflow.
  static let numberLimit = UInt64(Int64.max)

  /// Rejects a change after the last sequence number.
  @inline(__always)
  static func checkSequence(_ last: UInt64) throws(KithError) {
    if last >= numberLimit { throw .limitExceeded(.changes(limit: numberLimit)) }
  }

  /// Rejects raising a generation beyond the limit.
  static func checkGeneration(_ generation: UInt64, rising steps: UInt64) throws(KithError) {
    guard generation <= numberLimit - steps else {
      throw .limitExceeded(.generations(limit: numberLimit))
    }
  }

  /// The length in bytes of a frame with this many bytes of changes.
  static func frameByteCount(changeByteCount: Int) -> Int {
    let byteCount = frameHeaderByteCount + changeByteCount + checksumByteCount
    return (byteCount + sectorByteCount - 1) / sectorByteCount * sectorByteCount
  }

  /// The chain hash after a frame, from the one before it. A frame's hash covers its changes; the chain covers the
  /// frames.
  static func chain(_ chainHash: UInt64, _ frameHash: UInt64) -> UInt64 { XXH64.hash(frameHash, seed: chainHash) }
}

/// The first 4,096 bytes of a journal: the store it belongs to, and its first change.
///
/// Its hash is the id of the journal. Every frame's hash is seeded with it, so a frame of another file is never
/// accepted.
struct JournalHeader: Hashable, Sendable {
  let storeID: StoreID
  let generation: UInt64
  /// The sequence number of the first change.
  let firstSequence: UInt64
  /// The chain hash of all changes before it; 0 before the first.
  let chainHash: UInt64
  /// Milliseconds since 1970.
  let writtenAt: Int64
  /// The format version, and the oldest reader: the lowest that has what the journal holds.
  let formatVersion: FormatVersion

  init(
    storeID: StoreID, generation: UInt64, firstSequence: UInt64, chainHash: UInt64, writtenAt: Int64, hasSchema: Bool
  ) {
    self.storeID = storeID
    self.generation = generation
    self.firstSequence = firstSequence
    self.chainHash = chainHash
    self.writtenAt = writtenAt
    formatVersion = hasSchema ? JournalFormat.version : JournalFormat.versionWithoutSchema
  }

  /// The header's 4,096 bytes.
  func encoded() -> [UInt8] {
    var writer = ByteWriter(reserving: JournalFormat.headerByteCount)
    writer.append(JournalFormat.headerMagic)
    formatVersion.append(to: &writer)
    formatVersion.append(to: &writer)
    storeID.append(to: &writer)
    writer.append(generation)
    writer.append(firstSequence)
    writer.append(chainHash)
    writer.append(writtenAt)
    writer.pad(to: JournalFormat.headerByteCount - JournalFormat.checksumByteCount)
    writer.appendChecksum()
    return writer.bytes
  }

  /// The id of the journal with this header: the hash in its last eight bytes.
  static func journalID(_ encoded: [UInt8]) -> UInt64 {
    XXH64.hash(encoded.span.extracting(0..<(JournalFormat.headerByteCount - JournalFormat.checksumByteCount)))
  }

  /// Rejects, in this order: a file that is no journal, a damaged header, a newer version, numbers out of range.
  init(decoding bytes: [UInt8], file: String) throws(KithError) {
    var reader = ByteReader(bytes, file: file)
    try reader.expect(JournalFormat.headerMagic, "the magic word of the header")
    let hashed = JournalFormat.headerByteCount - JournalFormat.checksumByteCount
    guard bytes.count == JournalFormat.headerByteCount else {
      throw reader.corrupt("the header ends after \(bytes.count) bytes", at: bytes.count)
    }
    var tail = ByteReader(Array(bytes[hashed...]), file: file, at: Int64(hashed))
    guard try tail.readUInt64() == Self.journalID(bytes) else {
      throw reader.corrupt("the header's hash is wrong", at: hashed)
    }
    formatVersion = try reader.readFormatVersion(of: "journal", upTo: JournalFormat.version)
    storeID = try StoreID(reading: &reader)
    generation = try reader.readNumber("the generation")
    firstSequence = try reader.readNumber("the first sequence number")
    guard firstSequence > 0 else { throw reader.corrupt("the first change is number 0", at: reader.position - 8) }
    chainHash = try reader.readUInt64()
    writtenAt = try reader.readInt64()
    // The rest may hold fields of later minor versions. The hash has verified it.
  }
}

extension ByteReader {
  /// Reads a sequence number or a generation.
  mutating func readNumber(_ what: String) throws(KithError) -> UInt64 {
    UInt64(try readCount(what, atMost: Int(JournalFormat.numberLimit)))
  }
}
