import Kith

/// `kith restore`: a new store from files.
enum RestoreCommand {
  static let command = Command(
    name: "restore",
    summary: "makes a new store from a snapshot or from another store's files",
    positionals: [
      Positional("SOURCE", "a snapshot, or a store directory (its newest valid snapshot); only read"),
      Positional("TARGET", "the new store directory; nothing may be there yet"),
    ],
    options: [.json],
    examples: ["restore ./store/snap-….kith.zst ./restored", "restore ./store ./copy"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let restored: SnapshotInfo
    do throws(KithError) {
      restored = try Snapshots.restore(from: arguments.positionals[0], to: arguments.positionals[1])
    } catch {
      throw error.isDamage ? .no(error.description) : .usage(error.description)
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("path", restored.path)
        writer.member("sequence", restored.sequence)
      }
    } else {
      let target = printable(arguments.positionals[1])
      try Console.write("\(target): restored as of change \(grouped(restored.sequence))\n")
    }
    return 0
  }
}

extension KithError {
  /// Whether the bytes of a file are bad, rather than that it cannot be opened.
  var isDamage: Bool {
    if case .corrupt = self { return true }
    return false
  }
}
