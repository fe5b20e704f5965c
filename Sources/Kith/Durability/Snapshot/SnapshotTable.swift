/// The table of contents of a snapshot: the location of every frame, and the hash of every compressed byte.
///
/// It determines the preambles, the seek table and the length of the file. Readers compare those byte by byte.
struct SnapshotTable: Hashable, Sendable {
  struct Frame: Hashable, Sendable {
    let compressedByteCount: Int
    let contentByteCount: Int
    /// XXH64 of the compressed bytes.
    let hash: UInt64
  }

  struct Entry: Hashable, Sendable {
    let head: SectionHead
    /// The size of the content without the preamble.
    let contentByteCount: Int
    /// XXH64 of the content without the preamble.
    let contentHash: UInt64
    /// The offset in the file of its first frame, which holds only the preamble.
    let fileOffset: Int64
    let frames: [Frame]

    var id: SectionID { head.id }
    var compressedByteCount: Int64 { frames.reduce(0) { $0 + Int64($1.compressedByteCount) } }

    /// The offset in the file of each frame.
    var frameOffsets: [Int64] {
      var offsets: [Int64] = []
      offsets.reserveCapacity(frames.count)
      var next = fileOffset
      for frame in frames {
        offsets.append(next)
        next += Int64(frame.compressedByteCount)
      }
      return offsets
    }

    var summary: SectionSummary {
      SectionSummary(
        id: head.id, version: head.version, encoding: head.encoding, isCritical: head.isCritical,
        elementCount: head.elementCount, frameCount: frames.count, compressedByteCount: compressedByteCount,
        contentByteCount: contentByteCount, contentHash: contentHash)
    }

    /// The 64 bytes with which the section begins in the decompressed stream.
    func preamble() -> [UInt8] {
      var writer = ByteWriter(reserving: SnapshotFormat.preambleByteCount)
      writer.append(SnapshotFormat.sectionMagic)
      writer.append(head.id.rawValue)
      writer.append(head.version)
      writer.append(head.encoding.rawValue)
      writer.append(flags)
      writer.append(UInt32(0))
      writer.append(head.elementCount)
      writer.append(UInt64(contentByteCount))
      writer.append(contentHash)
      writer.pad(to: SnapshotFormat.preambleByteCount - 8)
      writer.appendChecksum()
      return writer.bytes
    }

    fileprivate var flags: UInt32 { head.isCritical ? 1 : 0 }
  }

  /// XXH64 of the header. It binds the table to the header, so that a header from another file is rejected.
  let headerHash: UInt64
  let entries: [Entry]

  /// The offset of the table's own frame: right after the last section.
  var fileOffset: Int64 {
    entries.reduce(Int64(SnapshotFormat.headerByteCount)) { $0 + $1.compressedByteCount }
  }

  var frameCount: Int { entries.reduce(0) { $0 + $1.frames.count } }

  var contentByteCount: Int {
    entries.reduce(0) { $0 + $1.contentByteCount + SnapshotFormat.preambleByteCount }
  }

  /// The whole skippable frame.
  func encoded() -> [UInt8] {
    let byteCount = Self.byteCount(sections: entries.count, frames: frameCount)
    var writer = ByteWriter(reserving: byteCount)
    writer.append(SnapshotFormat.tableFrameMagic)
    writer.append(UInt32(byteCount - 8))
    writer.append(SnapshotFormat.tableMagic)
    writer.append(UInt32(entries.count))
    writer.append(UInt32(frameCount))
    writer.append(UInt64(contentByteCount))
    writer.append(headerHash)
    for entry in entries {
      writer.append(entry.head.id.rawValue)
      writer.append(entry.head.version)
      writer.append(entry.head.encoding.rawValue)
      writer.append(entry.flags)
      writer.append(UInt32(entry.frames.count))
      writer.append(entry.head.elementCount)
      writer.append(UInt64(entry.contentByteCount))
      writer.append(UInt64(entry.compressedByteCount))
      writer.append(entry.contentHash)
      writer.append(UInt64(entry.fileOffset))
      writer.append(UInt64(0))
    }
    for frame in entries.lazy.flatMap(\.frames) {
      writer.append(UInt32(frame.compressedByteCount))
      writer.append(UInt32(frame.contentByteCount))
      writer.append(frame.hash)
    }
    writer.appendChecksum()
    return writer.bytes
  }

  /// The skippable frame at the end of the file: the seek table of the zstd seekable format 0.1.0, without checksums.
  ///
  /// It has an entry for every frame, including header and table, which have no content for zstd.
  func encodedSeekTable() -> [UInt8] {
    let entryCount = frameCount + 2
    let byteCount = SnapshotFormat.seekTableFixedByteCount + SnapshotFormat.seekEntryByteCount * entryCount
    var writer = ByteWriter(reserving: byteCount)
    writer.append(SnapshotFormat.seekTableFrameMagic)
    writer.append(UInt32(byteCount - 8))
    writer.append(UInt32(SnapshotFormat.headerByteCount))
    writer.append(UInt32(0))
    for frame in entries.lazy.flatMap(\.frames) {
      writer.append(UInt32(frame.compressedByteCount))
      writer.append(UInt32(frame.contentByteCount))
    }
    writer.append(UInt32(Self.byteCount(sections: entries.count, frames: frameCount)))
    writer.append(UInt32(0))
    writer.append(UInt32(entryCount))
    writer.append(UInt8(0))
    writer.append(SnapshotFormat.seekTableFooterMagic)
    return writer.bytes
  }

  static func byteCount(sections: Int, frames: Int) -> Int {
    SnapshotFormat.tableFixedByteCount + SnapshotFormat.sectionEntryByteCount * sections
      + SnapshotFormat.frameEntryByteCount * frames
  }
}
