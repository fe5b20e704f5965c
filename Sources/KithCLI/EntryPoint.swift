import Kith

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The `kith` command: finds the requested command, reads its arguments and runs it.
@main
enum EntryPoint {
  /// In the order of the overview: demo, loading, queries, operation of stores.
  static let commands = [
    DemoCommand.command, SeedCommand.command, ImportCommand.command, ExportCommand.command,
    ChangeCommands.add, ChangeCommands.edit,
    QueryCommand.command, ShellCommand.command, ServeCommand.command, ReplicaCommand.command, ExploreCommand.command,
    SearchCommand.command, RequestCommand.posts.command, RequestCommand.timeline.command, UserCommand.command,
    PostCommand.command, RequestCommand.followers.command, RequestCommand.followees.command,
    RequestCommand.likes.command, RequestCommand.likers.command, RequestCommand.incoming.command,
    SuggestCommand.command, PathCommand.command,
    RankCommand.command, RequestCommand.stats.command, WatchCommand.command, BenchCommand.command,
    SnapshotCommand.command, RestoreCommand.command, SalvageCommand.command, DrillCommand.command,
    VerifyCommand.command, ListCommand.command, DiffCommand.command, InspectCommand.command, SchemaCommand.command,
    ManCommand.command, CompletionCommand.command,
  ]

  static func main() {
    ByteStream.occupyClosedStreams()
    ByteStream.ignoreFileSizeLimits()
    // A separate function: ending the process inside it would skip its callees' `defer` blocks.
    let status = run(Array(words.dropFirst())) { command, arguments in
      if !command.isEndless { Interruption.explain(command.writes(arguments)) }
    }
    if status != 0 { leave(with: status) }
  }

  /// The words of the command line. They are bytes; `Arguments` separates paths from texts.
  private static var words: [String] {
    // Safe because the system's array holds as many texts, which are never freed.
    (0..<Int(CommandLine.argc)).compactMap { index in
      guard let word = unsafe CommandLine.unsafeArgv[index] else { return nil }
      return unsafe String(pathBytes: UnsafeRawBufferPointer(start: word, count: strlen(word)))
    }
  }

  /// Runs one command line, without the program's name; returns the exit status.
  ///
  /// - Parameter prepare: called before the command runs.
  static func run(_ words: [String], _ prepare: (Command, Arguments) -> Void = { _, _ in }) -> Int32 {
    do throws(CommandFailure) {
      return try dispatch(words, prepare)
    } catch {
      Console.printError(error)
      return error.status
    }
  }

  private static func dispatch(
    _ words: [String], _ prepare: (Command, Arguments) -> Void
  ) throws(CommandFailure) -> Int32 {
    guard let name = words.first else { throw .usage("a command is missing; see kith --help; begin with kith demo") }
    switch name {
    case "help" where words.count == 2: return try dispatch([words[1], "--help"], prepare)
    case "--help", "-h", "help":
      try Console.write(Help.overview(commands))
      return 0
    case "--version", "-V":
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
    let arguments = try Arguments(rest, of: command)
    Color.choose(try arguments.color())
    prepare(command, arguments)
    return try command.run(arguments)
  }
}
