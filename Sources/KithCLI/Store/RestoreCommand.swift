import Foundation
import Kith

/// `kith restore`: a new store from files; point-in-time recovery.
enum RestoreCommand {
  private static let sequence = Option("--at-sequence", "N", "the state at change N, or before the batch around it")
  private static let time = Option("--at-time", "TIME", "the state at a time, such as 2026-02-28T23:59:07Z")
  private static let only = Option(
    "--only", "PARTS",
    "these components only, separated by commas: " + GraphComponent.allCases.map(\.rawValue).joined(separator: ","))

  static let command = Command(
    name: "restore",
    summary: "restores a snapshot or a store into a new store; point-in-time recovery to any change or time",
    positionals: [
      Positional("SNAPSHOT|STORE", "a snapshot file, - for one on standard input, or a store directory; only read"),
      Positional("TARGET", "the new store directory; must be new or empty"),
    ],
    options: [sequence, time, only, .memory, .json],
    notes: [
      """
      From a store, the newest state is restored: the newest valid snapshot and every later change of the journals (the
      write-ahead log), never a part of a batch. The source may be in use. The new store gets an id of its own.
      """,
      """
      --at-sequence and --at-time are point-in-time recovery: the newest valid snapshot before the target is restored,
      and the journals are replayed up to the target. kith list shows the possible targets, and their times. A time is
      compared with the clock of the writing machine: it means the last change that was not written later, whatever came
      in between; if that clock once went back, a line says so. A time later than now is refused. Without a fraction it
      includes its whole second; without an offset it is UTC. A target inside a batch is moved to the change before it:
      the output shows the restored number.
      """,
      """
      --only includes what a component needs: always the users, and the posts for likes. The new store holds nothing of
      other components, not even blocks and mutes, and no edges of relations that a host declared.
      """,
      """
      A snapshot file can come from an untrusted source. It is refused before anything is built if its graph would take
      more than 1 GiB and more than 200 times the file. --memory allows more. A store has no such limit.
      """,
    ],
    examples: [
      "restore ./store/snap-….kith.zst ./restored", "restore ./store ./copy",
      "restore ./store ./before --at-time 2026-02-28T23:59:07Z", "restore ./store ./people --only users,follows",
      "restore - ./restored < backup.kith.zst",
    ],
    writes: { [$0.positionals[1]] }, run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let (source, target) = (arguments.positionals[0], arguments.positionals[1])
    let point = try point(arguments)
    let parts = try parts(arguments)
    let allowed = try arguments.memory()
    if source == ByteStream.sign, point != .newest {
      throw .usage("a snapshot holds one version; leave out --at…")
    }
    let restored: SnapshotInfo
    do throws(KithError) {
      if source == ByteStream.sign {
        restored = try StoreTools.restore(
          fromBytes: try SnapshotStream.bytes(), named: source, to: target, only: parts, allowedByteCount: allowed,
          remarking: StoreAccess.remark(at: target))
      } else {
        restored = try StoreAccess.making("restoring", from: source) { () throws(KithError) in
          try StoreTools.restore(
            from: source, to: target, at: point, only: parts, allowedByteCount: allowed,
            noting: { StoreAccess.note($0, of: source) }, remarking: StoreAccess.remark(at: target))
        }
      }
    } catch {
      throw error.isDamage ? .no(error.advised(for: source)) : .usage(error.sentence)
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("path", restored.path.shownPath)
        writer.member("sequence", restored.sequence)
      }
    } else {
      try Console.write("\(printable(target)): restored as of change \(grouped(restored.sequence))\n")
    }
    return 0
  }

  private static func point(_ arguments: Arguments) throws(CommandFailure) -> RecoveryTarget {
    let sequence = try arguments.integer(sequence, in: 1...Int64.max)
    guard let text = arguments.value(time) else { return sequence.map { .sequence(UInt64($0)) } ?? .newest }
    guard sequence == nil else { throw arguments.misuse("--at-sequence or --at-time, not both") }
    guard let start = parseTime(text, missingMilliseconds: 0), let end = parseTime(text) else {
      throw arguments.misuse("--at-time \(text): a time such as 2026-02-28T23:59:07Z is needed")
    }
    // A second without a fraction that has begun is the part of it until now.
    let now = Timestamp.now().rawValue
    return .time(Timestamp(start <= now ? min(end, now) : end))
  }

  private static func parts(_ arguments: Arguments) throws(CommandFailure) -> Set<GraphComponent>? {
    guard let text = arguments.value(only) else { return nil }
    var parts: Set<GraphComponent> = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard let part = GraphComponent(rawValue: word) else {
        let near = nearestWord(to: word, among: GraphComponent.allCases.map(\.rawValue)).map { ", perhaps \($0)" } ?? ""
        throw arguments.misuse("--only: no component \"\(word)\"\(near)")
      }
      parts.insert(part)
    }
    return parts
  }
}

extension KithError {
  /// Whether the bytes of a file are damaged, rather than that it cannot be opened.
  var isDamage: Bool {
    if case .corrupt = self { return true }
    return false
  }

  /// The description, and what saves the rest if the files at this path are damaged.
  func advised(for path: String) -> String {
    guard isDamage, path != ByteStream.sign else { return sentence }
    return "\(sentence); kith salvage \(path) NEW makes a store of what is readable"
  }
}
