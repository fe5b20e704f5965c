/// The `kith` command: finds the command that is asked for, reads its arguments and runs it.
@main
enum EntryPoint {
  /// In the order of the overview: the main job first, then filling, asking, and looking after stores.
  static let commands = [
    DemoCommand.command, SeedCommand.command, ImportCommand.command, ExportCommand.command, queryCommand,
    SearchCommand.command, TimelineCommand.command, UserCommand.command, PostCommand.command, SuggestCommand.command,
    PathCommand.command, RankCommand.command, WatchCommand.command, BenchCommand.command, SnapshotCommand.command,
    RestoreCommand.command, SalvageCommand.command, DrillCommand.command, VerifyCommand.command, ListCommand.command,
    InspectCommand.command,
  ]

  static func main() {
    // In a function of its own: ending the process inside it would skip what its callees put off to their end.
    let status = run(Array(CommandLine.arguments.dropFirst()))
    if status != 0 { leave(with: status) }
  }

  /// Runs one command line, without the program's name; answers the exit status.
  static func run(_ words: [String]) -> Int32 {
    do throws(CommandFailure) {
      return try dispatch(words)
    } catch {
      Console.complain(error)
      return error.status
    }
  }

  private static func dispatch(_ words: [String]) throws(CommandFailure) -> Int32 {
    guard let name = words.first else { throw .usage("which command? see kith --help; begin with kith demo") }
    switch name {
    case "help" where words.count == 2: return try dispatch([words[1], "--help"])
    case "--help", "-h", "help":
      try Console.write(Help.overview(commands))
      return 0
    case "--version":
      try Console.write("kith \(Version.text)\n")
      return 0
    default: break
    }
    guard let command = commands.first(where: { $0.name == name }) else {
      let hint = nearestWord(to: name, among: commands.map(\.name)).map { ", perhaps kith \($0)" } ?? ""
      throw .usage("no command \(name)\(hint); see kith --help")
    }
    let rest = words.dropFirst()
    if Arguments.askForHelp(rest) {
      try Console.write(Help.text(of: command))
      return 0
    }
    return try command.run(try Arguments(rest, of: command))
  }
}
