import Foundation
import Kith

/// `kith drill`: rehearses losing a store and getting it back.
enum DrillCommand {
  private static let changes = Option("--changes", "N", "how many changes are made meanwhile (1,000 without it)")
  private static let seed = Option("--seed", "S", "other changes for every number (1 without it)")

  static let command = Command(
    name: "drill",
    summary: "rehearses backup, damage and restore in a temporary directory, and compares",
    positionals: [
      Positional("STORE|SNAPSHOT", "what to rehearse with, only read; a made-up network without it", isOptional: true)
    ],
    options: [changes, seed, .json],
    notes: [
      """
      Copies what it is given into a temporary directory (TMPDIR), changes it while it is saved, restores it newest,
      earlier and from the backup, damages a snapshot and a journal, restores or salvages again, and compares every time
      with what was there. The times tell how long a restore of this graph takes on this machine.
      """,
      "Exit status: 0 everything came back as it was; 1 something did not; 2 wrong usage or cannot open.",
    ],
    examples: ["drill", "drill ./store", "drill ./backup.kith.zst --changes 10000 --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let source = arguments.positional(0)
    let changeCount = Int(try arguments.integer(changes, in: 8...10_000_000) ?? 1_000)
    let seed = UInt64(try arguments.integer(seed, in: 0...Int64.max) ?? 1)
    if let source, !FileManager.default.fileExists(atPath: source) { throw .usage("\(source): nothing is there") }
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
        writer.name("steps")
        writer.array(drill.steps) { writer, step in
          writer.object { writer in
            writer.member("name", step.name)
            writer.member("result", step.result)
            writer.member("microseconds", Int(step.duration.microseconds))
          }
        }
      }
    } else {
      try Console.write("everything came back as it was\n")
    }
    return 0
  }
}
