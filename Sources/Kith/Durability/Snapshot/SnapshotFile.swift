/// Operations on whole snapshot files: write, read, inspect, verify.
enum SnapshotFile {
  /// The default limit of a snapshot's decompressed size: this machine's memory. The columns are never all in memory;
  /// what the graph will take is bounded by its `GraphEstimate`.
  static var defaultMemoryLimit: Int { SystemDisk.physicalMemoryByteCount }

  /// The most bytes of a compressed snapshot that are read into memory from a stream: half of this machine's memory.
  static var streamByteLimit: Int { SystemDisk.physicalMemoryByteCount / 2 }

  /// Writes a graph as a snapshot called `name` in `directory`. The file is created durable and verified, or not at
  /// all. See `SnapshotFileWriter`.
  ///
  /// - Complexity: O(graph), twice: once to compress, once to read it back.
  static func write<D: Disk>(
    _ header: SnapshotHeader, _ state: borrowing GraphState, to directory: String, name: String,
    replacing: Bool = false,
    disk: D, workers: Int = SystemDisk.coreCount, noting: @escaping (SnapshotStep) throws(KithError) -> Void = { _ in }
  ) throws(KithError) -> SnapshotSummary {
    let writer = try SnapshotFileWriter(
      header: header, directory: directory, name: name, replacing: replacing, disk: disk, workers: workers,
      noting: noting)
    try GraphSections.write(state, to: writer.sections)
    return try writer.finish()
  }

  /// Writes a graph as a snapshot to a stream. The receiver has to verify it. After an error, what was written is an
  /// incomplete snapshot, which every reader rejects.
  ///
  /// - Complexity: O(graph): everything is encoded twice and compressed once.
  static func write(
    _ header: SnapshotHeader, _ state: borrowing GraphState, to stream: SystemStream
  ) throws(KithError) {
    let writer = try SnapshotWriter(header: header, to: stream)
    try GraphSections.write(state, to: writer)
    _ = try writer.finish()
  }

  /// Reads the graph in a snapshot file, which may be bytes in memory. `path` names it in errors.
  ///
  /// Unknown critical sections are rejected with `unsupportedVersion`. Other unknown sections are verified and ignored.
  /// - Parameters:
  ///   - limit: the most memory that the graph may take.
  ///   - form: its form in memory; files know none.
  static func read<Storage: ByteStorage>(
    _ file: Storage.File, path: String, memoryLimit: Int = defaultMemoryLimit,
    limit: RestoreLimit = .ownStore(maximumByteCount: nil), form: GraphForm = .plain, from storage: Storage,
    checking check: (SnapshotHeader) throws(KithError) -> Void = { _ in }
  ) throws(KithError) -> SavedGraph {
    let reader = try SnapshotFileReader(
      file: file, path: path, disk: storage, memoryLimit: memoryLimit, knownSections: GraphSections.known)
    try check(reader.header)
    let byteLimit = limit.byteCount(fileByteCount: try storage.byteCount(of: file))
    try reader.checkUnknown()
    let state = try PagePool.filling { () throws(KithError) in
      try GraphSections.state(
        from: reader, sequence: reader.header.sequence, byteLimit: byteLimit, isOwn: limit.isOwnStore, form: form)
    }
    return SavedGraph(header: reader.header, state: state)
  }

  /// The content of the header and the tables. The frames are not read.
  static func inspect<Storage: ByteStorage>(
    _ file: Storage.File, path: String, from storage: Storage
  ) throws(KithError) -> SnapshotSummary {
    try SnapshotFileReader(file: file, path: path, disk: storage, memoryLimit: .max, knownSections: nil).summary
  }

  /// Reads and decompresses the whole file, one frame at a time. Throws at the first damage. Only hashes are compared;
  /// `read` checks whether a graph can be built.
  /// - Parameter noting: called with the content size of each frame after it was read.
  @discardableResult
  static func verify<Storage: ByteStorage>(
    _ file: Storage.File, path: String, from storage: Storage,
    noting: (_ contentByteCount: Int) throws(KithError) -> Void = { _ in }
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
    path: String, disk: D, noting: (_ contentByteCount: Int) throws(KithError) -> Void = { _ in }
  ) throws(KithError) -> SnapshotSummary {
    try verify(try disk.open(path, writable: false), path: path, from: disk, noting: noting)
  }
}

/// The content of a snapshot file.
struct SavedGraph: ~Copyable {
  let header: SnapshotHeader
  var state: GraphState
}
