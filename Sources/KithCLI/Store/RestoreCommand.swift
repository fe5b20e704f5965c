import Foundation
import Kith

/// `kith restore`: a new store from files.
enum RestoreCommand {
  static let command = Command(
    name: "restore",
    summary: "makes a new store from a snapshot, or from another store's newest state",
    positionals: [
      Positional("SNAPSHOT|STORE", "a snapshot file, or a store directory; only read"),
      Positional("TARGET", "the new store directory; nothing may be there yet"),
    ],
    options: [.json],
    notes: [
      """
      Of a store, its newest state is restored: the newest sound snapshot and every change that the journals hold since,
      never a part of a batch. It may be in use meanwhile. The new store has an id of its own.
      """
    ],
    examples: ["restore ./store/snap-….kith.zst ./restored", "restore ./store ./copy"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let (source, target) = (arguments.positionals[0], arguments.positionals[1])
    let isNew = !FileManager.default.fileExists(atPath: target)
    let restored: SnapshotInfo
    do throws(KithError) {
      restored = try Snapshots.restore(from: source, to: target) { StoreAccess.note($0, of: source) }
    } catch {
      if isNew { StoreAccess.removeUnlessFilled(target) }
      throw error.isDamage ? .no(error.description) : .usage(error.description)
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("path", restored.path)
        writer.member("sequence", restored.sequence)
      }
    } else {
      try Console.write("\(printable(target)): restored as of change \(grouped(restored.sequence))\n")
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
