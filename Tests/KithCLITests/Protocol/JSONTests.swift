import Testing

@testable import KithCLI

private func parse(_ text: String) throws(JSONError) -> JSONValue { try JSONReader.parse(Array(text.utf8)) }

private func member(_ name: String, _ value: JSONValue, _ source: Range<Int>) -> JSONMember {
  JSONMember(name: name, value: value, source: source)
}

@Suite struct JSONReaderTests {
  @Test("Every kind of value is read")
  func everyKind() throws {
    #expect(try parse(" null ") == .null)
    #expect(try parse("[true,\tfalse]") == .array([.boolean(true), .boolean(false)]))
    #expect(try parse("[]") == .array([]))
    #expect(try parse("{ }") == .object([]))
    #expect(try parse("\"a/b\"") == .string("a/b"))
    #expect(
      try parse("{\"a\": [1, {}], \"é\" :\"x\"}\r")
        == .object([
          member("a", .array([.integer(1), .object([])]), 6..<13), member("é", .string("x"), 21..<24),
        ]))
  }

  @Test(
    "Plain digits that fit 64 bits are integers",
    arguments: [
      ("0", 0), ("-0", 0), ("7", 7), ("-12", -12), ("9223372036854775807", Int64.max),
      ("-9223372036854775808", Int64.min),
    ])
  func integers(text: String, value: Int64) throws {
    #expect(try parse(text) == .integer(value))
  }

  @Test(
    "Other numbers are no integers",
    arguments: ["1.0", "1e0", "0.5", "-0.0", "1E+9", "1e-7", "9223372036854775808", "-9223372036854775809", "1e999"])
  func otherNumbers(text: String) throws {
    #expect(try parse(text) == .otherNumber)
  }

  @Test("Escapes are decoded; a surrogate pair is one scalar")
  func escapes() throws {
    #expect(try parse(#""\"\\\/\b\f\n\r\t""#) == .string("\"\\/\u{8}\u{c}\n\r\t"))
    #expect(try parse(#""\u0000\u00e9\uD83D\uDE92x\u20AC""#) == .string("\0é🚒x€"))
  }

  @Test(
    "Invalid JSON is refused with its offset",
    arguments: [
      ("", .unexpectedEnd, 0), ("not json", .unexpectedByte(0x6F), 1), ("[1", .unexpectedEnd, 2),
      ("{\"op\":\"users\"", .unexpectedEnd, 13), ("{\"a\" 1}", .unexpectedByte(0x31), 5),
      ("{1:2}", .unexpectedByte(0x31), 1), ("[1,]", .unexpectedByte(0x5D), 3), ("{\"a\":1,}", .unexpectedByte(0x7D), 7),
      ("01", .trailingBytes, 1), ("-", .unexpectedEnd, 1), ("+1", .unexpectedByte(0x2B), 0),
      ("1.", .unexpectedEnd, 2), (".5", .unexpectedByte(0x2E), 0), ("1e", .unexpectedEnd, 2),
      ("NaN", .unexpectedByte(0x4E), 0), ("nul", .unexpectedEnd, 3), ("{} x", .trailingBytes, 3),
      ("\u{feff}{}", .unexpectedByte(0xEF), 0), ("\"ab", .unexpectedEnd, 3), ("\"a\nb\"", .controlCharacter, 2),
      (#""\x""#, .invalidEscape, 1), (#""\u12g4""#, .invalidEscape, 1), (#""ab\ud800""#, .loneSurrogate, 3),
      (#""\udc00""#, .loneSurrogate, 1), (#""\ud800\u0041""#, .loneSurrogate, 1), (#""\ud800\n""#, .loneSurrogate, 1),
      ("{\"a\":1,\"a\":2}", .duplicateName("a"), 7),
    ] as [(String, JSONError.Reason, Int)])
  func refusals(text: String, reason: JSONError.Reason, offset: Int) {
    #expect(throws: JSONError(reason: reason, offset: offset)) { try parse(text) }
  }

  @Test(
    "A string that is not UTF-8 is refused",
    arguments: [[0xFF, 0xFE], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
  func invalidUTF8(bytes: [UInt8]) {
    #expect(throws: JSONError(reason: .invalidUTF8, offset: 1)) {
      try JSONReader.parse(Array("[\"".utf8) + bytes + Array("\"]".utf8))
    }
    #expect(throws: JSONError(reason: .invalidUTF8, offset: 0)) {
      try JSONReader.parse(Array("\"\\n".utf8) + bytes + Array("\"".utf8))
    }
  }

  @Test("Nesting is read up to the limit")
  func nesting() throws {
    let limit = JSONReader.maximumDepth
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    _ = try parse(nested(limit))
    #expect(throws: JSONError(reason: .tooDeep, offset: limit)) { try parse(nested(limit + 1)) }
    #expect(throws: JSONError(reason: .tooDeep, offset: limit)) { try parse(String(repeating: "[", count: 1_000_000)) }
  }

  @Test("A repeated name is found among many; canonically equivalent names differ")
  func repeatedNames() throws {
    let many = (0..<100).map { "\"n\($0)\":0" }.joined(separator: ",")
    _ = try parse("{\(many)}")
    #expect(throws: JSONError.self) { try parse("{\(many),\"n7\":1}") }
    #expect(throws: JSONError.self) { try parse("{\(many),\"n99\":1}") }
    _ = try parse("{\"\u{e9}\":1,\"e\u{301}\":2}")
    #expect(throws: JSONError.self) { try parse(#"{"a":1,"\u0061":2}"#) }
  }

  @Test("Every prefix of a valid line is refused without a trap")
  func everyCut() throws {
    let line = Array(#"{"op":"x","a":[1,-2.5e3,null,"é\n\ud83d\ude92"],"b":{"c":true}}"#.utf8)
    _ = try JSONReader.parse(line)
    for length in line.indices {
      #expect(throws: JSONError.self) { try JSONReader.parse(Array(line[..<length])) }
    }
  }

  @Test("No changed byte causes a trap")
  func everyByte() {
    let line = Array(#"{"op":"x","a":[1,-2.5e3,null,"é\n\ud83d\ude92"],"b":{"c":true}}"#.utf8)
    var read = 0
    for index in line.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = line
        changed[index] = byte
        if (try? JSONReader.parse(changed)) != nil { read += 1 }
      }
    }
    #expect(read > line.count)
  }
}

@Suite struct JSONWriterTests {
  private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("Commas stand between values and nowhere else")
  func commas() {
    let text = written { writer in
      for _ in 0..<2 {
        writer.object { writer in
          writer.member("a", 1)
          writer.name("b")
          writer.array([1, 2]) { writer, _ in writer.object { _ in } }
          writer.member("c", stringOrNull: nil)
          writer.member("d", true)
          writer.name("e")
          writer.source(Array(" [1.0] ".utf8)[1...5])
        }
        writer.newline()
      }
    }
    let line = #"{"a":1,"b":[{},{}],"c":null,"d":true,"e":[1.0]}"# + "\n"
    #expect(text == line + line)
  }

  @Test("Integers are written to their last digit")
  func integers() {
    #expect(
      written { $0.array([0, -1, 10, Int64.min, Int64.max]) { $0.integer($1) } }
        == "[0,-1,10,-9223372036854775808,9223372036854775807]")
    #expect(written { $0.integer(UInt64.max) } == "18446744073709551615")
  }

  @Test("Quotes, backslashes and control characters are escaped; other text is unchanged")
  func escapes() {
    #expect(written { $0.string("a\"b\\c\n\r\t\u{0}\u{1f}\u{7f}é🚒") } == #""a\"b\\c\n\r\t\u0000\u001f"# + "\u{7f}é🚒\"")
    #expect(written { $0.string("plain é") } == "\"plain é\"")
  }

  @Test("Every scalar up to U+00FF survives writing and reading")
  func roundTrip() throws {
    let text = String(String.UnicodeScalarView((0...255).compactMap { (code: UInt32) in Unicode.Scalar(code) }))
    var writer = JSONWriter()
    writer.string(text)
    #expect(try JSONReader.parse(writer.bytes) == .string(text))
  }
}

@Suite struct LineSplitterTests {
  private func lines(_ pieces: [String], limit: Int = 5) -> [LineSplitter.Line] {
    var splitter = LineSplitter(maximumByteCount: limit)
    var lines: [LineSplitter.Line] = []
    for piece in pieces {
      splitter.feed(Array(piece.utf8)[...])
      while let line = splitter.next() { lines.append(line) }
    }
    while let line = splitter.next() { lines.append(line) }
    if let line = splitter.last() { lines.append(line) }
    return lines
  }

  private func line(_ text: String) -> LineSplitter.Line { .line(Array(text.utf8)) }

  @Test("Pieces of any size give the same lines")
  func pieces() {
    let text = "ab\n\ncdefg\ntoolong\nx\nmuch too long\nend"
    let expected = [line("ab"), line(""), line("cdefg"), .tooLong, line("x"), .tooLong, line("end")]
    for size in 1...text.utf8.count {
      let bytes = Array(text.utf8)
      let pieces = stride(from: 0, to: bytes.count, by: size).map {
        String(decoding: bytes[$0..<min($0 + size, bytes.count)], as: UTF8.self)
      }
      #expect(lines(pieces) == expected, "pieces of \(size)")
    }
  }

  @Test("The last line needs no line break, and none is added")
  func ends() {
    #expect(lines([]) == [])
    #expect(lines(["a"]) == [line("a")])
    #expect(lines(["a\n"]) == [line("a")])
    #expect(lines(["toolong"]) == [.tooLong])
    #expect(lines(["toolong\n"]) == [.tooLong])
    #expect(lines(["too", "long", "er\nb"]) == [.tooLong, line("b")])
  }
}
