extension SnapshotTable {
  /// A table of contents made anew from the sections of a file whose own is damaged, or cut off with its end.
  ///
  /// They are followed from the header on, each by its preamble, whose checksum vouches for it, and by its frames,
  /// which tell their lengths, up to the first byte that is neither. The section in which that happens stands with the
  /// frames before it, so that its content has not the size of its preamble. Frames are hashed as they are: what a
  /// section holds, its own hash must vouch for, and nothing tells that all sections are of one snapshot.
  /// - Complexity: O(file). Memory: a frame.
  static func rebuilt<D>(
    from source: SnapshotFileReader<D>.Source, headerHash: UInt64
  ) throws(KithError) -> SnapshotTable {
    var entries: [Entry] = []
    var offset = Int64(SnapshotFormat.headerByteCount)
    while let entry = try source.entry(at: offset) {
      if entries.contains(where: { $0.id == entry.id }) { break }
      entries.append(entry)
      offset += entry.compressedByteCount
    }
    return SnapshotTable(headerHash: headerHash, entries: entries)
  }
}

extension SnapshotFileReader.Source {
  /// The section that begins at `offset`, with as many of its frames as there are; nil where none begins.
  fileprivate func entry(at offset: Int64) throws(KithError) -> SnapshotTable.Entry? {
    let preamble = try readUpTo(Zstd.storedByteCount(SnapshotFormat.preambleByteCount), at: offset)
    guard let named = SnapshotTable.Entry.named(by: preamble, at: offset) else { return nil }
    var frames: [SnapshotTable.Frame] = [
      .init(
        compressedByteCount: preamble.count, contentByteCount: SnapshotFormat.preambleByteCount,
        hash: XXH64.hash(preamble.span))
    ]
    var contentByteCount = 0
    var place = offset + Int64(preamble.count)
    while contentByteCount < named.contentByteCount {
      let limit = min(named.contentByteCount - contentByteCount, SnapshotFormat.frameContentLimit)
      guard let frame = try frame(at: place, holdingAtMost: limit) else { break }
      frames.append(frame)
      contentByteCount += frame.contentByteCount
      place += Int64(frame.compressedByteCount)
    }
    return SnapshotTable.Entry(
      head: named.head, contentByteCount: contentByteCount, contentHash: named.contentHash, fileOffset: offset,
      frames: frames)
  }

  /// The zstd frame at `offset`; nil where none stands, or one that holds nothing, or more.
  private func frame(at offset: Int64, holdingAtMost limit: Int) throws(KithError) -> SnapshotTable.Frame? {
    let beginning = try readUpTo(Zstd.frameHeaderByteLimit, at: offset)
    guard let said = Zstd.frameContentByteCount(beginning.span), said > 0, said <= UInt64(limit) else { return nil }
    let contentByteCount = Int(said)
    let bytes = try readUpTo(Zstd.frameByteLimit(holding: contentByteCount), at: offset)
    guard let byteCount = Zstd.frameByteCount(bytes.span), Zstd.canHold(contentByteCount, inFrameOf: byteCount) else {
      return nil
    }
    let hash = XXH64.hash(bytes.span.extracting(0..<byteCount))
    return SnapshotTable.Frame(compressedByteCount: byteCount, contentByteCount: contentByteCount, hash: hash)
  }

  private func readUpTo(_ count: Int, at offset: Int64) throws(KithError) -> [UInt8] {
    try read(Int(min(Int64(count), max(0, byteCount - offset))), at: offset)
  }
}

extension SnapshotTable.Entry {
  /// What a section's first frame says of it, which stores its preamble; nil for any other.
  fileprivate static func named(by frame: [UInt8], at fileOffset: Int64) -> Self? {
    guard let entry = try? read(frame, at: fileOffset), Zstd.stored(entry.preamble()) == frame else { return nil }
    return entry
  }

  /// Checks the magic word and no checksum.
  private static func read(_ frame: [UInt8], at fileOffset: Int64) throws(KithError) -> Self {
    var reader = ByteReader(frame, file: "", at: fileOffset)
    try reader.skip(Zstd.storedContentOffset)
    try reader.expect(SnapshotFormat.sectionMagic, "the magic word of a section")
    let id = SectionID(rawValue: try reader.readUInt32())
    let version = try reader.readUInt16()
    let encoding = ColumnEncoding(rawValue: try reader.readUInt16())
    let flags = try reader.readUInt32()
    try reader.expectZeros(4)
    let head = SectionHead(
      id: id, version: version, encoding: encoding, isCritical: flags == 1, elementCount: try reader.readUInt64())
    return Self(
      head: head, contentByteCount: try reader.readCount("the content", atMost: .max),
      contentHash: try reader.readUInt64(), fileOffset: fileOffset, frames: [])
  }
}
