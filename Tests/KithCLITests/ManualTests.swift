import Foundation
import Testing

@testable import KithCLI

/// Manual pages and completions are made from the table of commands.
@Suite struct ManualTests {
  @Test("Every command and option is in its manual page, and no line of text is taken for a command of roff")
  func pages() {
    let overview = ManPage.overview(EntryPoint.commands)
    #expect(overview.hasPrefix(".TH KITH 1 ") && overview.contains(Version.text))
    for command in EntryPoint.commands {
      #expect(overview.contains("\\fB\(ManPage.escaped(command.name))\\fR"), "\(command.name)")
      let page = ManPage.text(of: command)
      for option in command.options {
        #expect(page.contains("\\fB\(ManPage.escaped(option.name))\\fR"), "\(option.name)")
      }
      for line in page.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
        let macros = [".TH ", ".SH ", ".TP", ".PP", ".nf", ".fi"]
        #expect(macros.contains { line.hasPrefix($0) }, "\(line)")
      }
    }
    #expect(ManPage.escaped(".a \\n-b") == "\\&.a \\en\\-b")
  }

  @Test("Completions know every command and option", arguments: Completion.allCases)
  func completions(shell: Completion) {
    let text = shell.text(EntryPoint.commands)
    for command in EntryPoint.commands {
      #expect(text.contains(command.name))
      for option in command.options {
        #expect(text.contains(shell == .fish ? "-l \(option.name.dropFirst(2))" : option.name), "\(option.name)")
      }
    }
  }

  @Test("bash takes the completions without an error, and completes commands, options and words")
  func bash() throws {
    let script = """
      \(Completion.bash.text(EntryPoint.commands))
      try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kith; echo "${COMPREPLY[*]}"; }
      try kith sea
      try kith search --reg
      try kith search ./s a --order pop
      try kith import ./s --format js
      try kith search ./s a --limit ""
      try kith completion z
      try kith man ver
      try kith watch ./s time
      cd "$(mktemp -d)" && mkdir "my store"
      compopt() { :; }
      try kith stats my; echo ${#COMPREPLY[@]}
      """
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", script]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    process.waitUntilExit()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    #expect(text == "search\n--regex\npopular\njsonl\n\nzsh\nverify\ntimeline\nmy store\n1\n")
    #expect(errors.fileHandleForReading.readDataToEndOfFile().isEmpty)
  }

  @Test("Commands and options that the documents name exist")
  func documents() throws {
    let commands = Dictionary(uniqueKeysWithValues: EntryPoint.commands.map { ($0.name, $0) })
    var namedCount = 0
    for path in try FileManager.default.subpathsOfDirectory(atPath: repositoryRoot.path)
    where (path.hasSuffix(".md") || path == "Dockerfile") && !path.hasPrefix(".") {
      let text = try String(contentsOf: repositoryRoot.appendingPathComponent(path), encoding: .utf8)
      for match in text.matches(of: /\bkith ([a-z]+) ((?:[-.\/]|STORE|SNAPSHOT)[^`|#\n]*)/) {
        let command = try #require(commands[String(match.1)], "\(path): \(match.0)")
        let options = Set((command.options + [.color]).map(\.name) + ["--help"])
        let named = match.2.split(separator: " ").filter { $0.hasPrefix("--") }.map { $0.prefix { $0 != "=" } }
        for option in named { #expect(options.contains(String(option)), "\(path): \(match.0)") }
        namedCount += 1
      }
    }
    #expect(namedCount > 20)
  }

  @Test("The version is a semantic version, and the same everywhere it is printed")
  func version() throws {
    #expect(try /[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.]+)?/.wholeMatch(in: Version.text) != nil)
    for word in ["--version", "-V"] { #expect(try BuiltKith.run(word).output == "kith \(Version.text)\n") }
    #expect(try BuiltKith.run("man").output.contains("\"kith \(Version.text)\""))
    #expect(try BuiltKith.run("man", "serch").status == 2)
    #expect(try BuiltKith.run("completion", "tcsh").status == 2)
  }
}

/// What is coloured, shortened and left behind.
@Suite struct ConsoleTests {
  @Test("Colour is for terminals, unless NO_COLOR, TERM or --color say otherwise")
  func colour() {
    #expect(Color.isUsed(.auto, isTerminal: true, ["TERM": "xterm"]))
    #expect(!Color.isUsed(.auto, isTerminal: false, ["TERM": "xterm"]))
    #expect(!Color.isUsed(.auto, isTerminal: true, ["NO_COLOR": "1"]))
    #expect(Color.isUsed(.auto, isTerminal: true, ["NO_COLOR": ""]), "an empty one counts as unset")
    #expect(!Color.isUsed(.auto, isTerminal: true, ["TERM": "dumb"]))
    #expect(Color.isUsed(.always, isTerminal: false, ["NO_COLOR": "1"]) && !Color.isUsed(.never, isTerminal: true, [:]))
  }

  @Test("A table fits the width, by shortening texts and nothing else")
  func tables() {
    var table = Table([.right, .left, .left, .whole])
    table.add("1,234", "a name of many letters", "short", "/path/to/a/file")
    let text = table.text(width: 50)
    #expect(text.dropLast().count == 50 && text.contains("…") && text.hasSuffix("short  /path/to/a/file\n"), "\(text)")
    #expect(text.contains("1,234"))
    #expect(table.text(width: nil).contains("a name of many letters"))
    #expect(table.text(width: 5).contains("1,234") && table.text(width: 5).contains("/path/to/a/file"))
    #expect(wrapped("one two three".split(separator: " "), to: 7, indentation: 2) == "one two\n  three")
  }

  @Test("An interrupted command says what it began, and what is as before")
  func remainders() throws {
    let playground = try Playground()
    let (new, old) = (playground.path("new"), playground.path("old"))
    #expect(try BuiltKith.run("query", old, input: #"{"op":"addUser","username":"ann"}"#).status == 0)
    let (begun, kept) = (Remainder(new), Remainder(old))
    #expect(begun.text == nil && kept.text == nil && Interruption.text([]) == "nothing was changed")
    try FileManager.default.createDirectory(atPath: new, withIntermediateDirectories: false)
    #expect(begun.text == "\(new) was begun and is incomplete: remove it")
    for name in ["LOCK", "ACK", "snap-1.tmp"] { try playground.write([], to: "new/\(name)") }
    #expect(begun.text == "\(new) was begun and holds no graph (ACK, LOCK, snap-1.tmp): remove it")
    try playground.write([], to: "old/snap-2.tmp")
    #expect(kept.text == "\(old) holds what it held before, and snap-2.tmp, which its next use removes")
    try playground.write([], to: "old/snap-2.kith.zst")
    #expect(kept.text == "\(old) has the new snap-2.kith.zst, snap-2.tmp")
  }

  @Test("Ctrl-C ends long work with status 130 and one line; a temporary directory is removed")
  func interrupt() throws {
    let playground = try Playground()
    let store = playground.path("store")
    for words in [
      ["seed", store, "--users", "400000", "--follows", "40000000", "--posts", "0", "--likes", "0"],
      ["drill", "--changes", "10000000"],
    ] {
      let (process, _, _) = try BuiltKith.process(words)
      let errors = Pipe()
      process.standardError = errors
      process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": playground.path]) { $1 }
      try process.run()
      // Long enough for it to begin on a busy machine, and much shorter than its work.
      Thread.sleep(forTimeInterval: 2)
      process.interrupt()
      process.waitUntilExit()
      #expect(process.terminationStatus == 130 && process.terminationReason == .exit)
      let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      #expect(text.split(separator: "\n").count == 1 && text.hasPrefix("kith: interrupted; "), "\(text)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: playground.path).allSatisfy { $0 == "store" })
  }
}
