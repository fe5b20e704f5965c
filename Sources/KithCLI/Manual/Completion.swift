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
    let lists = commands.map {
      "    \($0.name)) options=\(quoted(options($0).map(\.name).joined(separator: " "))) ;;\n"
    }
    return """
      # bash completion of kith, printed by: kith completion bash
      _kith() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} options=
        COMPREPLY=()
        if [ "$COMP_CWORD" = 1 ]; then
          COMPREPLY=($(compgen -W \(quoted(names + " --help --version")) -- "$word"))
          return
        fi
        case $before in
      \(values.joined())  esac
        case ${COMP_WORDS[1]} in
      \(lists.joined())  esac
        if [ "${word#-}" != "$word" ]; then
          COMPREPLY=($(compgen -W "$options --help" -- "$word"))
        else
          compopt -o filenames 2> /dev/null
          COMPREPLY=($(compgen -f -- "$word"))
        fi
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
    let list = commands.map { "    \(quoted("\($0.name):\(plain($0.summary))"))\n" }
    let cases = commands.map { command in
      var words = options(command).map { option in
        let value = option.value.map { value in
          ":\(plain(value)):" + (option.choices.isEmpty ? "_files" : "(\(option.choices.joined(separator: " ")))")
        }
        return quoted("\(option.name)[\(plain(option.help))]\(value ?? "")")
      }
      words += command.positionals.map { quoted("\($0.isOptional ? ":" : "")\(":\(plain($0.name)):_files")") }
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
          return
        fi
        shift words
        (( CURRENT-- ))
        case $words[1] in
      \(cases.joined())  esac
      }
      if [ "$funcstack[1]" = "_kith" ]; then _kith "$@"; else compdef _kith kith; fi

      """
  }

  // MARK: - fish

  private static func fish(_ commands: [Command]) -> String {
    var lines = ["# fish completion of kith, printed by: kith completion fish"]
    lines.append("complete -c kith -n __fish_use_subcommand -f -l help -d 'shows the commands'")
    lines.append("complete -c kith -n __fish_use_subcommand -f -l version -d 'shows the version'")
    for command in commands {
      lines.append("complete -c kith -n __fish_use_subcommand -f -a \(command.name) -d \(fishQuoted(command.summary))")
      for option in options(command) {
        var line = "complete -c kith -n '__fish_seen_subcommand_from \(command.name)' -l \(option.name.dropFirst(2))"
        if !option.choices.isEmpty {
          line += " -x -a \(fishQuoted(option.choices.joined(separator: " ")))"
        } else if option.value != nil {
          line += " -r"
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
