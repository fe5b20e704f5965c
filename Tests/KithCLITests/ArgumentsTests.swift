import Testing

@testable import KithCLI

/// A command that only reads its arguments.
private let sample = Command(
  name: "sample", summary: "is a sample",
  positionals: [Positional("STORE", "a store"), Positional("MORE", "", isOptional: true)],
  options: [Option("--limit", "N", "how many"), Option("--json", nil, "for a program")], examples: ["sample ./store"]
) { (_) throws(CommandFailure) in 0 }

private let limit = sample.options[0]
private let json = sample.options[1]

private func read(_ words: String...) throws(CommandFailure) -> Arguments { try Arguments(words, of: sample) }

private func refusal(_ words: String...) -> CommandFailure? {
  do throws(CommandFailure) {
    _ = try Arguments(words, of: sample)
    return nil
  } catch {
    return error
  }
}

@Suite struct ArgumentsTests {
  @Test("An option can stand anywhere, with its value after a space or an equals sign")
  func places() throws {
    for words in [["./s", "--limit", "7", "--json"], ["--limit=7", "--json", "./s"], ["--json", "./s", "--limit=7"]] {
      let arguments = try Arguments(words, of: sample)
      #expect(arguments.positionals == ["./s"])
      #expect(try arguments.integer(limit, in: 1...9) == 7)
      #expect(arguments.flag(json))
    }
    #expect(try read("./s").integer(limit, in: 1...9) == nil)
    #expect(try !read("./s").flag(json))
    #expect(try read("./s", "--limit=a=b").value(limit) == "a=b")
    #expect(try read("./s", "--limit", "-3").value(limit) == "-3")
  }

  @Test("A single dash is a positional argument: standard input") func dash() throws {
    #expect(try read("-", "--limit", "2").positionals == ["-"])
  }

  @Test("After two dashes every argument is positional")
  func dashes() throws {
    #expect(try read("--", "--limit", "--").positionals == ["--limit", "--"])
    #expect(!Arguments.askForHelp(["a", "--", "--help"]))
    #expect(Arguments.askForHelp(["a", "-h"]))
  }

  @Test(
    "Invalid arguments are refused with status 2 and a hint",
    arguments: [
      ([], "STORE is missing"), (["a", "b", "c"], "one argument too many: \"c\""), (["a", "--limit"], "needs a value"),
      (["a", "--limit", "--json"], "needs a value"), (["a", "--json=1"], "takes no value"),
      (["a", "--json", "--json"], "given twice"), (["a", "--limit=1", "--limit", "2"], "given twice"),
      (["a", "--limt", "2"], "perhaps --limit"), (["a", "--deep"], "no option --deep"), (["-x"], "no option -x"),
    ])
  func refusals(words: [String], reason: String) throws {
    let failure = try #require(throws: CommandFailure.self) { try Arguments(words, of: sample) }
    #expect(failure.status == 2)
    #expect(failure.message.contains(reason), "\(failure.message)")
    #expect(failure.message.hasSuffix("see kith sample --help"))
  }

  @Test(
    "A value that is no number in the range is refused", arguments: ["0", "10", "x", "", "1.0", "99999999999999999999"])
  func numbers(text: String) throws {
    let arguments = try read("a", "--limit=\(text)")
    #expect(throws: CommandFailure.self) { try arguments.integer(limit, in: 1...9) }
  }

  @Test("A mistyped word gets the nearest word as a suggestion, a very different one gets none")
  func suggestions() {
    let words = ["search", "seed", "snapshot", "timeline"]
    #expect(nearestWord(to: "serch", among: words) == "search")
    #expect(nearestWord(to: "sede", among: words) == "seed")
    #expect(nearestWord(to: "time", among: words) == "timeline")
    #expect(nearestWord(to: "watch", among: words) == nil)
    #expect(nearestWord(to: "-", among: ["--json"]) == nil)
  }

  @Test("Help of every command shows usage, options and examples")
  func help() {
    #expect(Set(EntryPoint.commands.map(\.name)).count == EntryPoint.commands.count)
    for command in EntryPoint.commands {
      let text = Help.text(of: command)
      #expect(text.hasPrefix("usage: kith \(command.name)"))
      for option in command.options { #expect(text.contains(option.name), "\(command.name)") }
      #expect(!command.examples.isEmpty && command.examples.allSatisfy { text.contains("  kith \($0)") })
      #expect(text.split(separator: "\n").allSatisfy { $0.count <= 130 }, "\(text)")
      #expect(Help.overview(EntryPoint.commands).contains("  \(command.name) "))
    }
  }

  @Test(
    "Help contains the common terms of a feature",
    arguments: [
      ("search", ["fuzzy", "typo", "regular expression"]), ("suggest", ["recommend"]), ("path", ["shortest path"]),
      ("rank", ["PageRank", "connected components"]), ("drill", ["recovery drill"]),
      ("list", ["point-in-time recovery"]),
      ("restore", ["point-in-time recovery", "write-ahead log"]), ("snapshot", ["backup"]), ("verify", ["damaged"]),
      ("query", ["write-ahead log", "fuzzy", "debounce", "JSON Lines"]), ("watch", ["write-ahead log", "JSON Lines"]),
    ])
  func searchableTerms(name: String, terms: [String]) throws {
    let text = Help.text(of: try #require(EntryPoint.commands.first { $0.name == name }))
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ").lowercased()
    for term in terms { #expect(line.contains(term.lowercased()), "kith \(name) --help lacks \(term)") }
    #expect(Help.overview(EntryPoint.commands).contains("thread-safe"))
  }
}

@Suite struct TextTests {
  @Test("Characters that could move the cursor or hide text are shown escaped")
  func escapes() {
    #expect(printable("\u{1B}[2Jann\r\n\tb\u{202E}c\u{7F}\u{9B}") == "\\u{1B}[2Jann\\r\\n\\tb\\u{202E}c\\u{7F}\\u{9B}")
    #expect(printable("a\u{200B}\u{FEFF}n") == "a\\u{200B}\\u{FEFF}n", "without width")
    #expect(printable("José 👩‍🚒 李") == "José 👩‍🚒 李")
  }

  @Test("Numbers, sizes and times have one format")
  func numbers() {
    #expect([0, 999, 1_000, -1_234_567].map { grouped($0) } == ["0", "999", "1,000", "-1,234,567"])
    #expect(
      [decimal(0.05), decimal(1234.96), decimal(-2.5, places: 2), decimal(.nan)] == ["0.1", "1,235.0", "-2.50", "?"])
    #expect([byteText(12), byteText(2_048), byteText(5 << 20)] == ["12 B", "2.0 KB", "5.0 MB"])
    #expect([timeText(0), timeText(951_868_799_999)] == ["1970-01-01 00:00:00", "2000-02-29 23:59:59"])
    #expect([timeText(-1), timeText(4_294_967_295_999)] == ["1969-12-31 23:59:59", "2106-02-07 06:28:15"])
    #expect(Duration.nanoseconds(1_250).text == "1.3 µs" && Duration.milliseconds(2_500).text == "2.50 s")
  }

  @Test("Progress shows count, rate, share and remaining time")
  func progress() {
    let line = Progress.line("follows", done: 2_000_000, of: "rows", share: 0.5, elapsed: 2)
    #expect(line == "follows   2,000,000 rows   1,000,000/s   50 %   2 s left")
    #expect(Progress.line("posts", done: 0, of: "rows", share: nil, elapsed: 0) == "posts   0 rows")
  }
}
