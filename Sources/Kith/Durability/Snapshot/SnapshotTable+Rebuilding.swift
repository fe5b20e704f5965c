extension SnapshotTable {
  /// Rebuilds the table of contents from the sections of a file whose table is damaged, or cut off with its end.
  ///
  /// The sections are followed from the header on: each by its preamble, which has a checksum, and by its frames, which
  /// contain their lengths, up to the first byte that is neither. The section in which that happens is listed with the
  /// frames before it, so its content is shorter than its preamble says. Frames are hashed as found. Only the section's
  /// own hash can verify its content, and nothing proves that all sections belong to one snapshot.
  /// - Complexity: O(file): at most twice the length of each frame is read. Memory: a frame, and the table.
  static func rebuilt<D>(
    from source: SnapshotFileReader<D>.Source, headerHash: UInt64
  ) throws(KithError) -> SnapshotTable {
    var entries: [Entry] = []
    var offset = Int64(SnapshotFormat.headerByteCount)
    var ids: Set<SectionID> = []
    while ids.count < SnapshotFormat.sectionLimit, let entry = try source.entry(at: offset) {
      guard ids.insert(entry.id).inserted else { break }
      entries.append(entry)
      offset += entry.compressedByteCount
    }
    return SnapshotTable(headerHash: headerHash, entries: entries)
  }
}

extension SnapshotFileReader.Source {
  /// The section that begins at `offset`, with as many of its frames as exist; nil if none begins there.
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

  /// The zstd frame at `offset`; nil if there is none, or one that is empty or holds more than `limit`.
  private func frame(at offset: Int64, holdingAtMost limit: Int) throws(KithError) -> SnapshotTable.Frame? {
    let beginning = try readUpTo(Zstd.frameHeaderByteLimit, at: offset)
    guard let said = Zstd.frameContentByteCount(beginning.span), said > 0, said <= UInt64(limit) else { return nil }
    let contentByteCount = Int(said)
    guard let frame = try wholeFrame(beginning, at: offset, limit: Zstd.frameByteLimit(holding: contentByteCount)),
      Zstd.canHold(contentByteCount, inFrameOf: frame.count)
    else { return nil }
    let hash = XXH64.hash(frame.span)
    return SnapshotTable.Frame(compressedByteCount: frame.count, contentByteCount: contentByteCount, hash: hash)
  }

  /// The bytes of the frame that begins with `beginning`; nil if it is longer than `limit`.
  ///
  /// Only a frame's blocks determine its length. The bytes read are doubled in each step, so that many short frames
  /// that claim large content cost no more than their own bytes.
  private func wholeFrame(_ beginning: [UInt8], at offset: Int64, limit: Int) throws(KithError) -> [UInt8]? {
    var bytes = beginning
    while true {
      if let byteCount = Zstd.frameByteCount(bytes.span) { return Array(bytes.prefix(byteCount)) }
      let more = try readUpTo(min(bytes.count, limit - bytes.count), at: offset + Int64(bytes.count))
      if more.isEmpty { return nil }
      bytes += more
    }
  }

  private func readUpTo(_ count: Int, at offset: Int64) throws(KithError) -> [UInt8] {
    try read(Int(min(Int64(count), max(0, byteCount - offset))), at: offset)
  }
}

extension SnapshotTable.Entry {
  /// The section described by a first frame, which stores the preamble; nil for any other frame.
  fileprivate static func named(by frame: [UInt8], at fileOffset: Int64) -> Self? {
    guard let entry = try? read(frame, at: fileOffset), Zstd.stored(entry.preamble()) == frame else { return nil }
    return entry
  }

  /// Checks the magic word, but no checksum.
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
