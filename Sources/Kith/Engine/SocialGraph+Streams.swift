/// Graphs from snapshots that are not in a store: hosts keep them in object storage, in an archive, in another process.
extension SocialGraph {
  /// A graph in memory, of the bytes of a snapshot file. It can be changed, and has no store.
  ///
  /// Errors: `notAStore` for bytes that were never a snapshot, `corrupt`, `unsupportedVersion`, `limitExceeded` when it
  /// would unpack to more than half of this machine's memory, or holds more than the options allow.
  /// - Complexity: O(graph · log longest list). Memory: the bytes, what they unpack to, and the graph.
  public convenience init(snapshot bytes: [UInt8], options: Options = Options()) throws(KithError) {
    try self.init(snapshot: bytes, named: "the snapshot in memory", from: MemoryStorage(), options)
  }

  /// A graph in memory, of a snapshot file that is open for reading. It can be changed, and has no store.
  ///
  /// Only regular files can be read. The descriptor stays the caller's: it may be closed afterwards, and its position
  /// is neither used nor moved.
  /// Errors: as of `init(snapshot:)`, and `system`.
  /// - Complexity: O(graph · log longest list). Memory: what the file unpacks to, and the graph.
  public convenience init(snapshotDescriptor descriptor: Int32, options: Options = Options()) throws(KithError) {
    let disk = SystemDisk()
    let file = try disk.open(descriptor: descriptor)
    try self.init(snapshot: file, named: file.path, from: disk, options)
  }

  private convenience init<Storage: ByteStorage>(
    snapshot file: Storage.File, named name: String, from storage: Storage, _ options: Options
  ) throws(KithError) {
    let snapshot = try SnapshotFile.read(file, path: name, from: storage)
    try GraphLimits(options).check(snapshot.state)
    self.init(snapshot.state, store: nil, options: options, isReadOnly: false)
  }
}
