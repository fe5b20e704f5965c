/// Numbers of the journal format that writer and reader share. `Snapshots/FORMAT.md` is the specification.
enum JournalFormat {
  static let version = FormatVersion(major: 1, minor: 0)
  /// The oldest reader that can read what this writer writes.
  static let minimumReader = FormatVersion(major: 1, minor: 0)

  static let headerMagic = Array("KITHJRNL".utf8)
  /// `KFRM`, read forwards in the file.
  static let frameMagic: UInt32 = 0x4D52_464B

  /// What a disk writes whole or not at all. Frames begin and end at its multiples, so that writing one never touches a
  /// sector of another: a torn write cannot harm what was acknowledged.
  static let sectorByteCount = 512
  /// A page of its own, which is never written again.
  static let headerByteCount = 4096
  static let frameHeaderByteCount = 48
  static let checksumByteCount = 8
  /// What a reader accepts in one frame.
  static let frameByteLimit = 1 << 30

  /// How much room a journal takes at first, and at most at once: it doubles in between, so that a store that sees one
  /// change does not pay for 4 MiB.
  static let firstGrowthByteCount = 64 << 10
  static let growthLimit = 4 << 20
  /// The same where frames are not synced: growing then costs no sync of metadata, and room just taken is still in the
  /// processor's cache when it is written (a lone frame 1.6 µs, 1.9 µs in steps of 4 MiB).
  static let unsyncedGrowthLimit = 256 << 10
  static let zeros = [UInt8](repeating: 0, count: 1 << 20)

  /// Sequence numbers and generations are at most this, in every file: the next one can always be told.
  static let numberLimit = UInt64(Int64.max)

  /// How long a frame with so many bytes of changes is, all told.
  static func frameByteCount(changeByteCount: Int) -> Int {
    let byteCount = frameHeaderByteCount + changeByteCount + checksumByteCount
    return (byteCount + sectorByteCount - 1) / sectorByteCount * sectorByteCount
  }

  /// The hash over all changes after a frame, from the one before it: frames hash the changes, and this the frames.
  static func chain(_ chainHash: UInt64, _ frameHash: UInt64) -> UInt64 { XXH64.hash(frameHash, seed: chainHash) }
}

/// The first 4,096 bytes of a journal: which store it belongs to, and which change it begins with.
///
/// Its hash is the journal's id: every frame carries it, so that a frame of another file is never taken for one of
/// ours.
struct JournalHeader: Hashable, Sendable {
  /// A UUID as two integers: the store's.
  var storeID: (high: UInt64, low: UInt64) { (storeIDHigh, storeIDLow) }
  private let storeIDHigh: UInt64
  private let storeIDLow: UInt64
  let generation: UInt64
  /// The number of its first change.
  let firstSequence: UInt64
  /// Hash over the chain of all changes before it; 0 before the first.
  let chainHash: UInt64
  /// Milliseconds since 1970.
  let writtenAt: Int64
  /// Which writer wrote the file.
  let formatVersion: FormatVersion

  init(
    storeID: (high: UInt64, low: UInt64), generation: UInt64, firstSequence: UInt64, chainHash: UInt64,
    writtenAt: Int64
  ) {
    (storeIDHigh, storeIDLow) = storeID
    self.generation = generation
    self.firstSequence = firstSequence
    self.chainHash = chainHash
    self.writtenAt = writtenAt
    formatVersion = JournalFormat.version
  }

  /// The 4,096 bytes.
  func encoded() -> [UInt8] {
    var writer = ByteWriter(reserving: JournalFormat.headerByteCount)
    writer.append(JournalFormat.headerMagic)
    writer.append(formatVersion.major)
    writer.append(formatVersion.minor)
    writer.append(JournalFormat.minimumReader.major)
    writer.append(JournalFormat.minimumReader.minor)
    writer.append(storeIDHigh)
    writer.append(storeIDLow)
    writer.append(generation)
    writer.append(firstSequence)
    writer.append(chainHash)
    writer.append(writtenAt)
    writer.pad(to: JournalFormat.headerByteCount - JournalFormat.checksumByteCount)
    writer.appendChecksum()
    return writer.bytes
  }

  /// The id of a journal with this header: the hash in its last eight bytes.
  static func journalID(_ encoded: [UInt8]) -> UInt64 {
    XXH64.hash(encoded.span.extracting(0..<(JournalFormat.headerByteCount - JournalFormat.checksumByteCount)))
  }

  /// Refuses, in this order: what is no journal, a damaged header, a version from the future, numbers out of range.
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
    formatVersion = FormatVersion(major: try reader.readUInt16(), minor: try reader.readUInt16())
    let minimumReader = FormatVersion(major: try reader.readUInt16(), minor: try reader.readUInt16())
    guard formatVersion.major == JournalFormat.version.major, minimumReader <= JournalFormat.version else {
      let needed = minimumReader <= JournalFormat.version ? "" : ", which needs a reader of \(minimumReader)"
      throw .unsupportedVersion(
        found: "journal format \(formatVersion)\(needed)", readable: "up to \(JournalFormat.version)")
    }
    storeIDHigh = try reader.readUInt64()
    storeIDLow = try reader.readUInt64()
    generation = try reader.readNumber("the generation")
    firstSequence = try reader.readNumber("the first sequence number")
    guard firstSequence > 0 else { throw reader.corrupt("the first change is number 0", at: reader.position - 8) }
    chainHash = try reader.readUInt64()
    writtenAt = try reader.readInt64()
    // The rest may hold fields of later minor versions: the hash has vouched for it.
  }
}

extension ByteReader {
  /// A sequence number or a generation.
  mutating func readNumber(_ what: String) throws(KithError) -> UInt64 {
    UInt64(try readCount(what, atMost: Int(JournalFormat.numberLimit)))
  }
}
