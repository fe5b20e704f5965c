/// Snapshots read from and written to descriptors, for example to pipe them to object storage.
///
/// A snapshot that is read is held in memory, compressed, because reading starts at its end.
extension StoreTools {
  /// Reads everything from a descriptor, up to its end.
  ///
  /// - Throws: `system`; `limitExceeded` for more than half of this machine's memory.
  package static func bytes(from descriptor: Int32) throws(KithError) -> [UInt8] {
    try SystemStream(descriptor: descriptor).readToEnd(byteLimit: SnapshotFile.streamByteLimit)
  }

  /// Creates a store at `target` from the bytes of a snapshot, which errors call `name`: see
  /// `restore(from:to:at:only:allowedByteCount:noting:)`.
  package static func restore(
    fromBytes bytes: [UInt8], named name: String, to target: String, only parts: Set<GraphComponent>? = nil,
    allowedByteCount: Int? = nil, remarking: (String) -> Void = { _ in }
  ) throws(KithError) -> SnapshotInfo {
    let disk = SystemDisk()
    try checkFree(target, disk)
    var state = try SnapshotFile.read(
      bytes, path: name, limit: .outside(allowedByteCount: allowedByteCount), from: MemoryStorage()
    ).state
    if let parts { state.keep(parts) }
    return try makeStore(at: target, of: state, remarking)
  }

  /// The header and tables of a snapshot's bytes. Its content is not read.
  package static func inspect(bytes: [UInt8], named name: String) throws(KithError) -> SnapshotReport {
    SnapshotReport(try SnapshotFile.inspect(bytes, path: name, from: MemoryStorage()))
  }

  /// Writes the newest state of a store, including its journals, as a snapshot to a descriptor. The store is not
  /// changed.
  ///
  /// - Parameter noting: called with the recovery report, before anything is written.
  /// - Throws: `noStore`, `notAStore`, `corrupt`, `system`. After an error, every reader rejects what was written.
  package static func write(
    _ store: String, to descriptor: Int32, noting: (RecoveryReport) -> Void = { _ in }
  ) throws(KithError) {
    let newest = try newest(of: store, SystemDisk(), noting)
    try SnapshotFile.write(newest.header, newest.state, to: SystemStream(descriptor: descriptor))
  }
}
