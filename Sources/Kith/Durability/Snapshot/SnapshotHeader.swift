/// The first 256 bytes of a snapshot: its store, and the last change that it holds.
///
/// Store id, generation and wall time are only here, so that equal states have equal section frames. The layout (256
/// bytes, versions at 16…23, hash at 248) is the same in every version, so that a reader can always say which version
/// it rejects.
struct SnapshotHeader: Hashable, Sendable {
  var storeID: StoreID
  /// The sequence number of the last change in the state.
  var sequence: UInt64
  /// Raised whenever a writer opens the store, and by each snapshot.
  var generation: UInt64
  /// The chain hash of all changes up to `sequence`; 0 while there is no journal.
  var chainHash: UInt64
  /// Milliseconds since 1970.
  var writtenAt: Int64
  /// The version of the Unicode tables by which names were compared: ASCII, at most 16 bytes.
  var unicodeVersion: String
  /// Where in a log of changes the graph is; nil if it follows none.
  var log: LogPlace?
  /// The format version of the writer: the lowest that has what the header has.
  private(set) var formatVersion: FormatVersion

  init(
    storeID: StoreID, sequence: UInt64, generation: UInt64, chainHash: UInt64 = 0, writtenAt: Int64,
    unicodeVersion: String, log: LogPlace? = nil, hasSchema: Bool
  ) {
    self.storeID = storeID
    self.sequence = sequence
    self.generation = generation
    self.chainHash = chainHash
    self.writtenAt = writtenAt
    self.unicodeVersion = unicodeVersion
    self.log = log
    formatVersion =
      hasSchema ? SnapshotFormat.version : log == nil ? SnapshotFormat.plainVersion : SnapshotFormat.versionWithLog
  }

  /// Whether the snapshot holds a schema.
  var hasSchema: Bool { formatVersion >= SnapshotFormat.version }

  /// The header's 256 bytes.
  func encoded() -> [UInt8] {
    var writer = ByteWriter(reserving: SnapshotFormat.headerByteCount)
    writer.append(SnapshotFormat.headerFrameMagic)
    writer.append(UInt32(SnapshotFormat.headerByteCount - 8))
    writer.append(SnapshotFormat.headerMagic)
    formatVersion.append(to: &writer)
    (hasSchema ? formatVersion : SnapshotFormat.plainVersion).append(to: &writer)
    storeID.append(to: &writer)
    writer.append(sequence)
    writer.append(generation)
    writer.append(chainHash)
    writer.append(writtenAt)
    let unicodeBytes = Array(unicodeVersion.utf8)
    precondition(unicodeBytes.count <= Self.unicodeVersionByteCount, "the Unicode version has at most 16 bytes")
    writer.append(unicodeBytes)
    writer.pad(to: Self.logOffset)
    log?.append(to: &writer)
    writer.pad(to: SnapshotFormat.headerByteCount - 8)
    writer.appendChecksum()
    return writer.bytes
  }

  /// Reads the header. Rejects, in this order: a file that is no snapshot, a damaged header, a newer version, numbers
  /// out of range.
  init(decoding bytes: [UInt8], file: String) throws(KithError) {
    var reader = ByteReader(bytes, file: file)
    try reader.expect(SnapshotFormat.headerFrameMagic, "the magic number of the header frame")
    try reader.expect(UInt32(SnapshotFormat.headerByteCount - 8), "the size of the header frame")
    try reader.expect(SnapshotFormat.headerMagic, "the magic word of the header")
    try Self.checkHash(of: bytes, reader)
    formatVersion = try reader.readFormatVersion(of: "snapshot", upTo: SnapshotFormat.version)
    storeID = try StoreID(reading: &reader)
    sequence = try reader.readNumber("the sequence number")
    generation = try reader.readNumber("the generation")
    chainHash = try reader.readUInt64()
    writtenAt = try reader.readInt64()
    unicodeVersion = try Self.readUnicodeVersion(&reader)
    log = formatVersion < SnapshotFormat.versionWithLog ? nil : try LogPlace.read(&reader)
    // The rest may hold fields of later minor versions. The hash has verified it.
  }

  private static let unicodeVersionByteCount = 16
  /// After the Unicode version.
  private static let logOffset = 88

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
