extension SnapshotFileReader {
  /// The bytes of a snapshot file, and the first steps of reading one: the header, and from the end of the file to the
  /// table.
  struct Source: Sendable {
    let disk: D
    let file: D.File
    let path: String
    let byteCount: Int64

    /// Exactly `count` bytes from `offset` on. Allocates memory only for bytes that exist.
    func read(_ count: Int, at offset: Int64) throws(KithError) -> [UInt8] {
      guard offset >= 0, offset <= byteCount, Int64(count) <= byteCount - offset else {
        throw corrupt("\(count) bytes are wanted, the file has \(byteCount)", at: offset)
      }
      var bytes = [UInt8](repeating: 0, count: count)
      var span = bytes.mutableSpan
      guard try disk.read(file, at: offset, into: &span) == count else {
        throw corrupt("the file became shorter while it was read", at: offset)
      }
      return bytes
    }

    /// Distinguishes a file that never was a snapshot, without our beginning and end, from a damaged snapshot.
    private func refuseForeign() throws(KithError) {
      let beginning =
        ByteWriter.skippable(SnapshotFormat.headerFrameMagic, SnapshotFormat.headerByteCount - 8)
        + SnapshotFormat.headerMagic
      let found = try read(Int(min(byteCount, Int64(beginning.count))), at: 0)
      let end = byteCount < 4 ? [] : try read(4, at: byteCount - 4)
      var footer = ByteWriter()
      footer.append(SnapshotFormat.seekTableFooterMagic)
      guard beginning.starts(with: found) || end == footer.bytes else {
        throw .notAStore(path: path, reason: "it is no Kith snapshot")
      }
      guard byteCount >= Int64(SnapshotFormat.smallestFileByteCount) else {
        throw corrupt("the file ends after \(byteCount) bytes", at: byteCount)
      }
    }

    /// Reads the header. Rejects a file that never was a snapshot. The hash binds the tables to the header.
    func readHeader() throws(KithError) -> (header: SnapshotHeader, hash: UInt64) {
      try refuseForeign()
      let bytes = try read(SnapshotFormat.headerByteCount, at: 0)
      return (try SnapshotHeader(decoding: bytes, file: path), XXH64.hash(bytes.span))
    }

    /// Reads the last frame of the file, located by the last nine bytes.
    func readSeekTable() throws(KithError) -> [UInt8] {
      let footerOffset = byteCount - 9
      var footer = ByteReader(try read(9, at: footerOffset), file: path, at: footerOffset)
      let entryCount = Int(try footer.readUInt32())
      guard try footer.readUInt8() == 0 else { throw footer.corrupt("the seek table has unknown flags", at: 4) }
      try footer.expect(SnapshotFormat.seekTableFooterMagic, "the magic number at the end of the file")
      let wanted = SnapshotFormat.seekTableFixedByteCount + SnapshotFormat.seekEntryByteCount * entryCount
      guard entryCount >= 2, Int64(wanted) <= byteCount - Int64(SnapshotFormat.headerByteCount) else {
        throw footer.corrupt("a seek table of \(entryCount) entries is not possible", at: 0)
      }
      try refuseLong(wanted)
      return try read(wanted, at: byteCount - Int64(wanted))
    }

    /// Reads the table of contents, whose size is the last entry of the seek table.
    func readTable(before seekTable: [UInt8]) throws(KithError) -> SnapshotTable {
      let seekOffset = byteCount - Int64(seekTable.count)
      var reader = ByteReader(seekTable, file: path, at: seekOffset)
      try reader.skip(seekTable.count - 9 - SnapshotFormat.seekEntryByteCount)
      let start = reader.position
      let tableByteCount = Int64(try reader.readUInt32())
      guard tableByteCount <= seekOffset - Int64(SnapshotFormat.headerByteCount) else {
        throw reader.corrupt("a table of contents of \(tableByteCount) bytes is not possible", at: start)
      }
      try refuseLong(Int(tableByteCount))
      let offset = seekOffset - tableByteCount
      return try SnapshotTable(decoding: try read(Int(tableByteCount), at: offset), file: path, at: offset)
    }

    private func refuseLong(_ tableByteCount: Int) throws(KithError) {
      guard tableByteCount <= SnapshotFormat.tableByteLimit else {
        throw .limitExceeded(
          .tableBytes(path: path, limit: SnapshotFormat.tableByteLimit, byteCount: tableByteCount))
      }
    }

    private func corrupt(_ reason: String, at offset: Int64) -> KithError {
      .corrupt(file: path, offset: offset, reason: reason)
    }
  }
}
