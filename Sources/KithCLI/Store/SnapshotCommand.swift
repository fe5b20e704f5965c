import Kith

/// `kith snapshot`: writes a snapshot now, into the store or into a file of one's own.
enum SnapshotCommand {
  private static let target = Option(
    "--to", "FILE", "writes it there, from the store's files, and leaves the store as it is; FILE must be new")

  static let command = Command(
    name: "snapshot",
    summary: "writes a snapshot of a store now and prints its path",
    positionals: [Positional("STORE", "a store directory; without --to one that no other process holds")],
    options: [target, .json],
    notes: [
      """
      Without --to, the snapshot goes into the store, and what it makes unnecessary is removed: the two newest snapshots
      stay, and the journals since. With --to, no lock is taken: the store may be in use, and FILE holds every change
      that was acknowledged before the command began.
      """
    ],
    examples: ["snapshot ./store", "snapshot ./store --to ./backup.kith.zst"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let store = arguments.positionals[0]
    let written =
      if let file = arguments.value(target) { try write(store, to: file) } else { try writeIntoStore(store) }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("path", written.path)
        writer.member("sequence", written.sequence)
      }
    } else {
      try Console.write("\(printable(written.path))\n")
    }
    return 0
  }

  private static func writeIntoStore(_ store: String) throws(CommandFailure) -> SnapshotInfo {
    let graph = try StoreAccess.openExisting(store)
    let snapshot = try StoreAccess.snapshot(graph)
    try StoreAccess.close(graph)
    return snapshot
  }

  private static func write(_ store: String, to file: String) throws(CommandFailure) -> SnapshotInfo {
    do throws(KithError) {
      return try Snapshots.write(store, to: file) { StoreAccess.note($0, of: store) }
    } catch {
      throw error.isDamage ? .no(error.description) : .usage(error.description)
    }
  }
}
