import Kith

/// `kith verify`: checks the files of a store.
enum VerifyCommand {
  private static let deep = Option(
    "--deep", nil, "also checks the graph: out-edges, in-edges, counters and indexes must agree")
  private static let quick = Option(
    "--quick", nil, "checks only hashes, in little memory; does not try to restore")

  static let command = Command(
    name: "verify",
    summary: "checks a store or a snapshot, and reports what is damaged and where",
    positionals: [Positional("STORE|SNAPSHOT", "the files to check, - for a snapshot on standard input; only read")],
    options: [deep, quick, .memory, .json],
    notes: [
      """
      A snapshot is sound if it can be restored. To check this, a graph is built, as by kith restore, in as much memory.
      In a store every snapshot is checked in this way, every journal (write-ahead log) by its frames and by what it
      continues. Together they must restore every acknowledged change. A torn end of a journal that was never
      acknowledged is no damage: it is reported on standard error.
      """,
      """
      --quick checks hashes and the order of the files, and builds no graph. That finds all damage by a disk, but not a
      forged file. Its output says that restoring was not tried.
      """,
      "Exit status: 0 sound; 1 damaged; 2 nothing could be checked.",
    ],
    examples: [
      "verify ./store", "verify ./store --deep", "verify ./backup.kith.zst --quick",
      "verify ./store/snap-….kith.zst --json",
    ],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let path = arguments.positionals[0]
    if arguments.flag(deep), arguments.flag(quick) { throw arguments.misuse("--deep or --quick, not both") }
    let extent: Verification.Extent = arguments.flag(deep) ? .deep : arguments.flag(quick) ? .quick : .whole
    let allowed = try arguments.memory()
    let verification: Verification
    let passes = PassControl()
    do throws(KithError) {
      verification = try DiskProgress.show(
        "verifying", of: DiskProgress.byteCount(of: path, .all), ending: "checking the graph", passes: passes
      ) { () throws(KithError) in
        path == ByteStream.sign
          ? try Verification(
            ofSnapshot: try SnapshotStream.bytes(), named: path, extent, allowedByteCount: allowed, passes: passes)
          : try Verification(of: path, extent, allowedByteCount: allowed, passes: passes)
      }
    } catch {
      throw error.isDamage ? .no(error.sentence) : .usage(error.sentence)
    }
    if arguments.flag(.json) {
      try Console.writeJSON { verification.write(to: &$0) }
    } else {
      for remark in verification.remarks { Console.note(path, remark) }
      try Console.write(verification.text(path))
    }
    return verification.problems.isEmpty ? 0 : 1
  }
}

extension Verification {
  fileprivate func text(_ path: String) -> String {
    if problems.isEmpty {
      let said = extent == .quick ? "all hashes are right (restoring was not tried)" : "sound"
      return "\(printable(path)): \(said)" + (sequence.map { ", as of change \(grouped($0))" } ?? "") + "\n"
    }
    return problems.map { printable("\($0.place): \($0.message)") + "\n" }.joined()
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.objects("problems", problems) { $1.writeMembers(to: &$0) }
    writer.strings("notes", remarks)
    writer.member("sequence", orNull: sequence)
    writer.member("quick", extent == .quick)
  }
}

extension SocialGraph.Violation {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("code", code)
    writer.member("where", place.shownPath)
    writer.member("message", message)
  }
}
