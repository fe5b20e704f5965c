/// Writes one snapshot file, section by section, under a temporary name; `finish` makes it stand under its own.
///
/// Crash cases: before the rename there is only a temporary file, which the next writer of the store removes; after it
/// the file is whole, because its bytes were synced and read back before. If the writer is dropped unfinished, or
/// fails, its temporary file is removed. Memory: one frame, besides the section that the caller holds.
final class SnapshotFileWriter<D: Disk> {
  let path: String
  private let directory: String
  private let temporaryPath: String
  private let replacing: Bool
  private let disk: D
  private let header: SnapshotHeader
  private let headerHash: UInt64
  private let file: D.File
  private var entries: [SnapshotTable.Entry] = []
  /// Where the next frame will stand.
  private var offset: Int64 = 0
  /// The end of the file as far as it is not yet handed to the disk.
  private var pending: [UInt8] = []
  private var isTemporary = true

  /// Creates the temporary file `NAME.<hash of the header>.tmp` in `directory`.
  ///
  /// - Parameter replacing: whether a file called `name` may be replaced; otherwise it is refused with EEXIST.
  init(
    header: SnapshotHeader, directory: String, name: String, replacing: Bool, disk: D
  ) throws(KithError) {
    self.header = header
    self.directory = directory
    self.disk = disk
    self.replacing = replacing
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

  /// Compresses one section into frames and writes them.
  func append(_ section: borrowing Section) throws(KithError) {
    let contentHash = XXH64.hash(section.content.span)
    let start = offset
    let compressor = try ZstdCompressor(level: section.compressionLevel)
    var frames: [SnapshotTable.Frame] = []
    func entry() -> SnapshotTable.Entry {
      SnapshotTable.Entry(
        id: section.id, version: section.version, encoding: section.encoding, isCritical: section.isCritical,
        elementCount: section.elementCount, contentByteCount: section.content.count, contentHash: contentHash,
        fileOffset: start, frames: frames)
    }
    let preamble = entry().preamble()
    frames.append(try append(frameOf: preamble.span, compressor))
    var position = 0
    while position < section.content.count {
      let end = min(position + SnapshotFormat.frameContentByteCount, section.content.count)
      frames.append(try append(frameOf: section.content.span.extracting(position..<end), compressor))
      position = end
    }
    entries.append(entry())
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
    disk.dropCache(file)
    let reader = try SnapshotFileReader(
      file: file, path: temporaryPath, disk: disk, memoryLimit: .max, knownSections: nil)
    guard reader.header == header, reader.table == table else {
      throw .corrupt(file: temporaryPath, offset: 0, reason: "what was read back is not what was written")
    }
    try reader.verify()
    // Again, since writing took its time.
    if !replacing { try Self.checkFree(path, disk) }
    try disk.rename(temporaryPath, to: path)
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

  private func append(frameOf content: Span<UInt8>, _ compressor: borrowing ZstdCompressor) throws(KithError)
    -> SnapshotTable.Frame
  {
    let frame = try compressor.compress(content)
    try append(frame)
    return SnapshotTable.Frame(
      compressedByteCount: frame.count, contentByteCount: content.count, hash: XXH64.hash(frame.span))
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
    try disk.write(file, at: offset - Int64(bytes.count), bytes.span)
  }
}
