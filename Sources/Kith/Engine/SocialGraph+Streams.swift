/// Snapshots that are not in a store: hosts keep them in object storage, in an archive, in another process.
extension SocialGraph {
  /// Writes the graph as it is now as a snapshot to a descriptor: a pipe, a socket, a file from where it stands.
  ///
  /// Readers and writers go on meanwhile; a slow other end holds nobody up. The snapshot has an id of its own, and the
  /// store, if the graph has one, stays as it is. The descriptor stays the caller's.
  /// - Returns: the number of the last change that the snapshot holds.
  ///
  /// Errors: `system`, after which what was written is no snapshot, and readers refuse it. What was written without
  /// an error is whole; whether it came through, the other end tells, by `kith verify -` or by reading it.
  /// - Complexity: O(graph). Memory: some megabytes a core, and what changes meanwhile.
  @discardableResult
  public func writeSnapshot(to descriptor: Int32) throws(KithError) -> UInt64 {
    let pin = pin()
    let header = SnapshotHeader(
      storeID: (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max)), sequence: pin.view.sequence,
      generation: 1, writtenAt: Timestamp.now().rawValue, unicodeVersion: Folding.unicodeVersion)
    try SnapshotFile.write(header, pin.view.state, to: SystemStream(descriptor: descriptor))
    return header.sequence
  }

  /// A graph in memory, of the bytes of a snapshot file. It can be changed, and has no store.
  ///
  /// Errors: `notAStore` for bytes that were never a snapshot, `corrupt`, `unsupportedVersion`, `limitExceeded` when it
  /// would unpack to more than half of this machine's memory, or holds more than the options allow.
  /// - Complexity: O(graph · log longest list). Memory: the bytes, what they unpack to, and the graph.
  public convenience init(snapshot bytes: [UInt8], options: Options = Options()) throws(KithError) {
    try self.init(snapshot: bytes, named: "the snapshot in memory", from: MemoryStorage(), options)
  }

  /// A graph in memory, of a snapshot that a descriptor gives. It can be changed, and has no store.
  ///
  /// Of a regular file all is read, and its position is neither used nor moved; a pipe or a socket is read to its end.
  /// The descriptor stays the caller's: it may be closed afterwards.
  /// Errors: as of `init(snapshot:)`, and `system`; `limitExceeded` for a stream longer than half of this machine's
  /// memory.
  /// - Complexity: O(graph · log longest list). Memory: what the snapshot unpacks to, and the graph; of a stream, its
  ///   bytes too.
  public convenience init(snapshotDescriptor descriptor: Int32, options: Options = Options()) throws(KithError) {
    let disk = SystemDisk()
    if let file = try disk.openRegular(descriptor: descriptor) {
      try self.init(snapshot: file, named: file.path, from: disk, options)
    } else {
      let stream = SystemStream(descriptor: descriptor)
      let bytes = try stream.readToEnd(byteLimit: SnapshotFile.defaultMemoryLimit)
      try self.init(snapshot: bytes, named: stream.name, from: MemoryStorage(), options)
    }
  }

  private convenience init<Storage: ByteStorage>(
    snapshot file: Storage.File, named name: String, from storage: Storage, _ options: Options
  ) throws(KithError) {
    let snapshot = try SnapshotFile.read(file, path: name, from: storage)
    try GraphLimits(options).check(snapshot.state)
    self.init(snapshot.state, store: nil, options: options, isReadOnly: false)
  }
}
