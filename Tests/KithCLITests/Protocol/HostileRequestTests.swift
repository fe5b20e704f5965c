import Foundation
import Testing

@testable import Kith
@testable import KithCLI

/// Hostile requests to the built `kith`: each gets one line of answer in bounded time, and the process stays small and
/// continues.
@Suite struct HostileRequestTests {
  /// The most processor time of one request. The slowest takes a quarter of it in an unoptimized build.
  private static let longest = Duration.seconds(PagePool.isSanitized ? 60 : 12)
  /// The most memory of the process. A line of 8 MiB is held several times, and the pools of an idle process take some
  /// 30 MiB.
  private static let mostBytes = 320 << 20

  struct Hostile: CustomTestStringConvertible, Sendable {
    let name: String
    let line: [UInt8]
    /// The code of the refusal; nil for an answer.
    let code: String?

    init(_ name: String, _ line: String, _ code: String? = "invalidRequest") {
      self.init(name, bytes: Array(line.utf8), code)
    }

    init(_ name: String, bytes: [UInt8], _ code: String? = "invalidRequest") {
      self.name = name
      line = bytes
      self.code = code
    }

    var testDescription: String { name }
  }

  /// One group of requests in one process, after the requests of its setting.
  private func ask(_ group: [Hostile], after setting: [String] = []) throws {
    let (process, input, output) = try BuiltKith.process(["query", "--memory"])
    try process.run()
    // Requests are written on a thread of their own, because a refused line does not wait for a reader.
    let reader = AnswerReader(output)
    let first = setting + [#"{"op":"addUser","username":"ann"}"#, #"{"op":"addPost","user":1,"text":"hello world"}"#]
    for line in first {
      try input.write(contentsOf: Data("\(line)\n".utf8))
      #expect(try reader.next().starts(with: Array(#"{"ok":true"#.utf8)), "\(line.prefix(80))")
    }
    for hostile in group {
      let start = time(of: process)
      let feeder = Thread { try? input.write(contentsOf: Data(hostile.line + [UInt8(ascii: "\n")])) }
      feeder.start()
      let answer = try JSONReader.parse(try reader.next())
      let time = time(of: process) - start
      #expect(code(answer) == hostile.code, "\(hostile.name)")
      #expect(time < Self.longest, "\(hostile.name) took \(time)")
      if let bytes = mostBytes(process) { #expect(bytes < Self.mostBytes, "\(hostile.name): \(bytes >> 20) MiB") }
    }
    try input.write(contentsOf: Data(#"{"op":"verify"}"#.utf8 + [UInt8(ascii: "\n")]))
    #expect(try reader.next() == Array(#"{"ok":true,"problems":[]}"#.utf8))
    try input.close()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
  }

  private func code(_ answer: JSONValue) -> String? {
    guard case .object(let members) = answer, case .object(let error)? = members.named("error")?.value,
      case .string(let code)? = error.named("code")?.value
    else { return nil }
    return code
  }

  /// The processor time of the process so far, which other processes do not change; the clock's time on other systems
  /// than Linux.
  private func time(of process: Process) -> Duration {
    #if os(Linux)
      let stat = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/stat", encoding: .utf8)) ?? ""
      // The fields follow the name, which can contain anything: the eleventh and twelfth, in hundredths of a second.
      let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
      let ticks = fields.dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +)
      return .milliseconds(ticks * 10)
    #else
      return .nanoseconds(Int64(ProcessInfo.processInfo.systemUptime * 1e9))
    #endif
  }

  /// The greatest memory of the process so far, where the system reports it; sanitizers need more.
  private func mostBytes(_ process: Process) -> Int? {
    #if os(Linux)
      if PagePool.isSanitized { return nil }
      let status = (try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)) ?? ""
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }.map { $0 << 10 }
    #else
      return nil
    #endif
  }

  // MARK: - Shapes

  private static func nested(_ depth: Int) -> String {
    String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
  }

  private static func list(_ element: String, _ count: Int) -> String {
    "[" + Array(repeating: element, count: count).joined(separator: ",") + "]"
  }

  @Test("Deep nesting, duplicate names and too many values are answered in bounded time")
  func shapes() throws {
    let distinct = (0..<200_000).map { "\"k\($0)\":1" }.joined(separator: ",")
    try ask([
      Hostile("arrays to no end", String(repeating: "[", count: 1_000_000)),
      Hostile("objects to no end", String(repeating: #"{"a":"#, count: 1_000_000)),
      Hostile("a tag as deep as may be", #"{"op":"stats","tag":\#(Self.nested(63))}"#, nil),
      Hostile("a tag one deeper", #"{"op":"stats","tag":\#(Self.nested(64))}"#),
      Hostile("a watch of watches", String(repeating: #"{"op":"watch","question":"#, count: 60) + "1"),
      Hostile("a batch of batches", #"{"op":"batch","changes":[{"op":"batch","changes":[]}]}"#),
      Hostile("two ops", #"{"op":"stats","op":"users"}"#),
      Hostile("two ops, one escaped", #"{"op":"stats","\u006fp":"users"}"#),
      Hostile("many members", "{\(distinct)}"),
      Hostile("many members, the last one twice", "{\(distinct),\"k199999\":1}"),
      Hostile("as many values as a line holds", #"{"op":"stats","tag":\#(Self.list("1", 4_000_000))}"#),
      Hostile("as many empty objects", #"{"op":"stats","tag":\#(Self.list("{}", 2_500_000))}"#),
      Hostile("a tag of many values", #"{"op":"stats","tag":\#(Self.list("[]", 200_000))}"#, nil),
      Hostile("a line of 8 MiB of spaces", String(repeating: " ", count: (8 << 20) - 14) + #"{"op":"stats"}"#, nil),
      Hostile("a line that is too long", String(repeating: " ", count: (8 << 20) - 13) + #"{"op":"stats"}"#),
      Hostile("a line of 16 MiB", String(repeating: "{", count: 16 << 20)),
      Hostile("an empty object", "{}"), Hostile("a zero byte", "{\"op\":\"stats\"\u{0}}"),
      Hostile("a byte-order mark", "\u{FEFF}{\"op\":\"stats\"}"),
    ])
  }

  @Test("Giant numbers are answered in bounded time")
  func numbers() throws {
    let digits = String(repeating: "9", count: 4_000_000)
    try ask(
      [
        Hostile("four million digits", #"{"op":"user","user":\#(digits)}"#),
        Hostile("a tag of four million digits", #"{"op":"stats","tag":\#(digits)}"#, nil),
        Hostile("four million decimals", #"{"op":"users","limit":1.\#(digits)}"#),
        Hostile("a giant exponent", #"{"op":"users","limit":1e\#(digits)}"#),
        Hostile("2⁶³", #"{"op":"user","user":9223372036854775808}"#),
        Hostile("2⁶³−1", #"{"op":"user","user":9223372036854775807}"#, "unknownUser"),
        Hostile("−2⁶³", #"{"op":"user","user":-9223372036854775808}"#, "unknownUser"),
        Hostile("minus zero", #"{"op":"users","limit":-0}"#),
        Hostile("the widest window", #"{"op":"posts","query":"h","after":\#(Int64.min),"before":\#(Int64.max)}"#, nil),
        Hostile("nothing before the first", #"{"op":"timeline","user":1,"before":\#(Int64.min)}"#, nil),
        Hostile(
          "as many hops as there are numbers", #"{"op":"distance","user":1,"target":1,"max":\#(Int64.max)}"#, nil),
        Hostile("a follow after the last second", #"{"op":"follow","user":1,"target":2,"at":\#(Int64.max)}"#),
        Hostile("a post before 1970", #"{"op":"addPost","user":1,"text":"x","createdAt":-1}"#),
        Hostile("a post at the end of time", #"{"op":"addPost","user":1,"text":"x","createdAt":\#(Int64.max)}"#, nil),
        Hostile("an id of zero", #"{"op":"addUser","username":"zero","id":0}"#),
        Hostile("a watch that never was", #"{"op":"unwatch","watch":\#(Int64.min)}"#, nil),
        Hostile("the last id", #"{"op":"addUser","username":"last","id":\#(Int64.max)}"#, nil),
        Hostile("an id after the last", #"{"op":"addUser","username":"later"}"#, "limitExceeded"),
      ], after: [#"{"op":"addUser","username":"bob"}"#])
  }

  // MARK: - Texts

  private static func bytes(_ before: String, _ broken: [UInt8], _ after: String) -> [UInt8] {
    Array(before.utf8) + broken + Array(after.utf8)
  }

  @Test("Broken UTF-8 and broken escapes are refused in every string")
  func brokenTexts() throws {
    let broken: [(String, [UInt8])] = [
      ("overlong", [0xC0, 0xAF]), ("a surrogate", [0xED, 0xA0, 0x80]), ("beyond the last", [0xF4, 0x90, 0x80, 0x80]),
      ("cut off", [0xE2, 0x82]), ("a lone continuation", [0x80]), ("0xFF", [0xFF]), ("a control", [0x01]),
      ("half a pair", Array(#"\ud800"#.utf8)), ("the halves turned round", Array(#"\udc00\ud800"#.utf8)),
      ("two first halves", Array(#"\ud800\ud800"#.utf8)), ("an escape that is none", Array(#"\x"#.utf8)),
      ("a cut escape", Array(#"\u12"#.utf8)),
    ]
    let places = [
      (#"{"op":"users","query":""#, #""}"#), (#"{"op":"addUser","username":""#, #""}"#),
      (#"{"op":"user","user":{"username":""#, #""}}"#), (#"{""#, #"":1}"#), (#"{"op":"stats","tag":""#, #""}"#),
      (#"{"op":"users","cursor":""#, #""}"#),
    ]
    try ask(
      broken.flatMap { name, bytes in
        places.map { Hostile("\(name) in \($0)", bytes: Self.bytes($0, bytes, $1)) }
      })
  }

  @Test("Long texts, and texts that cost more than their length, are answered in bounded time")
  func longTexts() throws {
    let long = String(repeating: "x", count: 2_000_000)
    let marks = "a" + String(repeating: "\u{301}\u{323}", count: 500_000)
    let words = (100_000..<350_000).map(String.init).joined(separator: " ")
    try ask([
      Hostile("a long op", #"{"op":"\#(long)"}"#), Hostile("a long field", #"{"op":"stats","\#(long)":1}"#),
      Hostile("a long choice", #"{"op":"users","match":"\#(long)"}"#),
      Hostile("a long query", #"{"op":"users","query":"\#(long)"}"#, "queryTooLong"),
      Hostile("a long query of posts", #"{"op":"posts","query":"\#(long)"}"#, "queryTooLong"),
      Hostile("a query of spaces", #"{"op":"users","query":"\#(String(repeating: " ", count: 2_000_000))"}"#, nil),
      Hostile(
        "a query of words", #"{"op":"posts","query":"\#(words)"}"#, "queryTooLong"),
      Hostile("a long username", #"{"op":"addUser","username":"\#(long)"}"#, "invalidUsername"),
      Hostile("a username of marks", #"{"op":"addUser","username":"\#(marks)"}"#, "invalidUsername"),
      Hostile("a long reference", #"{"op":"user","user":{"username":"\#(long)"}}"#, "unknownUser"),
      Hostile("a reference of marks", #"{"op":"user","user":{"username":"\#(marks)"}}"#, "unknownUser"),
      Hostile("a new name of marks", #"{"op":"renameUser","user":1,"username":"\#(marks)"}"#, "invalidUsername"),
      Hostile("a long post", #"{"op":"addPost","user":1,"text":"\#(long)"}"#, "textTooLong"),
      Hostile("a long tag", #"{"op":"stats","tag":"\#(long)"}"#, nil),
      Hostile("a tag of escapes", #"{"op":"stats","tag":"\#(String(repeating: #"\u0041"#, count: 300_000))"}"#, nil),
      Hostile("a long cursor", #"{"op":"users","cursor":"\#(long)"}"#, "invalidCursor"),
      Hostile("help about a long name", #"{"op":"help","about":"\#(long)"}"#),
    ])
  }

  @Test("Every field takes its longest value, also one that grows in folding")
  func limits() throws {
    let wide = String(repeating: "\u{FDFA}", count: 85)
    let flags = String(repeating: "\u{1F1E6}", count: 16_383)
    let words = (10..<42).map { "ab\($0)" }.joined(separator: " ")
    func marks(_ count: Int) -> String { "a" + String(repeating: "\u{301}", count: count) }
    try ask([
      Hostile("a name of 255 bytes", #"{"op":"addUser","username":"\#(wide)"}"#, nil),
      Hostile("a name of 256", #"{"op":"addUser","username":"\#(wide)a"}"#, "invalidUsername"),
      Hostile("a name of marks", #"{"op":"addUser","username":"\#(marks(127))"}"#, nil),
      Hostile("an empty name", #"{"op":"addUser","username":""}"#, "invalidUsername"),
      Hostile("a name with a zero byte", #"{"op":"addUser","username":"a\u0000b"}"#, "invalidUsername"),
      Hostile("a query of 255 bytes", #"{"op":"users","query":"\#(wide)","count":true,"highlights":true}"#, nil),
      Hostile("the same, with typos", #"{"op":"users","query":"\#(wide)","match":"fuzzy","count":true}"#, nil),
      Hostile(
        "256 letters, with slips", #"{"op":"users","query":"\#(String(repeating: "ab", count: 128))","match":"fuzzy"}"#,
        nil),
      Hostile("a query of 257", #"{"op":"users","query":"\#(wide)ab"}"#, "queryTooLong"),
      Hostile("a query of marks", #"{"op":"users","query":"\#(marks(127))","highlights":true}"#, nil),
      Hostile(
        "a post of 65,535", #"{"op":"addPost","user":1,"text":"\#(String(repeating: "x", count: 65_535))"}"#, nil),
      Hostile(
        "a post of 65,536", #"{"op":"addPost","user":1,"text":"\#(String(repeating: "x", count: 65_536))"}"#,
        "textTooLong"),
      Hostile("a post of flags", #"{"op":"addPost","user":1,"text":"\#(flags)"}"#, nil),
      Hostile("a post of marks", #"{"op":"addPost","user":1,"text":"\#(marks(32_767))"}"#, nil),
      Hostile("a search in it", #"{"op":"posts","query":"\#(marks(100))","highlights":true}"#, nil),
      Hostile("32 words", #"{"op":"posts","query":"\#(words)","limit":1000}"#, nil),
      Hostile("33 words", #"{"op":"posts","query":"\#(words) ab"}"#, "queryTooLong"),
      Hostile("a page of 1,001", #"{"op":"users","limit":1001}"#),
      Hostile("a thousand users", #"{"op":"lookup","users":\#(Self.list("1", 1_000))}"#, nil),
      Hostile("one more", #"{"op":"lookup","users":\#(Self.list("1", 1_001))}"#),
      Hostile("a thousand names", #"{"op":"lookup","users":\#(Self.list(#"{"username":"ann"}"#, 1_000))}"#, nil),
      Hostile("a thousand of the longest posts", #"{"op":"lookup","posts":\#(Self.list("2", 1_000))}"#, nil),
      Hostile("a post more", #"{"op":"lookup","posts":\#(Self.list("2", 1_001))}"#),
      Hostile("a thousand relations", #"{"op":"relations","user":1,"targets":\#(Self.list("1", 1_000))}"#, nil),
      Hostile("a relation more", #"{"op":"relations","user":1,"targets":\#(Self.list("1", 1_001))}"#),
      Hostile("250,000 of them", #"{"op":"relations","user":1,"targets":\#(Self.list("1", 250_000))}"#),
      Hostile(
        "a batch of 10,000",
        #"{"op":"batch","changes":\#(Self.list(#"{"op":"addPost","user":1,"text":""}"#, 10_000))}"#, nil),
      Hostile("a change more", #"{"op":"batch","changes":\#(Self.list(#"{"op":"removePost","post":1}"#, 10_001))}"#),
    ])
  }

  // MARK: - Cursors

  /// Impossible numbers and names in cursors with valid checksums: the answers are pages of existing items or
  /// `invalidCursor`.
  @Test("Forged cursors with valid checksums only choose where to read", arguments: 1...3 as ClosedRange<UInt64>)
  func cursors(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var session = QuerySession(SocialGraph())
    var writer = JSONWriter()
    func ask(_ line: String) throws -> JSONValue {
      writer.removeAll()
      session.answer(.line(Array(line.utf8)), to: &writer)
      return try JSONReader.parse(Array(writer.bytes.dropLast()))
    }
    for line in Self.world { #expect(code(try ask(line)) == nil, "\(line)") }
    let numbers: [Int64] = [
      0, 1, 2, 3, 5, 20, 999, -1, -2, 1 << 31, 1 << 32, (1 << 32) - 1, 1 << 62, .max, .min, 5_000,
    ]
    let names: [[UInt8]] = [
      [], [0x61], Array("user1".utf8), [0xFF, 0xFE], [0], Array(repeating: 0x78, count: 255),
      Array(repeating: 0x79, count: 70_000), Array("é".utf8), [0xED, 0xA0, 0x80],
      Array(String(repeating: "\u{FDFA}", count: 85).utf8),
    ]
    var taken = 0
    for _ in 0..<1_500 {
      let (question, kinds) = random.pick(Self.questions)
      let kind = random.below(12) == 0 ? random.pick(CursorContent.Kind.all) : random.pick(kinds)
      let content = CursorContent(
        kind: kind, subject: random.below(8) == 0 ? random.pick(numbers) : random.pick([0, 1, 3]),
        numbers: (0..<random.pick([1, 2, 2, 2, 0, 3])).map { _ in random.pick(numbers) }, name: random.pick(names))
      let line = "{\(question),\"limit\":\(random.pick([1, 5, 1_000])),\"cursor\":\"\(content.text)\"}"
      let start = ContinuousClock.now
      let answer = try ask(line)
      #expect(ContinuousClock.now - start < Self.longest, "\(line.prefix(200))")
      let code = code(answer)
      #expect(code == nil || code == "invalidCursor", "\(line.prefix(200))")
      if code == nil { taken += 1 }
    }
    #expect(taken > 50, "some have the shape of a cursor")
    #expect(code(try ask(#"{"op":"verify"}"#)) == nil)
  }

  private static let world: [String] =
    (1...29).map { #"{"op":"addUser","username":"user\#($0)"}"# }
    + (1...14).flatMap { user in
      (15...29).map { #"{"op":"follow","user":\#(user),"target":\#($0),"at":\#(user)000}"# }
    } + (1...28).map { #"{"op":"addPost","user":\#($0),"text":"hello \#($0) world","createdAt":\#($0)000}"# }
    + (1...24).map { #"{"op":"like","user":\#($0),"post":3,"at":\#(5_000 + $0)}"# }
    + (20...28).map { #"{"op":"mute","user":1,"target":\#($0)}"# }

  private static let questions: [(String, [CursorContent.Kind])] = [
    (#""op":"users","query":"u""#, [.usersByName]), (#""op":"users","query":"""#, [.usersByName]),
    (#""op":"users","query":"ser1","order":"prefixFirst""#, [.usersPrefixFirst]),
    (#""op":"users","query":"u","order":"followedFirst","as":1"#, [.usersFollowedFirst]),
    (#""op":"users","query":"u","order":"popular""#, [.usersPopular]),
    (#""op":"users","query":"user","match":"fuzzy""#, [.usersFuzzy]),
    (#""op":"timeline","user":1"#, [.timeline]), (#""op":"timeline","user":1,"direction":"newer""#, [.timeline]),
    (#""op":"posts","query":"hello""#, [.posts]), (#""op":"posts","query":"","user":1"#, [.postsOfAuthor]),
    (#""op":"posts","query":"","following":true,"as":1"#, [.postsOfFollowees]),
    (#""op":"followees","user":1"#, [.followeesNewest]),
    (#""op":"followees","user":1,"order":"name""#, [.followeesByName]),
    (#""op":"followers","user":1"#, [.followersNewest]),
    (#""op":"followers","user":1,"order":"name""#, [.followersByName]),
    (#""op":"likers","post":3"#, [.likers]), (#""op":"likes","user":1"#, [.likes]),
    (#""op":"blocked","user":1"#, [.blocked]), (#""op":"muted","user":1"#, [.muted]),
    (#""op":"mutuals","user":1,"target":3"#, [.mutualFollowees]),
    (#""op":"mutuals","user":1,"target":3,"of":"followers""#, [.mutualFollowers]),
    (#""op":"familiarFollowers","user":1,"as":3"#, [.familiarFollowers]),
  ]
}

extension CursorContent.Kind {
  /// Every kind of cursor.
  fileprivate static let all = (0...UInt8.max).compactMap(CursorContent.Kind.init(rawValue:))
}

/// Answers, line by line.
private final class AnswerReader {
  private let output: FileHandle
  private var bytes: [UInt8] = []
  private var start = 0

  init(_ output: FileHandle) { self.output = output }

  /// The next line, without its line break; the rest of the text if there is none.
  func next() throws -> [UInt8] {
    var scanned = start
    while true {
      if let end = bytes[scanned...].firstIndex(of: UInt8(ascii: "\n")) {
        defer { start = end + 1 }
        return Array(bytes[start..<end])
      }
      bytes.removeFirst(start)
      start = 0
      scanned = bytes.count
      let more = output.availableData
      if more.isEmpty { return bytes }
      bytes += more
    }
  }
}
