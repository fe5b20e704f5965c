import Foundation
import Kith

/// `kith man`: manual pages.
enum ManCommand {
  private static let directory = Option(
    "--to", "DIRECTORY", "writes all pages into an existing directory, replacing them")

  static let command = Command(
    name: "man",
    summary: "prints the manual page of kith, or of a command, for man and other readers of roff",
    positionals: [Positional("COMMAND", "the name of a command", isOptional: true)],
    options: [directory], examples: ["man | man -l -", "man search | man -l -", "man --to /usr/local/share/man/man1"],
    writes: { [$0.value(directory)].compactMap(\.self) }, run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    let commands = EntryPoint.commands
    let name = arguments.positional(0)
    if let path = try arguments.plainPath(directory) {
      if name != nil { throw arguments.misuse("--to writes all pages: leave out COMMAND") }
      try write(ManPage.overview(commands), to: "\(path)/kith.1")
      for command in commands { try write(ManPage.text(of: command), to: "\(path)/kith-\(command.name).1") }
      return 0
    }
    guard let name else {
      try Console.write(ManPage.overview(commands))
      return 0
    }
    guard let command = commands.first(where: { $0.name == name }) else { throw arguments.misuse("no command \(name)") }
    try Console.write(ManPage.text(of: command))
    return 0
  }

  private static func write(_ page: String, to path: String) throws(CommandFailure) {
    do {
      try Data(page.utf8).write(to: URL(fileURLWithPath: path))
    } catch {
      throw .usage("\(path): cannot be written: \(error.localizedDescription)")
    }
  }
}

/// `kith completion`: completions for shells.
enum CompletionCommand {
  private static let shells = Completion.allCases.map(\.rawValue).joined(separator: ", ")

  static let command = Command(
    name: "completion",
    summary: "prints the completions of commands and options for bash, zsh or fish",
    positionals: [Positional("SHELL", shells, choices: Completion.allCases.map(\.rawValue))],
    notes: [
      "bash: eval \"$(kith completion bash)\" in ~/.bashrc. zsh: write it as _kith into a directory of fpath. fish: "
        + "kith completion fish > ~/.config/fish/completions/kith.fish. Scripts/install does so for all users."
    ],
    examples: ["completion bash", "completion zsh > ~/.zfunc/_kith"], run: run)

  private static func run(_ arguments: Arguments) throws(CommandFailure) -> Int32 {
    guard let shell = Completion(rawValue: arguments.positionals[0]) else {
      throw arguments.misuse("\(arguments.positionals[0]): one of \(shells) is needed")
    }
    try Console.write(shell.text(EntryPoint.commands))
    return 0
  }
}
