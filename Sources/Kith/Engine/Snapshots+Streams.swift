/// Snapshots that come and go through descriptors, so that object storage is a pipe away.
///
/// One that comes is held in memory, compressed as it is: it is read from its end.
extension Snapshots {
  /// All that a descriptor gives, up to its end.
  ///
  /// Errors: `system`, `limitExceeded` for more than half of this machine's memory.
  package static func bytes(from descriptor: Int32) throws(KithError) -> [UInt8] {
    try SystemStream(descriptor: descriptor).readToEnd(byteLimit: SnapshotFile.defaultMemoryLimit)
  }

  /// Makes a new store at `target` of the bytes of a snapshot, which `name` stands for in errors: see
  /// `restore(from:to:at:only:)`.
  package static func restore(
    fromBytes bytes: [UInt8], named name: String, to target: String, only parts: Set<GraphPart>? = nil
  ) throws(KithError) -> SnapshotInfo {
    let disk = SystemDisk()
    try checkFree(target, disk)
    var state = try SnapshotFile.read(bytes, path: name, from: MemoryStorage()).state
    if let parts { state.keep(parts) }
    return try makeStore(at: target, of: state, disk)
  }

  /// What the bytes of a snapshot say of themselves; their content is not read.
  package static func inspect(bytes: [UInt8], named name: String) throws(KithError) -> SnapshotReport {
    SnapshotReport(try SnapshotFile.inspect(bytes, path: name, from: MemoryStorage()))
  }

  /// Writes the newest state of a store, journals included, as a snapshot to a descriptor; the store stays as it is.
  ///
  /// - Parameter noting: is told what was found in the store's files, before anything is written.
  /// Errors: `noStore`, `notAStore`, `corrupt`, `system`; after an error, what was written is refused by every reader.
  package static func write(
    _ store: String, to descriptor: Int32, noting: (RecoveryReport) -> Void = { _ in }
  ) throws(KithError) {
    let newest = try newest(of: store, SystemDisk(), noting)
    try SnapshotFile.write(newest.header, newest.state, to: SystemStream(descriptor: descriptor))
  }
}
