/// Whole snapshot files: write, read, inspect, verify.
enum SnapshotFile {
  /// What a snapshot may unpack to when the host says nothing: half of this machine's memory.
  static var defaultMemoryLimit: Int { SystemDisk.physicalMemoryByteCount / 2 }

  /// Writes a graph as a snapshot called `name` in `directory` so that it either stands there whole, durable and
  /// verified, or not at all. See `SnapshotFileWriter`.
  ///
  /// - Complexity: O(graph), twice: once to compress, once to read it back.
  static func write<D: Disk>(
    _ header: SnapshotHeader, _ state: borrowing GraphState, to directory: String, name: String,
    replacing: Bool = false,
    disk: D, workers: Int = SystemDisk.coreCount, noting: @escaping (SnapshotStep) -> Void = { _ in }
  ) throws(KithError) -> SnapshotSummary {
    let writer = try SnapshotFileWriter(
      header: header, directory: directory, name: name, replacing: replacing, disk: disk, workers: workers,
      noting: noting)
    try GraphSections.write(state, to: writer.sections)
    return try writer.finish()
  }

  /// Writes a graph as a snapshot to a stream. What came through is for the other end to verify; after an error, what
  /// was written is the beginning of a snapshot, which every reader refuses.
  ///
  /// - Complexity: O(graph): everything is encoded twice and compressed once.
  static func write(
    _ header: SnapshotHeader, _ state: borrowing GraphState, to stream: SystemStream
  ) throws(KithError) {
    let writer = try SnapshotWriter(header: header, to: stream)
    try GraphSections.write(state, to: writer)
    _ = try writer.finish()
  }

  /// The graph that a snapshot file holds, which may be bytes in memory; `path` names it in errors.
  ///
  /// Critical sections that are not known are refused with `unsupportedVersion`, other unknown ones checked and left
  /// out.
  static func read<Storage: ByteStorage>(
    _ file: Storage.File, path: String, memoryLimit: Int = defaultMemoryLimit, from storage: Storage,
    checking check: (SnapshotHeader) throws(KithError) -> Void = { _ in }
  ) throws(KithError) -> SavedGraph {
    let reader = try SnapshotFileReader(
      file: file, path: path, disk: storage, memoryLimit: memoryLimit, knownSections: GraphSections.known)
    let sequence = reader.header.sequence
    guard sequence <= JournalFormat.numberLimit else {
      throw .corrupt(file: path, offset: 40, reason: "no change has the number \(sequence)")
    }
    try check(reader.header)
    try reader.checkUnknown()
    return SavedGraph(header: reader.header, state: try GraphSections.state(from: reader, sequence: sequence))
  }

  /// What the header and the tables say; the frames are not read.
  static func inspect<Storage: ByteStorage>(
    _ file: Storage.File, path: String, from storage: Storage
  ) throws(KithError) -> SnapshotSummary {
    try SnapshotFileReader(file: file, path: path, disk: storage, memoryLimit: .max, knownSections: nil).summary
  }

  /// Reads and decompresses all of the file, one frame at a time; throws at the first damage.
  /// - Parameter noting: is told of the content of every frame as it was read.
  @discardableResult
  static func verify<Storage: ByteStorage>(
    _ file: Storage.File, path: String, from storage: Storage, noting: (_ contentByteCount: Int) -> Void = { _ in }
  ) throws(KithError) -> SnapshotSummary {
    let reader = try SnapshotFileReader(
      file: file, path: path, disk: storage, memoryLimit: .max, knownSections: nil)
    try reader.verify(noting: noting)
    return reader.summary
  }

  static func inspect<D: Disk>(path: String, disk: D) throws(KithError) -> SnapshotSummary {
    try inspect(try disk.open(path, writable: false), path: path, from: disk)
  }

  @discardableResult
  static func verify<D: Disk>(
    path: String, disk: D, noting: (_ contentByteCount: Int) -> Void = { _ in }
  ) throws(KithError) -> SnapshotSummary {
    try verify(try disk.open(path, writable: false), path: path, from: disk, noting: noting)
  }
}

/// What a snapshot file holds.
struct SavedGraph: ~Copyable {
  let header: SnapshotHeader
  var state: GraphState
}
