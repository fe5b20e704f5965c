/// Completions for shells, made from the declarations of the commands.
enum Completion: String, CaseIterable {
  case bash, zsh, fish

  func text(_ commands: [Command]) -> String {
    switch self {
    case .bash: Self.bash(commands)
    case .zsh: Self.zsh(commands)
    case .fish: Self.fish(commands)
    }
  }

  private static func options(_ command: Command) -> [Option] { command.options + [.color] }

  /// The arguments that take one of some words: the command, the argument's place after it, and the words.
  private static func words(_ commands: [Command]) -> [(command: String, place: Int, words: [String])] {
    commands.flatMap { command in
      command.positionals.enumerated().map { (command.name, $0.offset + 1, choices($0.element, commands)) }
    }.filter { !$0.words.isEmpty } + [("help", 1, commands.map(\.name))]
  }

  /// The words that an argument takes.
  private static func choices(_ positional: Positional, _ commands: [Command]) -> [String] {
    positional.name == "COMMAND" ? commands.map(\.name) : positional.choices
  }

  private static func quoted(_ text: String) -> String { "'" + text.replacing("'", with: "'\\''") + "'" }

  // MARK: - bash

  private static func bash(_ commands: [Command]) -> String {
    let names = commands.map(\.name).joined(separator: " ")
    let all = commands.flatMap(options)
    let choices = Dictionary(grouping: all.filter { !$0.choices.isEmpty }, by: \.name).sorted { $0.key < $1.key }
    let values = choices.map { name, options in
      let words = quoted(options[0].choices.joined(separator: " "))
      return "    \(name)) COMPREPLY=($(compgen -W \(words) -- \"$word\")); return ;;\n"
    }
    let paths = Set(all.filter { $0.isPath && $0.choices.isEmpty }.map(\.name))
    let others = Set(all.filter { $0.value != nil && $0.choices.isEmpty }.map(\.name)).subtracting(paths).sorted()
    let lists = commands.map {
      "    \($0.name)) options=\(quoted(options($0).map(\.name).joined(separator: " "))) ;;\n"
    }
    let arguments = words(commands).map { command, place, words in
      let list = quoted(words.joined(separator: " "))
      return "    \(command):\(place + 1)) COMPREPLY=($(compgen -W \(list) -- \"$word\")); return ;;\n"
    }
    return """
      # bash completion of kith, printed by: kith completion bash
      _kith() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options=
        COMPREPLY=()
        if [ "$COMP_CWORD" = 1 ]; then
          COMPREPLY=($(compgen -W \(quoted(names + " help --help --version")) -- "$word"))
          return
        fi
        case $before in
      \(values.joined())    \(others.joined(separator: "|"))) return ;;
        esac
        case ${COMP_WORDS[1]} in
      \(lists.joined())  esac
        if [ "${word#-}" != "$word" ]; then
          COMPREPLY=($(compgen -W "$options --help" -- "$word"))
          return
        fi
        case ${COMP_WORDS[1]}:$COMP_CWORD in
      \(arguments.joined())  esac
        local IFS=$'\\n'  # a name may have spaces
        compopt -o filenames 2> /dev/null
        COMPREPLY=($(compgen -f -- "$word"))
      }
      complete -F _kith kith

      """
  }

  // MARK: - zsh

  private static func zsh(_ commands: [Command]) -> String {
    func plain(_ text: String) -> String {
      text.reduce(into: "") { plain, letter in
        if "[]:\\".contains(letter) { plain.append("\\") }
        plain.append(letter)
      }
    }
    func value(_ name: String, _ choices: [String], isPath: Bool) -> String {
      let files = isPath ? "_files" : " "
      return ":\(plain(name)):" + (choices.isEmpty ? files : "(\(choices.joined(separator: " ")))")
    }
    let names = commands.map(\.name).joined(separator: " ")
    let list = commands.map { "    \(quoted("\($0.name):\(plain($0.summary))"))\n" }
    let cases = commands.map { command in
      var words = options(command).map { option in
        let argument = option.value.map { value($0, option.choices, isPath: option.isPath) } ?? ""
        return quoted("\(option.name)[\(plain(option.help))]\(argument)")
      }
      words += command.positionals.map {
        quoted(($0.isOptional ? ":" : "") + value($0.name, choices($0, commands), isPath: $0.isPath))
      }
      return "    \(command.name)) _arguments -S \(words.joined(separator: " \\\n      ")) ;;\n"
    }
    return """
      #compdef kith
      # zsh completion of kith, printed by: kith completion zsh
      _kith() {
        local -a commands=(
      \(list.joined())  )
        if (( CURRENT == 2 )); then
          _describe command commands
          compadd -- help --help --version
          return
        fi
        shift words
        (( CURRENT-- ))
        case $words[1] in
      \(cases.joined())    help) compadd -- \(names) ;;
        esac
      }
      if [ "$funcstack[1]" = "_kith" ]; then _kith "$@"; else compdef _kith kith; fi

      """
  }

  // MARK: - fish

  private static func fish(_ commands: [Command]) -> String {
    var lines = ["# fish completion of kith, printed by: kith completion fish"]
    lines.append("complete -c kith -n __fish_use_subcommand -f -l help -d 'shows the commands'")
    lines.append("complete -c kith -n __fish_use_subcommand -f -l version -d 'shows the version'")
    for (command, place, words) in words(commands) {
      let condition = "__fish_seen_subcommand_from \(command); and test (count (commandline -opc)) -eq \(place + 1)"
      lines.append("complete -c kith -n '\(condition)' -f -a \(fishQuoted(words.joined(separator: " ")))")
    }
    for command in commands {
      lines.append("complete -c kith -n __fish_use_subcommand -f -a \(command.name) -d \(fishQuoted(command.summary))")
      for option in options(command) {
        var line = "complete -c kith -n '__fish_seen_subcommand_from \(command.name)' -l \(option.name.dropFirst(2))"
        if !option.choices.isEmpty {
          line += " -x -a \(fishQuoted(option.choices.joined(separator: " ")))"
        } else if option.value != nil {
          line += option.isPath ? " -r -F" : " -x"
        }
        lines.append(line + " -d \(fishQuoted(option.help))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func fishQuoted(_ text: String) -> String {
    "'" + text.replacing("\\", with: "\\\\").replacing("'", with: "\\'") + "'"
  }
}
