/// The first 256 bytes of a snapshot: whose state it holds, and as of which change.
///
/// Store id, generation and wall time stand here alone, so that equal state gives equal section frames. Its shape (256
/// bytes, versions at 16…23, hash at 248) is the same in every version, so that a reader can always say what it
/// refuses.
struct SnapshotHeader: Hashable, Sendable {
  /// A UUID as two integers, chosen by whoever makes the store.
  var storeID: (high: UInt64, low: UInt64) {
    get { (storeIDHigh, storeIDLow) }
    set { (storeIDHigh, storeIDLow) = newValue }
  }
  private var storeIDHigh: UInt64
  private var storeIDLow: UInt64
  /// Number of the last change that the state holds.
  var sequence: UInt64
  /// Raised each time that a writer takes the store, and by each snapshot.
  var generation: UInt64
  /// Hash over the chain of all changes up to `sequence`; 0 as long as there is no journal.
  var chainHash: UInt64
  /// Milliseconds since 1970.
  var writtenAt: Int64
  /// Version of the Unicode tables by which names were compared: ASCII, at most 16 bytes.
  var unicodeVersion: String
  /// Set by the reader: which writer wrote the file.
  private(set) var formatVersion = SnapshotFormat.version

  init(
    storeID: (high: UInt64, low: UInt64), sequence: UInt64, generation: UInt64, chainHash: UInt64 = 0,
    writtenAt: Int64, unicodeVersion: String
  ) {
    (storeIDHigh, storeIDLow) = storeID
    self.sequence = sequence
    self.generation = generation
    self.chainHash = chainHash
    self.writtenAt = writtenAt
    self.unicodeVersion = unicodeVersion
  }

  /// The 256 bytes.
  func encoded() -> [UInt8] {
    var writer = ByteWriter(reserving: SnapshotFormat.headerByteCount)
    writer.append(SnapshotFormat.headerFrameMagic)
    writer.append(UInt32(SnapshotFormat.headerByteCount - 8))
    writer.append(SnapshotFormat.headerMagic)
    writer.append(formatVersion.major)
    writer.append(formatVersion.minor)
    writer.append(SnapshotFormat.minimumReader.major)
    writer.append(SnapshotFormat.minimumReader.minor)
    writer.append(storeIDHigh)
    writer.append(storeIDLow)
    writer.append(sequence)
    writer.append(generation)
    writer.append(chainHash)
    writer.append(writtenAt)
    let unicodeBytes = Array(unicodeVersion.utf8)
    precondition(unicodeBytes.count <= Self.unicodeVersionByteCount, "the Unicode version has at most 16 bytes")
    writer.append(unicodeBytes)
    writer.pad(to: SnapshotFormat.headerByteCount - 8)
    writer.appendChecksum()
    return writer.bytes
  }

  /// Reads the header and refuses, in this order: what is no snapshot, a damaged header, a version from the future.
  init(decoding bytes: [UInt8], file: String) throws(KithError) {
    var reader = ByteReader(bytes, file: file)
    try reader.expect(SnapshotFormat.headerFrameMagic, "the magic number of the header frame")
    try reader.expect(UInt32(SnapshotFormat.headerByteCount - 8), "the size of the header frame")
    try reader.expect(SnapshotFormat.headerMagic, "the magic word of the header")
    try Self.checkHash(of: bytes, reader)
    formatVersion = FormatVersion(major: try reader.readUInt16(), minor: try reader.readUInt16())
    let minimumReader = FormatVersion(major: try reader.readUInt16(), minor: try reader.readUInt16())
    guard formatVersion.major == SnapshotFormat.version.major, minimumReader <= SnapshotFormat.version else {
      let needed = minimumReader <= SnapshotFormat.version ? "" : ", which needs a reader of \(minimumReader)"
      throw .unsupportedVersion(
        found: "snapshot format \(formatVersion)\(needed)", readable: "up to \(SnapshotFormat.version)")
    }
    storeIDHigh = try reader.readUInt64()
    storeIDLow = try reader.readUInt64()
    sequence = try reader.readUInt64()
    generation = try reader.readUInt64()
    chainHash = try reader.readUInt64()
    writtenAt = try reader.readInt64()
    unicodeVersion = try Self.readUnicodeVersion(&reader)
    // The rest may hold fields of later minor versions: the hash has vouched for it.
  }

  private static let unicodeVersionByteCount = 16

  private static func checkHash(of bytes: [UInt8], _ reader: ByteReader) throws(KithError) {
    let hashed = bytes.count - 8
    var tail = ByteReader(Array(bytes.suffix(8)), file: reader.file, at: Int64(hashed))
    guard try tail.readUInt64() == XXH64.hash(bytes.span.extracting(0..<hashed)) else {
      throw reader.corrupt("the header's hash is wrong", at: hashed)
    }
  }

  private static func readUnicodeVersion(_ reader: inout ByteReader) throws(KithError) -> String {
    let start = reader.position
    let bytes = try reader.readBytes(unicodeVersionByteCount)
    let text = bytes.prefix { $0 != 0 }
    guard text.allSatisfy({ 0x20 < $0 && $0 < 0x7F }), bytes.dropFirst(text.count).allSatisfy({ $0 == 0 }) else {
      throw reader.corrupt("the Unicode version is not ASCII", at: start)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
