import Foundation
import Kith

/// `kith salvage`: a new store from what is readable of a damaged one.
enum SalvageCommand {
  /// The most ranges in the text; the JSON has all of them.
  static let rangeLimit = 20

  static let command = Command(
    name: "salvage",
    summary: "makes a new store from what is readable of a damaged one, and reports what is lost",
    positionals: [
      Positional("STORE|SNAPSHOT", "a damaged store directory or snapshot; only read, must not be in use"),
      Positional("TARGET", "the new store directory; must be new or empty"),
    ],
    options: [.memory, .json],
    notes: [
      """
      Try kith restore first: it loses nothing, or refuses. Salvage begins with the newest valid snapshot, or with the
      valid components of a damaged one. Then it applies every readable change in order, also after a gap. Every user,
      post and edge of the new store was in the old one at some time. Where changes are lost, what they removed exists
      again: check the reported ranges before you use the new store.
      """,
      "Copy a disk with read errors first, for example with ddrescue, and salvage the copy.",
      "Exit status: 0 nothing is lost; 1 salvaged with losses, or nothing to save; 2 wrong usage or cannot open.",
    ],
    examples: ["salvage ./store ./saved", "salvage ./store/snap-….kith.zst ./saved --json"],
    writes: { [$0.positionals[1]] }, run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let (source, target) = (arguments.positionals[0], arguments.positionals[1])
    let allowed = try arguments.memory()
    let saved: (info: SnapshotInfo, report: SalvageReport, counts: SocialGraph.Counts)
    do throws(KithError) {
      saved = try StoreAccess.making("salvaging", from: source) { () throws(KithError) in
        try StoreTools.salvage(
          from: source, to: target, allowedByteCount: allowed, remarking: StoreAccess.remark(at: target))
      }
    } catch {
      throw error.isDamage ? .no(error.sentence) : .usage(error.sentence)
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("path", saved.info.path.shownPath)
        saved.counts.write(to: &writer)
        saved.report.write(to: &writer)
      }
    } else {
      try Console.write("\(printable(target)): \(saved.counts.text)\n" + saved.report.text(rangeLimit))
    }
    return saved.report.isWhole ? 0 : 1
  }
}

extension SalvageReport {
  /// A few lines of text, with at most this many ranges.
  func text(_ limit: Int) -> String {
    let base = snapshot.map { "begins with \(printable($0)), as of change \(grouped(snapshotSequence))" }
    var lines = [base ?? "begins empty: no snapshot can be used", "reaches change \(grouped(sequence))"]
    for part in lostParts {
      let count = part.count.map { ", \(grouped($0)) of them," } ?? ""
      lines.append("lost: all \(part.part.rawValue)\(count) of the snapshot: \(printable(part.reason))")
    }
    lines += lostRelations.map { "lost: all edges of \(printable($0.name)) of the snapshot: \(printable($0.reason))" }
    lines += Self.lines("lost: ", lost, limit, "cannot be read")
    lines += Self.lines("not applied: ", refused, limit, "could not be applied, or had no effect, without what is lost")
    lines += rejectedChanges.map { "  " + printable($0) }
    lines += problems.map { "damaged: " + printable("\($0.place): \($0.message)") }
    lines += unknowns.map { "unknown: " + printable($0) }
    if isWhole { lines.append("nothing is known to be lost") }
    return lines.map { "  \($0)\n" }.joined()
  }

  private static func lines(
    _ title: String, _ ranges: [ClosedRange<UInt64>], _ limit: Int, _ reason: String
  ) -> [String] {
    if ranges.isEmpty { return [] }
    let shown = ranges.prefix(limit).map {
      $0.lowerBound == $0.upperBound ? grouped($0.lowerBound) : "\(grouped($0.lowerBound)) to \(grouped($0.upperBound))"
    }
    let rest = ranges.count > limit ? " and \(counted(ranges.count - limit, "more range")) (--json lists all)" : ""
    return ["\(title)\(counted(count(ranges), "change")): \(shown.joined(separator: ", "))\(rest): \(reason)"]
  }

  func write(to writer: inout JSONWriter) {
    writer.member("snapshot", stringOrNull: snapshot)
    writer.member("snapshotSequence", snapshotSequence)
    writer.member("sequence", sequence)
    writer.objects("lostParts", lostParts) { writer, part in
      writer.member("part", part.part.rawValue)
      writer.member("count", orNull: part.count)
      writer.member("reason", part.reason)
    }
    if !lostRelations.isEmpty {
      writer.name("lostRelations")
      writer.array(lostRelations) { writer, relation in
        writer.object { writer in
          writer.member("name", relation.name)
          writer.member("reason", relation.reason)
        }
      }
    }
    Self.write("lost", lost, to: &writer)
    Self.write("notMade", refused, to: &writer)
    writer.strings("reasons", rejectedChanges)
    writer.objects("problems", problems) { $1.writeMembers(to: &$0) }
    writer.strings("unknown", unknowns)
  }

  private static func write(_ name: String, _ ranges: [ClosedRange<UInt64>], to writer: inout JSONWriter) {
    writer.objects(name, ranges) { writer, range in
      writer.member("first", range.lowerBound)
      writer.member("last", range.upperBound)
    }
  }
}
