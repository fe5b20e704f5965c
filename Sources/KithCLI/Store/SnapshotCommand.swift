import Kith

/// `kith snapshot`: writes a snapshot now.
enum SnapshotCommand {
  static let command = Command(
    name: "snapshot",
    summary: "writes a snapshot of a store now and prints its path",
    positionals: [Positional("STORE", "a store directory that no other process holds")],
    options: [.json],
    examples: ["snapshot ./store"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let graph = try StoreAccess.openExisting(arguments.positionals[0])
    let snapshot = try StoreAccess.snapshot(graph)
    try StoreAccess.close(graph)
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("path", snapshot.path)
        writer.member("sequence", snapshot.sequence)
      }
    } else {
      try Console.write("\(printable(snapshot.path))\n")
    }
    return 0
  }
}
