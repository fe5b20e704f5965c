/// Decodes an untrusted table of contents.
extension SnapshotTable {
  /// Decodes `bytes`, the whole skippable frame at `fileOffset` in `file`.
  ///
  /// Checks that the hash matches; that the sections are contiguous from the header to the table; that every frame can
  /// hold its declared content; and that no section occurs twice. Memory is bounded by twice the bytes given.
  init(decoding bytes: [UInt8], file: String, at fileOffset: Int64) throws(KithError) {
    try Self.checkHash(of: bytes, file: file, at: fileOffset)
    var reader = ByteReader(bytes, file: file, at: fileOffset)
    try reader.expect(SnapshotFormat.tableFrameMagic, "the magic number of the table of contents")
    try reader.expect(UInt32(clamping: bytes.count - 8), "the size of the table of contents")
    try reader.expect(SnapshotFormat.tableMagic, "the magic word of the table of contents")
    let sectionCount = Int(try reader.readUInt32())
    let frameCount = Int(try reader.readUInt32())
    guard sectionCount <= SnapshotFormat.sectionLimit,
      bytes.count == Self.byteCount(sections: sectionCount, frames: frameCount)
    else {
      throw reader.corrupt("\(sectionCount) sections and \(frameCount) frames do not fit the table", at: 16)
    }
    let contentByteCount = try reader.readUInt64()
    headerHash = try reader.readUInt64()
    var framesReader = reader
    try framesReader.skip(sectionCount * SnapshotFormat.sectionEntryByteCount)
    var nextOffset = Int64(SnapshotFormat.headerByteCount)
    var framesLeft = frameCount
    var entries: [Entry] = []
    var seen: Set<SectionID> = []
    for _ in 0..<sectionCount {
      let entry = try Self.readEntry(&reader, frames: &framesReader, framesLeft: &framesLeft, expecting: nextOffset)
      guard seen.insert(entry.id).inserted else {
        throw reader.corrupt(
          "section \(entry.id) comes twice", at: reader.position - SnapshotFormat.sectionEntryByteCount)
      }
      nextOffset += entry.compressedByteCount
      entries.append(entry)
    }
    guard framesLeft == 0 else { throw reader.corrupt("\(framesLeft) frames belong to no section", at: 20) }
    guard nextOffset == fileOffset else {
      throw reader.corrupt("the sections end at \(nextOffset), the table begins at \(fileOffset)", at: 0)
    }
    self.entries = entries
    guard contentByteCount == UInt64(self.contentByteCount) else {
      throw reader.corrupt("the sum of the content sizes is not \(contentByteCount)", at: 24)
    }
  }

  private static func checkHash(of bytes: [UInt8], file: String, at fileOffset: Int64) throws(KithError) {
    let hashed = bytes.count - 8
    guard hashed >= 0 else {
      throw .corrupt(file: file, offset: fileOffset, reason: "the table of contents has only \(bytes.count) bytes")
    }
    var tail = ByteReader(Array(bytes.suffix(8)), file: file, at: fileOffset + Int64(hashed))
    guard try tail.readUInt64() == XXH64.hash(bytes.span.extracting(0..<hashed)) else {
      throw tail.corrupt("the hash of the table of contents is wrong", at: 0)
    }
  }

  private static func readEntry(
    _ reader: inout ByteReader, frames framesReader: inout ByteReader, framesLeft: inout Int,
    expecting fileOffset: Int64
  ) throws(KithError) -> Entry {
    let start = reader.position
    let id = SectionID(rawValue: try reader.readUInt32())
    let version = try reader.readUInt16()
    let encoding = ColumnEncoding(rawValue: try reader.readUInt16())
    let flags = try reader.readUInt32()
    guard flags <= 1 else { throw reader.corrupt("section \(id) has unknown flags", at: start + 8) }
    let frameCount = Int(try reader.readUInt32())
    guard 1 <= frameCount, frameCount <= framesLeft else {
      throw reader.corrupt("section \(id) has \(frameCount) frames, \(framesLeft) are left", at: start + 12)
    }
    framesLeft -= frameCount
    let elementCount = try reader.readUInt64()
    let contentByteCount = try reader.readCount(
      "the content of section \(id)", atMost: frameCount * SnapshotFormat.frameContentLimit)
    let compressedByteCount = try reader.readUInt64()
    let contentHash = try reader.readUInt64()
    guard try reader.readUInt64() == UInt64(fileOffset) else {
      throw reader.corrupt("section \(id) does not begin where the one before it ends", at: start + 48)
    }
    try reader.expectZeros(8)
    let entry = Entry(
      head: SectionHead(
        id: id, version: version, encoding: encoding, isCritical: flags == 1, elementCount: elementCount),
      contentByteCount: contentByteCount, contentHash: contentHash, fileOffset: fileOffset,
      frames: try readFrames(&framesReader, count: frameCount, holding: contentByteCount))
    guard UInt64(entry.compressedByteCount) == compressedByteCount else {
      throw reader.corrupt("the frames of section \(id) do not add up to \(compressedByteCount) bytes", at: start + 32)
    }
    return entry
  }

  /// The first frame holds the preamble, the others the content. None may be empty, or hold more than its bytes can.
  private static func readFrames(
    _ reader: inout ByteReader, count: Int, holding contentByteCount: Int
  ) throws(KithError) -> [Frame] {
    var frames: [Frame] = []
    var contentLeft = contentByteCount
    for index in 0..<count {
      let start = reader.position
      let frame = Frame(
        compressedByteCount: Int(try reader.readUInt32()), contentByteCount: Int(try reader.readUInt32()),
        hash: try reader.readUInt64())
      let limit = index == 0 ? SnapshotFormat.preambleByteCount : min(contentLeft, SnapshotFormat.frameContentLimit)
      let least = index == 0 ? SnapshotFormat.preambleByteCount : 1
      guard least <= frame.contentByteCount, frame.contentByteCount <= limit,
        Zstd.canHold(frame.contentByteCount, inFrameOf: frame.compressedByteCount)
      else {
        throw reader.corrupt(
          "a frame of \(frame.compressedByteCount) bytes cannot hold \(frame.contentByteCount) here", at: start)
      }
      if index > 0 { contentLeft -= frame.contentByteCount }
      frames.append(frame)
    }
    guard contentLeft == 0 else {
      throw reader.corrupt("the frames leave out \(contentLeft) bytes of content", at: reader.position)
    }
    return frames
  }
}
