/// What an operator does with the files of a store: restore, verify, inspect. No graph is open for writing meanwhile.
package enum Snapshots {
  /// Makes a new store at `target` of a snapshot file, or of the newest snapshot of a store.
  ///
  /// Never over anything: `target` must be absent or an empty directory. The new store has an id of its own.
  /// Errors: `notAStore`, `corrupt`, `unsupportedVersion`, `system`.
  package static func restore(from source: String, to target: String) throws(KithError) -> SnapshotInfo {
    let disk = SystemDisk()
    if let status = try disk.status(of: target, followingLinks: true) {
      guard status.kind == .directory, try disk.list(target).isEmpty else {
        throw .notAStore(path: target, reason: "something is there already, and restoring never writes over it")
      }
    }
    let pin = try SocialGraph.open(source, access: .readOnly).pin()
    let made = try Store.open(target, access: .readWrite)
    guard let store = made.store else { throw .notAStore(path: target, reason: "it cannot be written") }
    defer { store.close() }
    return try store.write(pin.view)
  }

  /// Reads everything there is and checks it: each file by its hashes, then the newest state by its invariants.
  ///
  /// Returns what is wrong, empty when all is sound. Errors: what keeps it from being opened at all, such as
  /// `notAStore`.
  package static func verify(_ path: String) throws(KithError) -> [Problem] {
    let disk = SystemDisk()
    let files = try files(of: path, disk)
    var problems: [Problem] = []
    for file in files {
      do throws(KithError) {
        try SnapshotFile.verify(path: file, disk: disk)
      } catch {
        try problems.append(problem(error))
      }
    }
    if !problems.isEmpty { return problems }
    do throws(KithError) {
      return try SocialGraph.open(path, access: .readOnly).pin().view.verify()
    } catch {
      return [try problem(error)]
    }
  }

  /// Damage as something to report; anything else as the error that it is.
  private static func problem(_ error: KithError) throws(KithError) -> Problem {
    guard case .corrupt(let file, let offset, let reason) = error else { throw error }
    return Problem(code: error.code, place: "\(file), byte \(offset)", message: reason)
  }

  private static func files(of path: String, _ disk: SystemDisk) throws(KithError) -> [String] {
    if let status = try disk.status(of: path, followingLinks: true), status.kind == .file { return [path] }
    let directory = StoreDirectory(path, disk: disk)
    return try directory.openForReading().snapshots.map { directory.path(of: $0) }
  }

  /// What a snapshot file, or every snapshot of a store, says of itself, newest first; its content is not read.
  package static func inspect(_ path: String) throws(KithError) -> [SnapshotReport] {
    let disk = SystemDisk()
    var reports: [SnapshotReport] = []
    for file in try files(of: path, disk).reversed() {
      reports.append(SnapshotReport(try SnapshotFile.inspect(path: file, disk: disk)))
    }
    return reports
  }
}

/// A snapshot file as its header and tables describe it.
package struct SnapshotReport: Sendable {
  /// One column.
  package struct SectionReport: Sendable {
    /// Its four letters.
    package let id: String
    /// Its name for people: `follows.target`.
    package let name: String
    /// How the numbers are written.
    package let encoding: String
    /// How many elements.
    package let elementCount: UInt64
    /// How many zstd frames.
    package let frameCount: Int
    /// Bytes in the file.
    package let compressedByteCount: Int64
    /// Bytes unpacked.
    package let contentByteCount: Int
  }

  package let path: String
  package let fileByteCount: Int64
  package let formatVersion: String
  package let unicodeVersion: String
  /// The store's id, 32 hexadecimal digits.
  package let storeID: String
  package let sequence: UInt64
  package let generation: UInt64
  package let writtenAt: Timestamp
  package let sections: [SectionReport]

  init(_ summary: SnapshotSummary) {
    path = summary.path
    fileByteCount = summary.fileByteCount
    formatVersion = summary.header.formatVersion.description
    unicodeVersion = summary.header.unicodeVersion
    storeID = Self.hexadecimal(summary.header.storeID.high) + Self.hexadecimal(summary.header.storeID.low)
    sequence = summary.header.sequence
    generation = summary.header.generation
    writtenAt = Timestamp(summary.header.writtenAt)
    sections = summary.sections.map { section in
      SectionReport(
        id: section.id.description,
        name: GraphSections.names.first { $0.id == section.id }?.name ?? section.id.description,
        encoding: section.encoding.description, elementCount: section.elementCount, frameCount: section.frameCount,
        compressedByteCount: section.compressedByteCount, contentByteCount: section.contentByteCount)
    }
  }

  private static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
