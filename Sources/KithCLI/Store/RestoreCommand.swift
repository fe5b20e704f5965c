import Foundation
import Kith

/// `kith restore`: a new store from files.
enum RestoreCommand {
  private static let sequence = Option("--at-sequence", "N", "as of change N, or of the last whole write before it")
  private static let time = Option("--at-time", "TIME", "as of a time, such as 2026-02-28T23:59:07Z")
  private static let only = Option(
    "--only", "PARTS", "some parts alone, with commas: " + GraphPart.allCases.map(\.rawValue).joined(separator: ","))

  static let command = Command(
    name: "restore",
    summary: "makes a new store from a snapshot, or from another store's newest or an earlier state",
    positionals: [
      Positional("SNAPSHOT|STORE", "a snapshot file, - for one on standard input, or a store directory; only read"),
      Positional("TARGET", "the new store directory; nothing may be there yet"),
    ],
    options: [sequence, time, only, .json],
    notes: [
      """
      Of a store, its newest state is restored: the newest sound snapshot and every change that the journals hold since,
      never a part of a batch. It may be in use meanwhile. The new store has an id of its own.
      """,
      """
      --at-sequence and --at-time go back: to the newest sound snapshot before, and from there through the journals.
      kith list tells how far back they lead, and when. A time is that of the machine that wrote; without a fraction,
      all of its second counts; UTC if it does not say otherwise. Neither ever leads into the midst of a batch: the
      answer says where it led.
      """,
      """
      --only brings along what a part needs: the users always, the posts for likes. Nothing of the other parts is in the
      new store, blocks and mutes neither.
      """,
    ],
    examples: [
      "restore ./store/snap-….kith.zst ./restored", "restore ./store ./copy",
      "restore ./store ./before --at-time 2026-02-28T23:59:07Z", "restore ./store ./people --only users,follows",
      "restore - ./restored < backup.kith.zst",
    ],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let (source, target) = (arguments.positionals[0], arguments.positionals[1])
    let point = try point(arguments)
    let parts = try parts(arguments)
    let isNew = !FileManager.default.fileExists(atPath: target)
    let restored: SnapshotInfo
    do throws(KithError) {
      if source == SnapshotStream.path {
        guard point == .newest else { throw .invalidRequest(reason: "a snapshot holds one instant; leave --at… out") }
        restored = try Snapshots.restore(
          fromBytes: try SnapshotStream.bytes(), named: source, to: target, only: parts)
      } else {
        restored = try Snapshots.restore(from: source, to: target, at: point, only: parts) {
          StoreAccess.note($0, of: source)
        }
      }
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

  private static func point(_ arguments: Arguments) throws(CommandFailure) -> RestorePoint {
    let sequence = try arguments.integer(sequence, in: 1...Int64.max)
    guard let text = arguments.value(time) else { return sequence.map { .sequence(UInt64($0)) } ?? .newest }
    guard sequence == nil else { throw arguments.misuse("--at-sequence or --at-time, not both") }
    guard let time = parseTime(text) else {
      throw arguments.misuse("--at-time \(text): a time such as 2026-02-28T23:59:07Z is needed")
    }
    return .time(Timestamp(time))
  }

  private static func parts(_ arguments: Arguments) throws(CommandFailure) -> Set<GraphPart>? {
    guard let text = arguments.value(only) else { return nil }
    var parts: Set<GraphPart> = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard let part = GraphPart(rawValue: word) else {
        let near = nearestWord(to: word, among: GraphPart.allCases.map(\.rawValue)).map { ", perhaps \($0)" } ?? ""
        throw arguments.misuse("--only: no part \"\(word)\"\(near)")
      }
      parts.insert(part)
    }
    return parts
  }
}

extension KithError {
  /// Whether the bytes of a file are bad, rather than that it cannot be opened.
  var isDamage: Bool {
    if case .corrupt = self { return true }
    return false
  }
}
