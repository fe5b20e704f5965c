/// Reads a snapshot file that may have been damaged, or made to do harm.
///
/// Opening reads and checks header and tables; then sections are read one at a time, in any order. Every compressed
/// byte is hashed before zstd sees it, and decompressed into a buffer of exactly the declared size.
///
/// Memory: opening takes at most six times the tables, which are part of the file; a section takes its declared content
/// and one frame (≤ 4.04 MiB); the sum of all declared contents is checked against the limit before any of it is
/// allocated.
final class SnapshotFileReader<D: ByteStorage> {
  let path: String
  let header: SnapshotHeader
  let table: SnapshotTable
  let fileByteCount: Int64
  private let disk: D
  private let file: D.File

  /// Opens a file, which `path` names in errors.
  ///
  /// - Parameters:
  ///   - memoryLimit: what all contents together may take, in bytes; beyond it `limitExceeded`.
  ///   - knownSections: the sections that the caller reads and the highest version of each that it knows; a critical
  ///     section beyond them is refused with `unsupportedVersion`. Nil knows everything (to inspect or verify).
  init(
    file: D.File, path: String, disk: D, memoryLimit: Int, knownSections: [SectionID: UInt16]?
  ) throws(KithError) {
    self.file = file
    self.path = path
    self.disk = disk
    fileByteCount = try disk.byteCount(of: file)
    let source = Source(disk: disk, file: file, path: path, byteCount: fileByteCount)
    try source.refuseForeign()
    let headerBytes = try source.read(SnapshotFormat.headerByteCount, at: 0)
    header = try SnapshotHeader(decoding: headerBytes, file: path)
    let seekTable = try source.readSeekTable()
    table = try source.readTable(before: seekTable)
    guard table.headerHash == XXH64.hash(headerBytes.span) else {
      throw .corrupt(file: path, offset: table.fileOffset, reason: "the table of contents belongs to another header")
    }
    guard seekTable == table.encodedSeekTable() else {
      throw .corrupt(
        file: path, offset: fileByteCount - Int64(seekTable.count),
        reason: "the seek table does not follow from the table of contents")
    }
    guard table.contentByteCount <= memoryLimit else {
      throw .limitExceeded("\(path) holds \(table.contentByteCount) bytes unpacked, the limit is \(memoryLimit)")
    }
    if let knownSections { try Self.refuseUnknown(in: table, knowing: knownSections) }
  }

  /// Reads, checks and decompresses one section of the table.
  func read(_ entry: SnapshotTable.Entry) throws(KithError) -> Section {
    let decompressor = try ZstdDecompressor()
    var content = [UInt8](repeating: 0, count: entry.contentByteCount)
    var position = 0
    var offset = entry.fileOffset
    for (index, frame) in entry.frames.enumerated() {
      let bytes = try readFrame(frame, at: offset)
      if index == 0 {
        try checkPreamble(bytes, of: entry, decompressor)
      } else {
        let end = position + frame.contentByteCount
        try decompressor.decompress(bytes.span, into: &content, position..<end, file: path, offset: offset)
        position = end
      }
      offset += Int64(frame.compressedByteCount)
    }
    guard XXH64.hash(content.span) == entry.contentHash else { throw contentHashIsWrong(entry) }
    return Section(
      id: entry.id, version: entry.version, encoding: entry.encoding, isCritical: entry.isCritical,
      elementCount: entry.elementCount, content: content,
      place: FilePlace(file: path, offset: entry.fileOffset))
  }

  /// Reads and decompresses everything, keeping one frame at a time.
  func verify() throws(KithError) {
    for entry in table.entries { try verify(entry) }
  }

  /// Hashes the compressed bytes of a section that is not wanted.
  func skip(_ entry: SnapshotTable.Entry) throws(KithError) {
    var offset = entry.fileOffset
    for frame in entry.frames {
      _ = try readFrame(frame, at: offset)
      offset += Int64(frame.compressedByteCount)
    }
  }

  var summary: SnapshotSummary {
    SnapshotSummary(
      path: path, fileByteCount: fileByteCount, header: header, sections: table.entries.map(\.summary))
  }

  private func verify(_ entry: SnapshotTable.Entry) throws(KithError) {
    let decompressor = try ZstdDecompressor()
    var hash = XXH64()
    var offset = entry.fileOffset
    for (index, frame) in entry.frames.enumerated() {
      let bytes = try readFrame(frame, at: offset)
      if index == 0 {
        try checkPreamble(bytes, of: entry, decompressor)
      } else {
        var content = [UInt8](repeating: 0, count: frame.contentByteCount)
        try decompressor.decompress(bytes.span, into: &content, 0..<content.count, file: path, offset: offset)
        hash.update(content.span)
      }
      offset += Int64(frame.compressedByteCount)
    }
    guard hash.finalize() == entry.contentHash else { throw contentHashIsWrong(entry) }
  }

  private func readFrame(_ frame: SnapshotTable.Frame, at offset: Int64) throws(KithError) -> [UInt8] {
    let source = Source(disk: disk, file: file, path: path, byteCount: fileByteCount)
    let bytes = try source.read(frame.compressedByteCount, at: offset)
    guard XXH64.hash(bytes.span) == frame.hash else {
      throw .corrupt(file: path, offset: offset, reason: "the hash of the frame is wrong")
    }
    return bytes
  }

  private func checkPreamble(
    _ frame: [UInt8], of entry: SnapshotTable.Entry, _ decompressor: borrowing ZstdDecompressor
  ) throws(KithError) {
    var preamble = [UInt8](repeating: 0, count: SnapshotFormat.preambleByteCount)
    try decompressor.decompress(
      frame.span, into: &preamble, 0..<preamble.count, file: path, offset: entry.fileOffset)
    guard preamble == entry.preamble() else {
      throw .corrupt(
        file: path, offset: entry.fileOffset, reason: "section \(entry.id) is not the one of the table of contents")
    }
  }

  private func contentHashIsWrong(_ entry: SnapshotTable.Entry) -> KithError {
    .corrupt(file: path, offset: entry.fileOffset, reason: "the content of section \(entry.id) has a wrong hash")
  }

  private static func refuseUnknown(
    in table: SnapshotTable, knowing knownSections: [SectionID: UInt16]
  ) throws(KithError) {
    for entry in table.entries where entry.isCritical && entry.version > knownSections[entry.id] ?? 0 {
      let known = knownSections[entry.id].map { "section \(entry.id) up to version \($0)" } ?? "no section \(entry.id)"
      throw .unsupportedVersion(
        found: "section \(entry.id) of version \(entry.version), without which the snapshot cannot be read",
        readable: "\(known), in format \(SnapshotFormat.version)")
    }
  }
}

extension SnapshotFileReader where D: Disk {
  /// Opens the file at `path`.
  convenience init(
    path: String, disk: D, memoryLimit: Int, knownSections: [SectionID: UInt16]?
  ) throws(KithError) {
    let file = try disk.open(path, writable: false)
    try self.init(file: file, path: path, disk: disk, memoryLimit: memoryLimit, knownSections: knownSections)
  }
}
