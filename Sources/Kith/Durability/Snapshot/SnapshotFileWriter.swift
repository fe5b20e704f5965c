/// Writes one snapshot file under a temporary name; `finish` renames it.
///
/// Crash safety: before the rename there is only a temporary file, which the next writer of the store removes. After it
/// the file is complete, because its bytes were synced and read back first. If the writer fails, or is freed
/// unfinished, its temporary file is removed.
final class SnapshotFileWriter<D: Disk> {
  let path: String
  /// The writer of the sections.
  let sections: SnapshotWriter<Output>
  private let directory: String
  private let temporaryPath: String
  private let replacing: Bool
  private let header: SnapshotHeader
  private let output: Output
  private let workers: Int
  private let noting: (SnapshotStep) throws(KithError) -> Void
  private var isTemporary = true

  struct Output: SnapshotOutput {
    let disk: D
    let file: D.File

    var isSeekable: Bool { true }

    func write(_ bytes: Span<UInt8>, at offset: Int64) throws(KithError) { try disk.write(file, at: offset, bytes) }
  }

  /// Creates the temporary file `NAME.<hash of the header>.tmp` in `directory`.
  ///
  /// - Parameters:
  ///   - replacing: whether an existing file called `name` may be replaced; otherwise EEXIST is thrown.
  ///   - workers: the number of threads that encode, compress and verify frames.
  ///   - noting: called for every frame written and read back, in order. The writer waits for it; an error ends the
  ///     writing.
  init(
    header: SnapshotHeader, directory: String, name: String, replacing: Bool, disk: D,
    workers: Int = SystemDisk.coreCount,
    noting: @escaping (SnapshotStep) throws(KithError) -> Void = { _ in }
  ) throws(KithError) {
    self.header = header
    self.directory = directory
    self.replacing = replacing
    self.workers = workers
    self.noting = noting
    path = directory.appendingPathComponent(name)
    if !replacing {
      try Self.checkFree(path, disk)
      Self.removeAbandoned(name, in: directory, disk)
    }
    let headerHash = XXH64.hash(header.encoded().span)
    temporaryPath = path + "." + String(headerHash, radix: 16) + StoreNames.temporarySuffix
    // Only a crashed attempt to write this very file, within the same millisecond, can have left one.
    if try disk.status(of: temporaryPath, followingLinks: false) != nil { try disk.remove(temporaryPath) }
    output = Output(disk: disk, file: try disk.create(temporaryPath))
    // So that others can tell it from what an ended process has left. In a store, its lock does.
    if !replacing { _ = try? disk.tryLock(output.file) }
    do throws(KithError) {
      sections = try SnapshotWriter(header: header, to: output, workers: workers, noting: noting)
    } catch {
      try? disk.remove(temporaryPath)
      throw error
    }
  }

  deinit {
    if isTemporary { try? output.disk.remove(temporaryPath) }
  }

  /// Writes the tables, syncs, reads everything back from the disk, renames, and syncs the directory.
  ///
  /// Afterwards the snapshot exists at `path`, durable and verified.
  func finish() throws(KithError) -> SnapshotSummary {
    let (disk, file) = (output.disk, output.file)
    let table = try sections.finish()
    try disk.sync(file)
    try noting(.verifying)
    disk.dropCache(file)
    let reader = try SnapshotFileReader(
      file: file, path: temporaryPath, disk: disk, memoryLimit: .max, knownSections: nil, workers: workers)
    guard reader.header == header, reader.table == table else {
      throw .corrupt(file: temporaryPath, offset: 0, reason: "what was read back is not what was written")
    }
    try reader.verify { (byteCount) throws(KithError) in try noting(.verified(contentByteCount: byteCount)) }
    if replacing {
      try disk.rename(temporaryPath, to: path)
    } else {
      // Another process may have created the file in the meantime.
      try disk.renameToFree(temporaryPath, to: path)
    }
    isTemporary = false
    try disk.syncDirectory(directory)
    return SnapshotSummary(path: path, fileByteCount: sections.offset, header: header, sections: sections.summaries)
  }

  /// Removes what ended processes have left of the file.
  private static func removeAbandoned(_ name: String, in directory: String, _ disk: D) {
    for entry in (try? disk.list(directory)) ?? [] where StoreNames.isTemporary(entry, of: name) {
      let path = directory.appendingPathComponent(entry)
      guard let file = try? disk.open(path, writable: true), (try? disk.tryLock(file)) == true else { continue }
      try? disk.remove(path)
    }
  }

  private static func checkFree(_ path: String, _ disk: D) throws(KithError) {
    guard try disk.status(of: path, followingLinks: false) == nil else {
      throw .system(errno: SystemError.fileExists, call: "create", path: path)
    }
  }
}
