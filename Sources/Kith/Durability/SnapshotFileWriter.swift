/// Writes one snapshot file, section by section, under a temporary name; `finish` makes it stand under its own.
///
/// Pieces are made and compressed on all cores and written in order. A section's preamble tells the hash of what
/// follows it, so it is written last, over the room that was left for it.
///
/// Crash cases: before the rename there is only a temporary file, which the next writer of the store removes; after it
/// the file is whole, because its bytes were synced and read back before. If the writer is dropped unfinished, or
/// fails, its temporary file is removed. Memory: about six frames a worker.
final class SnapshotFileWriter<D: Disk>: SectionSink {
  let path: String
  private let directory: String
  private let temporaryPath: String
  private let replacing: Bool
  private let disk: D
  private let header: SnapshotHeader
  private let headerHash: UInt64
  private let file: D.File
  private let workers: Int
  private let noting: (SnapshotStep) -> Void
  private var entries: [SnapshotTable.Entry] = []
  /// Where the next frame will stand.
  private var offset: Int64 = 0
  /// The end of the file as far as it is not yet handed to the disk.
  private var pending: [UInt8] = []
  private var isTemporary = true

  /// Creates the temporary file `NAME.<hash of the header>.tmp` in `directory`.
  ///
  /// - Parameters:
  ///   - replacing: whether a file called `name` may be replaced; otherwise it is refused with EEXIST.
  ///   - workers: how many threads make and compress pieces.
  ///   - noting: is told of every frame as it was written, in order; a slow answer slows the writing.
  init(
    header: SnapshotHeader, directory: String, name: String, replacing: Bool, disk: D,
    workers: Int = SystemDisk.coreCount,
    noting: @escaping (SnapshotStep) -> Void = { _ in }
  ) throws(KithError) {
    self.header = header
    self.directory = directory
    self.disk = disk
    self.replacing = replacing
    self.workers = workers
    self.noting = noting
    path = directory.appendingPathComponent(name)
    if !replacing { try Self.checkFree(path, disk) }
    let headerBytes = header.encoded()
    headerHash = XXH64.hash(headerBytes.span)
    temporaryPath = path + "." + String(headerHash, radix: 16) + StoreNames.temporarySuffix
    // Only a crashed attempt at this very file, to the millisecond, can have left one.
    if try disk.status(of: temporaryPath, followingLinks: false) != nil { try disk.remove(temporaryPath) }
    file = try disk.create(temporaryPath)
    try append(headerBytes)
  }

  deinit {
    if isTemporary { try? disk.remove(temporaryPath) }
  }

  /// A frame ready to be written, and the content that it holds.
  private struct Packed: Sendable {
    let piece: ColumnPiece
    let frame: [UInt8]
    let hash: UInt64
  }

  /// Compresses one section into frames and writes them.
  func append(
    _ head: SectionHead, level: Int32, pieceCount: Int, _ piece: @Sendable (Int) -> ColumnPiece
  ) throws(KithError) {
    let start = offset
    try append([UInt8](repeating: 0, count: Zstd.storedByteCount(SnapshotFormat.preambleByteCount)))
    var hash = XXH64()
    var headers: [UInt8] = []
    var contentByteCount = 0
    var frames: [SnapshotTable.Frame] = []
    func take(_ packed: Packed) throws(KithError) {
      let content = packed.piece.content
      hash.update(content.span)
      headers += packed.piece.headers
      contentByteCount += content.count
      frames.append(.init(compressedByteCount: packed.frame.count, contentByteCount: content.count, hash: packed.hash))
      try append(packed.frame)
      noting(.wrote(contentByteCount: content.count))
    }
    try Parallel.inOrder(pieceCount, workers: workers) { (index) throws(KithError) in
      try Self.pack(piece(index), level)
    } take: { (_, packed) throws(KithError) in
      try take(packed)
    }
    for first in stride(from: 0, to: headers.count, by: SnapshotFormat.frameContentByteCount) {
      let end = min(first + SnapshotFormat.frameContentByteCount, headers.count)
      try take(try Self.pack(ColumnPiece(content: Array(headers[first..<end])), level))
    }
    try appendEntry(head, at: start, contentByteCount, hash.finalize(), frames)
  }

  /// Notes a section that was written, and writes its preamble, a stored frame, before it.
  private func appendEntry(
    _ head: SectionHead, at start: Int64, _ contentByteCount: Int, _ contentHash: UInt64,
    _ frames: [SnapshotTable.Frame]
  ) throws(KithError) {
    func entry(_ frames: [SnapshotTable.Frame]) -> SnapshotTable.Entry {
      SnapshotTable.Entry(
        head: head, contentByteCount: contentByteCount, contentHash: contentHash, fileOffset: start, frames: frames)
    }
    let preamble = entry([]).preamble()
    let frame = Zstd.stored(preamble)
    try flush()
    try disk.write(file, at: start, frame.span)
    let first = SnapshotTable.Frame(
      compressedByteCount: frame.count, contentByteCount: preamble.count, hash: XXH64.hash(frame.span))
    entries.append(entry([first] + frames))
  }

  /// Writes the tables, syncs, reads everything back from the disk, renames, and syncs the directory.
  ///
  /// Afterwards the snapshot stands at `path`, durable and verified.
  func finish() throws(KithError) -> SnapshotSummary {
    let table = SnapshotTable(headerHash: headerHash, entries: entries)
    try append(table.encoded())
    try append(table.encodedSeekTable())
    try flush()
    try disk.sync(file)
    noting(.verifying)
    disk.dropCache(file)
    let reader = try SnapshotFileReader(
      file: file, path: temporaryPath, disk: disk, memoryLimit: .max, knownSections: nil, workers: workers)
    guard reader.header == header, reader.table == table else {
      throw .corrupt(file: temporaryPath, offset: 0, reason: "what was read back is not what was written")
    }
    try reader.verify()
    if replacing {
      try disk.rename(temporaryPath, to: path)
    } else {
      // Somebody may have come while it was written.
      try disk.renameToFree(temporaryPath, to: path)
    }
    isTemporary = false
    try disk.syncDirectory(directory)
    return SnapshotSummary(
      path: path, fileByteCount: offset, header: header, sections: entries.map(\.summary))
  }

  private static func checkFree(_ path: String, _ disk: D) throws(KithError) {
    guard try disk.status(of: path, followingLinks: false) == nil else {
      throw .system(errno: SystemError.fileExists, call: "create", path: path)
    }
  }

  private static func pack(_ piece: ColumnPiece, _ level: Int32) throws(KithError) -> Packed {
    let frame = try ZstdCompressor.pool.lend { () throws(KithError) in
      try ZstdCompressor()
    } _: { (compressor) throws(KithError) in
      try compressor.compress(piece.content.span, level: level)
    }
    return Packed(piece: piece, frame: frame, hash: XXH64.hash(frame.span))
  }

  private func append(_ bytes: [UInt8]) throws(KithError) {
    offset += Int64(bytes.count)
    pending += bytes
    // Whole megabytes: small frames do not each cost a call.
    if pending.count >= 1 << 20 { try flush() }
  }

  private func flush() throws(KithError) {
    let bytes = pending
    pending = []
    if bytes.isEmpty { return }
    try disk.write(file, at: offset - Int64(bytes.count), bytes.span)
  }
}

/// What the writer of a snapshot does.
enum SnapshotStep: Sendable {
  /// A frame that holds so much was handed to the disk.
  case wrote(contentByteCount: Int)
  /// All was written and synced, and is now read back.
  case verifying
}
