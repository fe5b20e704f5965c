import Foundation
import Kith

/// `kith salvage`: a new store from what a bad disk left of another.
enum SalvageCommand {
  /// How many ranges a person is shown; a program gets all of them.
  private static let rangeLimit = 20

  static let command = Command(
    name: "salvage",
    summary: "makes a new store from what is left of a damaged one, and says what is lost",
    positionals: [
      Positional("STORE|SNAPSHOT", "a damaged store directory or snapshot; only read, and in use by nobody"),
      Positional("TARGET", "the new store directory; nothing may be there yet"),
    ],
    options: [.json],
    notes: [
      """
      Try kith restore first: it loses nothing or refuses. Salvage begins with the newest sound snapshot, or with the
      sound parts of a damaged one, and makes every change that can still be read, in order, also those after a gap.
      Every user, post and edge of the new store was in the old one at some time; but where changes are lost, what they
      removed is there again: look at the ranges before you go on with it.
      """,
      "A disk that gives errors is copied first (with ddrescue, for one), and the copy salvaged.",
      "Exit status: 0 nothing is lost; 1 salvaged with losses, or nothing to save; 2 wrong usage or cannot open.",
    ],
    examples: ["salvage ./store ./saved", "salvage ./store/snap-….kith.zst ./saved --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let (source, target) = (arguments.positionals[0], arguments.positionals[1])
    let isNew = !FileManager.default.fileExists(atPath: target)
    let saved: (info: SnapshotInfo, report: SalvageReport, counts: Counts)
    do throws(KithError) {
      saved = try Snapshots.salvage(from: source, to: target)
    } catch {
      if isNew { StoreAccess.removeUnlessFilled(target) }
      throw error.isDamage ? .no(error.description) : .usage(error.description)
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.member("path", saved.info.path)
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
  fileprivate func text(_ limit: Int) -> String {
    let base = snapshot.map { "begins with \(printable($0)), as of change \(grouped(snapshotSequence))" }
    var lines = [base ?? "begins with nothing: no snapshot can be used", "reaches change \(grouped(sequence))"]
    for part in lostParts {
      let count = part.count.map { ", \(grouped($0)) of them," } ?? ""
      lines.append("lost: all \(part.part.rawValue)\(count) of the snapshot: \(printable(part.reason))")
    }
    lines += Self.lines("lost: ", lost, limit, "cannot be read")
    lines += Self.lines("not made: ", refused, limit, "could not be made, or changed nothing, because of what is lost")
    lines += refusals.map { "  " + printable($0) }
    lines += problems.map { "damaged: " + printable("\($0.place): \($0.message)") }
    lines += doubts.map { "unknown: " + printable($0) }
    if isWhole { lines.append("nothing is known to be lost") }
    return lines.map { "  \($0)\n" }.joined()
  }

  private static func lines(
    _ title: String, _ ranges: [ClosedRange<UInt64>], _ limit: Int, _ reason: String
  ) -> [String] {
    if ranges.isEmpty { return [] }
    let shown = ranges.prefix(limit).map {
      $0.count == 1 ? grouped($0.lowerBound) : "\(grouped($0.lowerBound)) to \(grouped($0.upperBound))"
    }
    let rest = ranges.count > limit ? " and \(counted(ranges.count - limit, "more range")) (--json tells all)" : ""
    return ["\(title)\(counted(count(ranges), "change")): \(shown.joined(separator: ", "))\(rest): \(reason)"]
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.member("snapshot", stringOrNull: snapshot)
    writer.member("snapshotSequence", snapshotSequence)
    writer.member("sequence", sequence)
    writer.name("lostParts")
    writer.array(lostParts) { writer, part in
      writer.object { writer in
        writer.member("part", part.part.rawValue)
        writer.member("count", orNull: part.count)
        writer.member("reason", part.reason)
      }
    }
    Self.write("lost", lost, to: &writer)
    Self.write("notMade", refused, to: &writer)
    writer.name("reasons")
    writer.array(refusals) { $0.string($1) }
    writer.name("problems")
    writer.array(problems) { writer, problem in writer.object { problem.writeMembers(to: &$0) } }
    writer.name("unknown")
    writer.array(doubts) { $0.string($1) }
  }

  private static func write(_ name: String, _ ranges: [ClosedRange<UInt64>], to writer: inout JSONWriter) {
    writer.name(name)
    writer.array(ranges) { writer, range in
      writer.object { writer in
        writer.member("first", range.lowerBound)
        writer.member("last", range.upperBound)
      }
    }
  }
}
