import Kith

/// `kith verify`: whether the files of a store are sound.
enum VerifyCommand {
  static let command = Command(
    name: "verify",
    summary: "checks a store or a snapshot, and says what is damaged and where",
    positionals: [Positional("STORE|SNAPSHOT", "what to check; only read")],
    options: [.json],
    notes: ["Exit status 0 says sound, 1 damaged, 2 that there is nothing that could be checked."],
    examples: ["verify ./store", "verify ./store/snap-….kith.zst --json"],
    run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let path = arguments.positionals[0]
    let problems: [Problem]
    do throws(KithError) {
      problems = try Snapshots.verify(path)
    } catch {
      guard error.isDamage else { throw .usage(error.description) }
      problems = [Problem(code: error.code, place: path, message: error.description)]
    }
    if arguments.flag(.json) {
      try Console.writeJSON { writer in
        writer.name("problems")
        writer.array(problems) { writer, problem in
          writer.object { writer in
            writer.member("code", problem.code)
            writer.member("where", problem.place)
            writer.member("message", problem.message)
          }
        }
      }
    } else if problems.isEmpty {
      try Console.write("\(printable(path)): sound\n")
    } else {
      for problem in problems { try Console.write(printable("\(problem.place): \(problem.message)") + "\n") }
    }
    return problems.isEmpty ? 0 : 1
  }
}
