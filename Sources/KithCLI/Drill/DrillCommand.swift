import Foundation
import Kith

/// `kith drill`: a recovery drill.
enum DrillCommand {
  private static let changes = Option("--changes", "N", "how many changes are made (default 1,000)")
  private static let seed = Option("--seed", "S", "the seed of the changes (default 1)")

  static let command = Command(
    name: "drill",
    summary: "recovery drill: backs up, damages, restores and compares a copy in a temporary directory",
    positionals: [
      Positional("STORE|SNAPSHOT", "the source, only read; a synthetic graph without it", isOptional: true)
    ],
    options: [changes, seed, .json],
    notes: [
      """
      Copies the source into a temporary directory (TMPDIR) and changes the copy during a snapshot and a backup. Then
      restores the newest state, earlier ones and the backup, damages a snapshot and a journal, and restores or salvages
      again. Every result is compared with the recorded state. The times show how long a restore of this graph takes on
      this machine.
      """,
      "Exit status: 0 every state was restored exactly; 1 one was not; 2 wrong usage or cannot open.",
    ],
    examples: ["drill", "drill ./store", "drill ./backup.kith.zst --changes 10000 --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let source = arguments.positional(0)
    let changeCount = Int(try arguments.integer(changes, in: 8...10_000_000) ?? 1_000)
    let seed = UInt64(try arguments.integer(seed, in: 0...Int64.max) ?? 1)
    if let source, !PathAccess.exists(source) { throw .usage("\(source): there is no such file") }
    let directory = try TemporaryDirectory.make("drill")
    defer { TemporaryDirectory.remove(directory) }
    let isJSON = arguments.flag(.json)
    var drill = Drill(in: directory, seed: seed) { (step) throws(CommandFailure) in
      if isJSON { return }
      try Console.write("  \(step.name)\n    \(step.result), in \(step.duration.text)\n")
    }
    try drill.run(from: source, changeCount: changeCount)
    if isJSON {
      try Console.writeJSON { writer in
        writer.objects("steps", drill.steps) { writer, step in
          writer.member("name", step.name)
          writer.member("result", step.result)
          writer.member("microseconds", Int(step.duration.microseconds))
        }
      }
    } else {
      try Console.write("every state was restored exactly\n")
    }
    return 0
  }
}
