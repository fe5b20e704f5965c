import Kith

/// `kith verify`: whether the files of a store are sound.
enum VerifyCommand {
  private static let deep = Option(
    "--deep", nil, "also checks the graph itself: forward lists, backward lists, counters and indexes agree")

  static let command = Command(
    name: "verify",
    summary: "checks a store or a snapshot, and says what is damaged and where",
    positionals: [Positional("STORE|SNAPSHOT", "what to check, - for a snapshot on standard input; only read")],
    options: [deep, .json],
    notes: [
      """
      Of a store: every snapshot by its hashes, every journal by its frames and by what it continues, and that together
      they lead to every change that was acknowledged. What a crash tore at the end of a journal, and nobody was
      promised, is no damage: it is told on standard error.
      """,
      "Exit status 0 says sound, 1 damaged, 2 that there is nothing that could be checked.",
    ],
    examples: ["verify ./store", "verify ./store --deep", "verify ./store/snap-….kith.zst --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let path = arguments.positionals[0]
    let verification: Verification
    var progress = VerifyProgress()
    defer { progress.finish() }
    do throws(KithError) {
      let deep = arguments.flag(deep)
      verification =
        path == SnapshotStream.path
        ? try Verification(ofSnapshot: try SnapshotStream.bytes(), named: path, deep: deep) { progress.note($0, $1) }
        : try Verification(of: path, deep: deep) { progress.note($0, $1) }
    } catch {
      throw error.isDamage ? .no(error.description) : .usage(error.description)
    }
    if arguments.flag(.json) {
      try Console.writeJSON { verification.write(to: &$0) }
    } else {
      progress.finish()
      for remark in verification.remarks { Console.note(path, remark) }
      try Console.write(verification.text(path))
    }
    return verification.problems.isEmpty ? 0 : 1
  }
}

/// Which file is being read, and how much of it was.
private struct VerifyProgress {
  private var progress = Progress()
  private var name = ""
  private var byteCount = 0

  mutating func note(_ name: String, _ byteCount: Int) {
    if name != self.name {
      progress.begin(printable(name))
      (self.name, self.byteCount) = (name, 0)
    }
    self.byteCount += byteCount
    if byteCount == 0 {
      progress.note(printable(name))
    } else {
      progress.update(done: self.byteCount >> 20, of: "MB", share: nil)
    }
  }

  mutating func finish() { progress.finish() }
}

extension Verification {
  fileprivate func text(_ path: String) -> String {
    if problems.isEmpty {
      return "\(printable(path)): sound" + (sequence.map { ", as of change \(grouped($0))" } ?? "") + "\n"
    }
    return problems.map { printable("\($0.place): \($0.message)") + "\n" }.joined()
  }

  fileprivate func write(to writer: inout JSONWriter) {
    writer.name("problems")
    writer.array(problems) { writer, problem in writer.object { problem.writeMembers(to: &$0) } }
    writer.name("notes")
    writer.array(remarks) { $0.string($1) }
    writer.member("sequence", orNull: sequence)
  }
}

extension Problem {
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("code", code)
    writer.member("where", place)
    writer.member("message", message)
  }
}
