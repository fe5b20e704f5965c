@testable import Kith

/// A table of contents, after the eight bytes of its offset in the file: refused, or the only table with this encoding.
struct TableTarget: FuzzTarget {
  let name = "table"
  let maximumByteCount = 16 << 10
  let allocationLimitMegabytes = 1

  func seeds() throws -> [[UInt8]] {
    [try Sample.snapshot(of: GraphState()), try Sample.snapshot(of: try Sample.state())].map { file in
      let entryCount = file.word(at: file.count - 9)
      let seekTable =
        file.count - SnapshotFormat.seekTableFixedByteCount - SnapshotFormat.seekEntryByteCount * entryCount
      let table = seekTable - file.word(at: file.count - 9 - SnapshotFormat.seekEntryByteCount)
      var writer = ByteWriter()
      writer.append(UInt64(table))
      return writer.bytes + file[table..<seekTable]
    }
  }

  func run(_ input: [UInt8]) {
    guard input.count >= 8 else { return }
    let bytes = Array(input.dropFirst(8))
    let offset = Int64(bitPattern: input.number(at: 0, byteCount: 8))
    // An offset that a file can have: offsets in a file are relative to it.
    guard offset >= 0, offset <= .max - Int64(bytes.count) else { return }
    do throws(KithError) {
      let table = try SnapshotTable(decoding: bytes, file: "input", at: offset)
      require(table.encoded() == bytes, "a table is written as other bytes than it was read from")
      require(table.fileOffset == offset, "the sections do not end where the table begins")
      let seekTable = table.encodedSeekTable()
      require(
        seekTable.count == SnapshotFormat.seekTableFixedByteCount + (table.frameCount + 2) * 8,
        "the seek table tells of other frames")
      for entry in table.entries {
        require(entry.preamble().count == SnapshotFormat.preambleByteCount, "a preamble has another length")
        let content = entry.frames.dropFirst().reduce(0) { $0 + $1.contentByteCount }
        require(content == entry.contentByteCount, "the frames of \(entry.id) hold another content")
      }
    } catch {
      Refusal.check(error)
    }
  }

  /// Sizes, sums and offsets that follow from the frames, and the hash.
  func repair(_ input: inout [UInt8]) {
    var table = Array(input.dropFirst(8))
    guard table.count >= SnapshotFormat.tableFixedByteCount else { return }
    table.put(UInt64(table.count - 8), at: 4, byteCount: 4)
    let sectionCount = table.word(at: 16)
    var frame = 40 + sectionCount * SnapshotFormat.sectionEntryByteCount
    var offset: UInt64 = UInt64(SnapshotFormat.headerByteCount)
    var contentSum: UInt64 = 0
    for section in 0..<min(sectionCount, table.count / SnapshotFormat.sectionEntryByteCount) {
      let entry = 40 + section * SnapshotFormat.sectionEntryByteCount
      let frameCount = min(table.word(at: entry + 12), table.count / SnapshotFormat.frameEntryByteCount)
      var compressed: UInt64 = 0
      var content: UInt64 = 0
      for index in 0..<frameCount {
        compressed += table.number(at: frame, byteCount: 4)
        if index > 0 { content += table.number(at: frame + 4, byteCount: 4) }
        frame += SnapshotFormat.frameEntryByteCount
      }
      table.put(content, at: entry + 24)
      table.put(compressed, at: entry + 32)
      table.put(offset, at: entry + 48)
      offset += compressed
      contentSum += content + UInt64(SnapshotFormat.preambleByteCount)
    }
    table.put(contentSum, at: 24)
    table.put(table.hash(0..<table.count - 8), at: table.count - 8)
    var writer = ByteWriter()
    writer.append(offset)
    input = writer.bytes + table
  }
}
