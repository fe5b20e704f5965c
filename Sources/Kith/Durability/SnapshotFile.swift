/// Whole snapshot files at the level of sections: write, read, inspect, verify.
///
/// What the sections mean is not known here.
enum SnapshotFile {
  /// What a snapshot may unpack to when the host says nothing: half of this machine's memory.
  static var defaultMemoryLimit: Int { SystemDisk.physicalMemoryByteCount / 2 }

  /// Writes a snapshot called `name` in `directory` so that it either stands there whole, durable and verified, or not
  /// at all. See `SnapshotFileWriter`, which takes sections one by one.
  ///
  /// - Complexity: O(content), twice: once to compress, once to read it back.
  static func write<D: Disk>(
    _ header: SnapshotHeader, _ sections: [Section], to directory: String, name: String, replacing: Bool = false,
    disk: D
  ) throws(KithError) -> SnapshotSummary {
    let writer = try SnapshotFileWriter(
      header: header, directory: directory, name: name, replacing: replacing, disk: disk)
    for section in sections { try writer.append(section) }
    return try writer.finish()
  }

  /// Reads every section that `knownSections` names; of the others, the critical ones are refused with
  /// `unsupportedVersion` and the rest is checked and left out.
  static func read<D: Disk>(
    path: String, knownSections: [SectionID: UInt16], memoryLimit: Int = defaultMemoryLimit, disk: D
  ) throws(KithError) -> (header: SnapshotHeader, sections: [Section]) {
    let file = try disk.open(path, writable: false)
    return try read(file, path: path, knownSections: knownSections, memoryLimit: memoryLimit, from: disk)
  }

  /// The same of a file that is open, or that is bytes in memory; `path` names it in errors.
  static func read<Storage: ByteStorage>(
    _ file: Storage.File, path: String, knownSections: [SectionID: UInt16], memoryLimit: Int = defaultMemoryLimit,
    from storage: Storage
  ) throws(KithError) -> (header: SnapshotHeader, sections: [Section]) {
    let reader = try SnapshotFileReader(
      file: file, path: path, disk: storage, memoryLimit: memoryLimit, knownSections: knownSections)
    var sections: [Section] = []
    for entry in reader.table.entries {
      if entry.version <= knownSections[entry.id] ?? 0 {
        sections.append(try reader.read(entry))
      } else {
        try reader.skip(entry)
      }
    }
    return (reader.header, sections)
  }

  /// What the header and the tables say; the frames are not read.
  static func inspect<D: Disk>(path: String, disk: D) throws(KithError) -> SnapshotSummary {
    try SnapshotFileReader(path: path, disk: disk, memoryLimit: .max, knownSections: nil).summary
  }

  /// Reads and decompresses all of the file, one frame at a time; throws at the first damage.
  @discardableResult
  static func verify<D: Disk>(path: String, disk: D) throws(KithError) -> SnapshotSummary {
    let reader = try SnapshotFileReader(path: path, disk: disk, memoryLimit: .max, knownSections: nil)
    try reader.verify()
    return reader.summary
  }
}
