import Kith

/// `kith snapshot`: writes a snapshot now, into the store or into a file of one's own.
enum SnapshotCommand {
  private static let target = Option(
    "--to", "FILE", "writes it there, from the store's files, and leaves the store as it is; FILE must be new, or -")
  private static let erase = Option(
    "--erase", nil, "then removes every older snapshot and journal, and with them what was removed from the graph")
  private static let keep = Option("--keep", "N", "keeps so many snapshots, and the journals since (2 without it)")
  private static let keepHours = Option("--keep-hours", "H", "keeps what leads to any instant of the last H hours")
  private static let keepBytes = Option(
    "--keep-bytes", "B", "but beyond the two newest no snapshot with which files take more than B bytes")

  static let command = Command(
    name: "snapshot",
    summary: "writes a snapshot of a store now and prints its path",
    positionals: [Positional("STORE", "a store directory; without --to one that no other process holds")],
    options: [target, keep, keepHours, keepBytes, erase, .json],
    notes: [
      """
      Without --to, the snapshot goes into the store, and what it makes unnecessary is removed: the two newest
      snapshots stay, and the journals since, or what the --keep options ask for. With --to, no lock is taken: the
      store may be in use, and FILE holds every change that was acknowledged before the command began. With --to - it
      goes to standard output as it is made: exit status 0 says that all of it was written, and kith verify - at the
      other end that it came through; the beginning of one is refused by every reader.
      """,
      """
      --erase writes two snapshots and keeps those alone, so that texts, names and edges that were removed are in no
      file of the store any more, and nobody can go back. Backups elsewhere, and the blocks of the disk, are not its
      concern.
      """,
    ],
    examples: [
      "snapshot ./store", "snapshot ./store --to ./backup.kith.zst",
      "snapshot ./store --to - | ssh host 'cat > backup'",
      "snapshot ./store --keep 24 --keep-hours 48 --keep-bytes 50000000000", "snapshot ./store --erase",
    ],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let store = arguments.positionals[0]
    let erases = arguments.flag(erase)
    let retention = try retention(arguments)
    if let file = arguments.value(target) {
      guard !erases, retention == nil else {
        throw arguments.misuse("--to leaves the store as it is: nothing is kept or erased")
      }
      guard let written = try write(store, to: file) else { return 0 }
      return try report(written, removed: nil, arguments)
    }
    guard !erases || retention == nil else { throw arguments.misuse("--erase keeps nothing: leave --keep… out") }
    let before = StoreAccess.fileNames(store)
    let graph = try StoreAccess.openExisting(store, Options(retention: retention ?? Retention()))
    var written = try StoreAccess.snapshot(graph)
    if erases { written = try StoreAccess.snapshot(graph) }
    try StoreAccess.close(graph)
    let after = Set(StoreAccess.fileNames(store))
    return try report(written, removed: before.filter { !after.contains($0) }, arguments)
  }

  /// Nil where nothing is said of it.
  private static func retention(_ arguments: Arguments) throws(CommandFailure) -> Retention? {
    let count = try arguments.integer(keep, in: 2...1_000_000)
    let hours = try arguments.integer(keepHours, in: 1...1_000_000)
    let byteCount = try arguments.integer(keepBytes, in: 0...Int64.max)
    if count == nil, hours == nil, byteCount == nil { return nil }
    return Retention(snapshotCount: Int(count ?? 2), seconds: hours.map { Int($0) * 3_600 }, byteCount: byteCount)
  }

  /// - Parameter removed: names of files that are gone from the store; nil where it was left as it was.
  private static func report(
    _ written: SnapshotInfo, removed: [String]?, _ arguments: Arguments
  ) throws(CommandFailure) -> Int32 {
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("path", written.path)
        writer.member("sequence", written.sequence)
        if let removed {
          writer.name("removed")
          writer.array(removed) { $0.string($1) }
        }
      }
    } else {
      try Console.write("\(printable(written.path))\n")
      if arguments.flag(erase), let removed {
        try Console.write(removed.map { "  removed \($0)\n" }.joined())
      }
    }
    return 0
  }

  /// Nil for a stream, which holds the snapshot and nothing else.
  private static func write(_ store: String, to file: String) throws(CommandFailure) -> SnapshotInfo? {
    do throws(KithError) {
      if file == SnapshotStream.path {
        try SnapshotStream.write(store) { StoreAccess.note($0, of: store) }
        return nil
      }
      return try Snapshots.write(store, to: file) { StoreAccess.note($0, of: store) }
    } catch {
      throw error.isDamage ? .no(error.description) : .usage(error.description)
    }
  }
}
