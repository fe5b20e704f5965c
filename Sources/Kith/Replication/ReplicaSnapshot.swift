import Synchronization

/// A snapshot of a replica: a file that holds a graph and its place in a log.
package struct ReplicaSnapshot: Hashable, Sendable {
  package let path: String
  package let byteCount: Int64
  package let sequence: UInt64
  package let place: LogPlace
  /// The digest of the graph in it, from the hashes of its columns.
  package let digest: UInt64

  private init?(_ summary: SnapshotSummary) {
    guard let place = summary.header.log else { return nil }
    path = summary.path
    byteCount = summary.fileByteCount
    sequence = summary.header.sequence
    self.place = place
    digest = StateDigest.of(summary)
  }

  /// What the names of the files end with.
  private static let suffix = ".replica.kith.zst"

  /// The name of the snapshot at a position, by which names sort.
  package static func name(at position: UInt64, of log: StoreID) -> String {
    let digits = String(position)
    return "\(log)-" + String(repeating: "0", count: 20 - digits.count) + digits + suffix
  }

  /// Writes a snapshot: durable and read back, or not at all. One of the same position is replaced.
  /// - Complexity: O(graph), twice.
  package static func write(
    _ pin: SocialGraph.Pin, _ tokens: LoggedTokens = LoggedTokens(), at place: LogPlace, in directory: String,
    workers: Int
  ) throws(KithError) -> ReplicaSnapshot {
    let header = SnapshotHeader(
      storeID: place.log, sequence: pin.view.sequence, generation: 1, writtenAt: Timestamp.now().rawValue,
      unicodeVersion: Folding.unicodeVersion, log: place, hasSchema: pin.view.state.relations.hasSchema)
    let writer = try SnapshotFileWriter(
      header: header, directory: directory, name: name(at: place.position, of: place.log), replacing: true,
      disk: SystemDisk(), workers: workers)
    try GraphSections.write(pin.view.state, to: writer.sections)
    try tokens.write(to: writer.sections)
    let summary = try writer.finish()
    guard let snapshot = ReplicaSnapshot(summary) else { preconditionFailure("the header has a place") }
    return snapshot
  }

  /// The names of the snapshots of a log in a directory, the newest first; none if there is no directory.
  package static func names(in directory: String, of log: StoreID) throws(KithError) -> [String] {
    let disk = SystemDisk()
    guard try disk.status(of: directory, followingLinks: true) != nil else { return [] }
    let prefix = "\(log)-"
    return try disk.list(directory).filter { found in
      guard found.hasPrefix(prefix), found.hasSuffix(suffix) else { return false }
      // Not a conflicted copy of one.
      let position = UInt64(found.dropFirst(prefix.count).dropLast(suffix.count))
      return position.map { name(at: $0, of: log) == found } ?? false
    }.reversed()
  }

  /// What the names of signs end with.
  private static let signSuffix = ".host"

  /// Leaves a small file in a directory. Another host that reads it there has the same directory, and may read what
  /// this one writes.
  /// - Parameter host: a name for files, of letters and digits.
  package static func leaveSign(
    of host: String, _ content: [UInt8], for log: StoreID, in directory: String
  ) throws(KithError) {
    let name = "\(log)-\(host)\(signSuffix)"
    try remove([name], in: directory)
    guard let arrival = try Arrival(name, in: directory) else { return }
    try arrival.write(content, at: 0)
    try arrival.finish()
  }

  /// Removes what a host has left in a directory.
  package static func removeSign(of host: String, for log: StoreID, in directory: String) throws(KithError) {
    try remove(["\(log)-\(host)\(signSuffix)"], in: directory)
  }

  /// What a host has left in a directory; nil if there is nothing, or nothing that can be read.
  package static func sign(of host: String, for log: StoreID, in directory: String) -> [UInt8]? {
    try? bytes(of: "\(log)-\(host)\(signSuffix)", in: directory, at: 0, count: signByteLimit)
  }

  private static let signByteLimit = 64

  /// The logs for which a host has left a sign in a directory, as texts, ascending; none if there is no directory.
  package static func signedLogs(by host: String, in directory: String) throws(KithError) -> [String] {
    let disk = SystemDisk()
    guard try disk.status(of: directory, followingLinks: true) != nil else { return [] }
    let end = "-\(host)\(signSuffix)"
    return try disk.list(directory).filter { $0.hasSuffix(end) }.map { String($0.dropLast(end.count)) }.sorted()
  }

  /// Creates a directory unless there is one.
  package static func makeDirectory(_ path: String) throws(KithError) {
    let disk = SystemDisk()
    if try disk.status(of: path, followingLinks: true) == nil {
      try disk.makeDirectory(path)
      try disk.syncDirectory(path.parentPath)
    }
  }

  /// Reads a whole snapshot and compares all hashes. Builds no graph.
  /// - Throws: `corrupt`, `notAStore`, `unsupportedVersion`, `system`.
  package static func verify(_ name: String, in directory: String) throws(KithError) -> ReplicaSnapshot {
    let path = directory.appendingPathComponent(name)
    guard let snapshot = ReplicaSnapshot(try SnapshotFile.verify(path: path, disk: SystemDisk())) else {
      throw .notAStore(path: path, reason: "it has no place in a log")
    }
    return snapshot
  }

  /// The bytes of a snapshot's file from an offset on, as many as there are up to `count`.
  package static func bytes(
    of name: String, in directory: String, at offset: Int64, count: Int
  ) throws(KithError) -> [UInt8] {
    let disk = SystemDisk()
    let file = try disk.open(directory.appendingPathComponent(name), writable: false)
    let left = max(0, try disk.byteCount(of: file) - offset)
    var bytes = [UInt8](repeating: 0, count: Int(min(Int64(count), left)))
    var span = bytes.mutableSpan
    let read = try disk.read(file, at: offset, into: &span)
    return Array(bytes.prefix(read))
  }

  /// Removes snapshots, of which another process may have removed some.
  package static func remove(_ names: some Sequence<String>, in directory: String) throws(KithError) {
    let disk = SystemDisk()
    for name in names {
      let path = directory.appendingPathComponent(name)
      if try disk.status(of: path, followingLinks: false) != nil { try disk.remove(path) }
    }
  }
}

extension ReplicaSnapshot {
  /// A snapshot's file that arrives in parts. It has a name of its own until it is whole, so it is never taken for one
  /// that is, and two that arrive at once do not meet. What an ended process left behind is replaced.
  package final class Arrival: Sendable {
    private let disk = SystemDisk()
    private let file: SystemFile
    private let directory: String
    private let path: String
    private let temporaryPath: String
    private static let count = Atomic<Int>(0)

    /// Begins; nil if the file is there.
    package init?(_ name: String, in directory: String) throws(KithError) {
      self.directory = directory
      path = directory.appendingPathComponent(name)
      if try disk.status(of: path, followingLinks: false) != nil { return nil }
      let number = Self.count.add(1, ordering: .relaxed).newValue
      temporaryPath = "\(path).\(number)" + StoreNames.temporarySuffix
      if try disk.status(of: temporaryPath, followingLinks: false) != nil { try disk.remove(temporaryPath) }
      file = try disk.create(temporaryPath)
    }

    /// Writes a part.
    package func write(_ bytes: [UInt8], at offset: Int64) throws(KithError) {
      try disk.write(file, at: offset, bytes.span)
    }

    /// Gives the file its name, once it is on the disk.
    package func finish() throws(KithError) {
      try disk.sync(file)
      try disk.rename(temporaryPath, to: path)
      try disk.syncDirectory(directory)
    }
  }
}

extension SocialGraph {
  /// A replica before the first record of a log: empty, in memory, and changed by `applyLogged` alone.
  package static func emptyReplica(options: Options) -> SocialGraph {
    SocialGraph(GraphState(form: options.form.lists), store: nil, options: options, isReadOnly: true)
  }

  /// A replica from a snapshot. The limits of the options do not bind it, as they bind no record: they are checked when
  /// a request is submitted, and other hosts have limits of their own.
  /// - Throws: `corrupt`, `notAStore`, `unsupportedVersion`, `system`.
  /// - Complexity: O(graph · log longest list).
  package static func replica(
    fromSnapshot name: String, in directory: String, options: Options
  ) throws(KithError) -> (graph: SocialGraph, place: LogPlace, tokens: LoggedTokens) {
    let disk = SystemDisk()
    let path = directory.appendingPathComponent(name)
    let saved = try SnapshotFile.read(
      try disk.open(path, writable: false), path: path,
      limit: .ownStore(maximumByteCount: nil), form: options.form, from: disk)
    guard let place = saved.header.log else { throw .notAStore(path: path, reason: "it has no place in a log") }
    let tokens = try LoggedTokens(reading: path, from: disk)
    return (SocialGraph(saved.state, store: nil, options: options, isReadOnly: true), place, tokens)
  }

  /// The digest of the state: equal for equal states, whatever led to them.
  /// - Complexity: O(graph).
  package func stateDigest() throws(KithError) -> UInt64 { try pin().stateDigest() }
}

extension SocialGraph.Pin {
  /// Where lists and counts of the state do not follow from what a digest covers, as sentences; empty if nowhere.
  /// - Complexity: O(graph).
  package func checkDerived() -> [String] { view.state.checkDerived() }

  /// The digest of the state and of the tokens kept with it: equal for equal states, whatever led to them.
  /// - Parameter workers: the cores that it may use.
  /// - Complexity: O(graph).
  package func stateDigest(
    _ tokens: LoggedTokens = LoggedTokens(), workers: Int = SystemDisk.coreCount
  ) throws(KithError) -> UInt64 {
    try StateDigest.of(view.state, tokens, workers: workers)
  }
}

extension LoggedTokens {
  /// Reads the tokens of a replica's snapshot; none if it has no section of them.
  fileprivate init(reading path: String, from disk: SystemDisk) throws(KithError) {
    let reader = try SnapshotFileReader(
      path: path, disk: disk, memoryLimit: SnapshotFile.defaultMemoryLimit, knownSections: nil)
    guard let entry = reader.table.entries.first(where: { $0.id == Self.section }) else {
      self.init()
      return
    }
    guard entry.head.version == 1 else {
      throw .unsupportedVersion(found: "section \(entry.id) of version \(entry.head.version)", readable: "version 1")
    }
    try self.init(decoding: try reader.read(entry).content, file: path)
  }
}
