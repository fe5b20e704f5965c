import Kith

/// `kith snapshot`: writes a snapshot now, into the store or into a file.
enum SnapshotCommand {
  private static let target = Option(
    "--to", "FILE", "writes a new FILE, or standard output (-), from the store's files, without changing the store")
  private static let erase = Option(
    "--erase", nil, "then deletes every older snapshot and journal, and with them all data removed from the graph")
  private static let keep = Option("--keep", "N", "keeps N snapshots, and the journals since (default 2)")
  private static let keepHours = Option("--keep-hours", "H", "keeps what restores any time of the last H hours")
  private static let keepBytes = Option(
    "--keep-bytes", "B", "but, beyond the two newest, no snapshot with which the files take more than B bytes")

  static let command = Command(
    name: "snapshot",
    summary: "writes a snapshot (full backup) of a store now, and prints its path",
    positionals: [Positional("STORE", "a store directory; without --to, not open in another process")],
    options: [target, keep, keepHours, keepBytes, erase, .json],
    notes: [
      """
      Without --to, the snapshot is written into the store, and files that it makes unnecessary are deleted. The two
      newest snapshots are kept with the journals since, or what the --keep options set. With --to, no lock is taken:
      the store may be in use, and FILE holds every change acknowledged before the command began. With --to - it is
      streamed to standard output. Exit status 0 means that all of it was written; kith verify - at the other end checks
      that all arrived. An incomplete snapshot is refused by every reader.
      """,
      """
      --erase writes two snapshots and keeps only those. Removed texts, names and edges are then in no file of the
      store, and earlier states cannot be restored. It does not reach backups elsewhere and freed blocks of the disk.
      """,
    ],
    examples: [
      "snapshot ./store", "snapshot ./store --to ./backup.kith.zst",
      "snapshot ./store --to - | ssh host 'cat > backup'",
      "snapshot ./store --keep 24 --keep-hours 48 --keep-bytes 50000000000", "snapshot ./store --erase",
    ],
    writes: { [$0.positionals[0]] + [$0.value(target)].compactMap(\.self) }, run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let store = arguments.positionals[0]
    let erases = arguments.flag(erase)
    let retention = try retention(arguments)
    if let file = arguments.value(target) {
      guard !erases, retention == nil else {
        throw arguments.misuse("--to does not change the store: leave out --keep… and --erase")
      }
      guard let written = try write(store, to: file) else { return 0 }
      return try report(written, removed: nil, arguments)
    }
    guard !erases || retention == nil else { throw arguments.misuse("--erase keeps nothing: leave out --keep…") }
    let before = PathAccess.names(in: store) ?? []
    let graph = try StoreAccess.openExisting(
      store, SocialGraph.Options { $0.retention = retention ?? SocialGraph.Retention() })
    var written = try StoreAccess.snapshot(graph)
    if erases { written = try StoreAccess.snapshot(graph) }
    try StoreAccess.close(graph)
    let after = Set(PathAccess.names(in: store) ?? [])
    return try report(written, removed: before.filter { !after.contains($0) }, arguments)
  }

  /// Nil without options for it.
  private static func retention(_ arguments: Arguments) throws(CommandFailure) -> SocialGraph.Retention? {
    let count = try arguments.integer(keep, in: 2...1_000_000)
    let hours = try arguments.integer(keepHours, in: 1...1_000_000)
    let byteCount = try arguments.integer(keepBytes, in: 0...Int64.max)
    if count == nil, hours == nil, byteCount == nil { return nil }
    return SocialGraph.Retention(
      snapshotCount: Int(count ?? 2), duration: hours.map { .seconds($0 * 3_600) }, byteCount: byteCount)
  }

  /// - Parameter removed: names of files that were removed from the store; nil if the store was not changed.
  private static func report(
    _ written: SnapshotInfo, removed: [String]?, _ arguments: Arguments
  ) throws(CommandFailure) -> Int32 {
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("path", written.path.shownPath)
        writer.member("sequence", written.sequence)
        if let removed {
          writer.strings("removed", removed)
        }
      }
    } else {
      try Console.write(path: written.path)
      if arguments.flag(erase), let removed {
        try Console.write(removed.map { "  removed \($0)\n" }.joined())
      }
    }
    return 0
  }

  /// Nil for a stream, which holds only the snapshot.
  private static func write(_ store: String, to file: String) throws(CommandFailure) -> SnapshotInfo? {
    do throws(KithError) {
      if file == ByteStream.sign {
        try SnapshotStream.write(store) { StoreAccess.note($0, of: store) }
        return nil
      }
      return try StoreTools.write(
        store, to: file, noting: { StoreAccess.note($0, of: store) }, remarking: StoreAccess.remark(at: file))
    } catch {
      throw error.isDamage ? .no(error.sentence) : .usage(error.sentence)
    }
  }
}
