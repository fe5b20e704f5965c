/// Snapshots outside of stores: in object storage, in an archive, in another process.
extension SocialGraph {
  /// Writes a snapshot of the current state to a descriptor: a pipe, a socket, or a file from its current position on.
  ///
  /// Readers and writers are not blocked, even by a slow receiver. The snapshot has its own id, and the graph's store,
  /// if any, is not changed. The caller keeps ownership of the descriptor. Success means that all bytes were written.
  /// Whether they arrived is for the receiver to check, by `kith verify -` or by reading the snapshot.
  /// - Returns: the sequence number of the last change in the snapshot.
  /// - Throws: `KithError.closed`; `system` if writing failed. Readers reject the incomplete snapshot.
  /// - Complexity: O(graph). Memory: some megabytes per core, and the pages written meanwhile.
  @discardableResult
  public func writeSnapshot(to descriptor: Int32) throws(KithError) -> UInt64 {
    try checkOpen()
    let pin = pin()
    let header = SnapshotHeader(
      storeID: .random(), sequence: pin.view.sequence,
      generation: 1, writtenAt: Timestamp.now().rawValue, unicodeVersion: Folding.unicodeVersion,
      hasSchema: pin.view.state.relations.hasSchema)
    try SnapshotFile.write(header, pin.view.state, to: SystemStream(descriptor: descriptor))
    return header.sequence
  }

  /// Creates a mutable graph in memory, without a store, from the bytes of a snapshot file.
  /// - Throws: `KithError.notAStore` if the bytes are no snapshot, `corrupt`, `unsupportedVersion`, `usernamesCollide`;
  ///   `limitExceeded` if it would decompress to more than half of this machine's memory, or exceeds a limit of the
  ///   options. `limitExceeded` is also thrown, before anything is built, if the graph would take more than a gibibyte,
  ///   more than 200 times the bytes, and more than `SocialGraph.Options.maximumByteCount`: such a file is malicious,
  ///   or holds hardly anything but removed users and posts.
  /// - Complexity: O(graph · log longest list). Memory: the bytes, their decompressed size, and the graph.
  public convenience init(snapshot bytes: [UInt8], options: Options = Options()) throws(KithError) {
    try self.init(snapshot: bytes, named: "the snapshot in memory", from: MemoryStorage(), options)
  }

  /// Creates a mutable graph in memory, without a store, from a snapshot read from a descriptor.
  ///
  /// A regular file is read as a whole; its position is neither used nor moved. A pipe or a socket is read to its end.
  /// The caller keeps ownership of the descriptor and may close it afterwards.
  /// - Throws: as `init(snapshot:)`, and `KithError.system`; `limitExceeded` if a stream is longer than half of this
  ///   machine's memory.
  /// - Complexity: O(graph · log longest list). Memory: the decompressed snapshot and the graph; for a stream, its
  ///   bytes too.
  public convenience init(snapshotDescriptor descriptor: Int32, options: Options = Options()) throws(KithError) {
    let disk = SystemDisk()
    if let file = try disk.openRegular(descriptor: descriptor) {
      try self.init(snapshot: file, named: file.path, from: disk, options)
    } else {
      let stream = SystemStream(descriptor: descriptor)
      let bytes = try stream.readToEnd(byteLimit: SnapshotFile.streamByteLimit)
      try self.init(snapshot: bytes, named: stream.name, from: MemoryStorage(), options)
    }
  }

  private convenience init<Storage: ByteStorage>(
    snapshot file: Storage.File, named name: String, from storage: Storage, _ options: Options
  ) throws(KithError) {
    var snapshot = try SnapshotFile.read(
      file, path: name, limit: .outside(allowedByteCount: options.maximumByteCount), form: options.form,
      from: storage)
    try GraphLimits(options).admit(&snapshot.state)
    self.init(snapshot.state, store: nil, options: options, isReadOnly: false)
  }
}
