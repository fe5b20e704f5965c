/// Reads a snapshot file that may be damaged or malicious.
///
/// Opening reads and checks header and tables. Sections can then be read in any order, on any thread, each using all
/// cores. Every compressed byte is hashed before zstd sees it, and decompressed into a buffer of exactly the declared
/// size.
///
/// Memory: opening takes at most six times the tables, which are part of the file. A section takes its declared
/// content, and four frames (≤ 4.04 MiB) per worker. The sum of all declared contents is checked against the limit
/// before any is allocated.
final class SnapshotFileReader<D: ByteStorage>: Sendable {
  let header: SnapshotHeader
  let table: SnapshotTable
  private let source: Source
  private let knownSections: [SectionID: UInt16]?
  private let workers: Int

  /// Opens a file, which `path` names in errors.
  ///
  /// - Parameters:
  ///   - memoryLimit: the most bytes of all contents together; beyond it `limitExceeded` is thrown.
  ///   - knownSections: the sections that the caller reads, with the highest version of each that it knows. Any other
  ///     critical section is rejected with `unsupportedVersion`. Nil accepts all (to inspect or verify).
  ///   - workers: the number of threads that decompress a section.
  convenience init(
    file: D.File, path: String, disk: D, memoryLimit: Int, knownSections: [SectionID: UInt16]?,
    workers: Int = SystemDisk.coreCount
  ) throws(KithError) {
    let source = Source(disk: disk, file: file, path: path, byteCount: try disk.byteCount(of: file))
    let (header, headerHash) = try source.readHeader()
    let seekTable = try source.readSeekTable()
    let table = try source.readTable(before: seekTable)
    guard table.headerHash == headerHash else {
      throw .corrupt(file: path, offset: table.fileOffset, reason: "the table of contents belongs to another header")
    }
    guard seekTable == table.encodedSeekTable() else {
      throw .corrupt(
        file: path, offset: source.byteCount - Int64(seekTable.count),
        reason: "the seek table does not follow from the table of contents")
    }
    try self.init(source, header, table, memoryLimit: memoryLimit, knownSections, workers)
  }

  /// Opens a file with damaged or missing tables: a table is rebuilt from the sections that exist (see
  /// `SnapshotTable.rebuilt`). The header must be intact.
  convenience init(
    rebuilding file: D.File, path: String, disk: D, memoryLimit: Int, knownSections: [SectionID: UInt16]?
  ) throws(KithError) {
    let source = Source(disk: disk, file: file, path: path, byteCount: try disk.byteCount(of: file))
    let (header, headerHash) = try source.readHeader()
    let table = try SnapshotTable.rebuilt(from: source, headerHash: headerHash)
    try self.init(source, header, table, memoryLimit: memoryLimit, knownSections, SystemDisk.coreCount)
  }

  private init(
    _ source: Source, _ header: SnapshotHeader, _ table: SnapshotTable, memoryLimit: Int,
    _ knownSections: [SectionID: UInt16]?, _ workers: Int
  ) throws(KithError) {
    guard table.contentByteCount <= memoryLimit else {
      throw .limitExceeded(
        .decompressedBytes(path: source.path, limit: memoryLimit, byteCount: table.contentByteCount))
    }
    if let knownSections { try Self.refuseUnknown(in: table, knowing: knownSections) }
    self.source = source
    self.header = header
    self.table = table
    self.knownSections = knownSections
    self.workers = workers
  }

  /// Reads, checks and decompresses one section of the table.
  func read(_ entry: SnapshotTable.Entry) throws(KithError) -> Section {
    var content: [UInt8] = []
    content.reserveCapacity(entry.contentByteCount)
    try forEachFrame(of: entry) { content += $0 }
    return Section(head: entry.head, content: content, place: place(of: entry))
  }

  /// Reads, checks and decompresses one section, and calls `body` with its content in order, frame by frame. At the end
  /// its hash is compared.
  func forEachFrame(
    of entry: SnapshotTable.Entry, _ body: ([UInt8]) throws(KithError) -> Void
  ) throws(KithError) {
    let offsets = entry.frameOffsets
    var hash = XXH64()
    try Parallel.inOrder(entry.frames.count, workers: workers) { (index) throws(KithError) in
      try self.content(of: entry.frames[index], at: offsets[index])
    } take: { (index, content) throws(KithError) in
      if index == 0 {
        guard content == entry.preamble() else {
          throw place(of: entry).corrupt("section \(entry.id) is not the one of the table of contents")
        }
      } else {
        hash.update(content.span)
        try body(content)
      }
    }
    guard hash.finalize() == entry.contentHash else {
      throw place(of: entry).corrupt("the content of section \(entry.id) has a wrong hash")
    }
  }

  /// Reads and decompresses everything, a few frames at a time.
  func verify(noting: (_ contentByteCount: Int) throws(KithError) -> Void = { _ in }) throws(KithError) {
    for entry in table.entries {
      try forEachFrame(of: entry) { (content) throws(KithError) in try noting(content.count) }
    }
  }

  /// Hashes the compressed bytes of a section that is not needed.
  func skip(_ entry: SnapshotTable.Entry) throws(KithError) {
    var offset = entry.fileOffset
    for frame in entry.frames {
      _ = try readFrame(frame, at: offset)
      offset += Int64(frame.compressedByteCount)
    }
  }

  var path: String { source.path }

  var summary: SnapshotSummary {
    SnapshotSummary(
      path: path, fileByteCount: source.byteCount, header: header, sections: table.entries.map(\.summary))
  }

  private func place(of entry: SnapshotTable.Entry) -> FilePlace { FilePlace(file: path, offset: entry.fileOffset) }

  private func content(of frame: SnapshotTable.Frame, at offset: Int64) throws(KithError) -> [UInt8] {
    let bytes = try readFrame(frame, at: offset)
    return try ZstdDecompressor.pool.lend { () throws(KithError) in
      try ZstdDecompressor()
    } _: { (decompressor) throws(KithError) in
      try decompressor.decompress(
        bytes.span, contentByteCount: frame.contentByteCount, file: path, offset: offset)
    }
  }

  private func readFrame(_ frame: SnapshotTable.Frame, at offset: Int64) throws(KithError) -> [UInt8] {
    let bytes = try source.read(frame.compressedByteCount, at: offset)
    guard XXH64.hash(bytes.span) == frame.hash else {
      throw .corrupt(file: path, offset: offset, reason: "the hash of the frame is wrong")
    }
    return bytes
  }

  private static func refuseUnknown(
    in table: SnapshotTable, knowing knownSections: [SectionID: UInt16]
  ) throws(KithError) {
    for entry in table.entries where entry.head.isCritical && entry.head.version > knownSections[entry.id] ?? 0 {
      let known = knownSections[entry.id].map { "section \(entry.id) up to version \($0)" } ?? "no section \(entry.id)"
      throw .unsupportedVersion(
        found: "section \(entry.id) of version \(entry.head.version), without which the snapshot cannot be read",
        readable: "\(known), in format \(SnapshotFormat.version)")
    }
  }
}

extension SnapshotFileReader: SectionSource {
  func section(_ id: SectionID) throws(KithError) -> Section { try read(try entry(id)) }

  func find(_ id: SectionID) throws(KithError) -> (head: SectionHead, contentByteCount: Int, place: FilePlace) {
    let entry = try entry(id)
    return (entry.head, entry.contentByteCount, place(of: entry))
  }

  func forEachFrame(of id: SectionID, _ body: ([UInt8]) throws(KithError) -> Void) throws(KithError) {
    try forEachFrame(of: try entry(id), body)
  }

  func framed(_ id: SectionID) throws(KithError) -> FramedContent {
    let entry = try entry(id)
    let offsets = entry.frameOffsets
    guard let first = entry.frames.first, try content(of: first, at: offsets[0]) == entry.preamble() else {
      throw place(of: entry).corrupt("section \(id) is not the one of the table of contents")
    }
    let byteCounts = entry.frames.dropFirst().map(\.contentByteCount)
    return FramedContent(byteCounts: byteCounts, hash: entry.contentHash) {
      [self] (frame) throws(KithError) in
      try content(of: entry.frames[frame + 1], at: offsets[frame + 1])
    }
  }

  private func entry(_ id: SectionID) throws(KithError) -> SnapshotTable.Entry {
    guard let entry = table.entries.first(where: { $0.id == id }), isKnown(entry) else {
      throw .corrupt(file: path, offset: 0, reason: "section \(id) is missing")
    }
    return entry
  }

  private func isKnown(_ entry: SnapshotTable.Entry) -> Bool {
    knownSections.map { entry.head.version <= $0[entry.id] ?? 0 } ?? true
  }

  /// Hashes the unknown sections, so that damage in them is detected too.
  func checkUnknown() throws(KithError) {
    for entry in table.entries where !isKnown(entry) { try skip(entry) }
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
