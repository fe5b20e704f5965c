@testable import Kith
@testable import KithCLI

/// Request lines to a small graph in memory: each is answered by one line of JSON with its tag, and a refused request
/// changes nothing.
struct QueryTarget: FuzzTarget {
  let name = "query"
  let maximumByteCount = 8 << 10
  /// Texts take memory by the megabyte.
  let allocationLimitMegabytes = 2

  func seeds() throws -> [[UInt8]] {
    var lines = ShapeTable.graph.shapes.flatMap {
      [Self.request($0, complete: false), Self.request($0, complete: true)]
    }
    lines += [
      #"{"op":"users","query":"A","match":"prefix","as":1,"limit":1,"tag":[1,{"a":1e400}]}"#,
      #"{"op":"users","cursor":"x","tag":"\ud83d\udc4b"}"#, #"{"tag":1}"#, "[]", #"{"op":"user","user":"bob"}"#,
      #"{"op":"batch","changes":[{"op":"addUser","username":"n","id":77},{"op":"follow","user":77,"target":1}]}"#,
      #"{"op":"batch","changes":[{"op":"follow","user":7,"target":2},{"op":"addUser","username":"ann"}],"tag":null}"#,
    ]
    return lines.map { Array(($0 + "\n").utf8) } + [Array(lines.joined(separator: "\n").utf8)]
  }

  /// A request with the required fields, or with all fields.
  private static func request(_ shape: Shape, complete: Bool) -> String {
    let fields = (shape.required + (complete ? shape.optional : [])).map { field in
      let value =
        switch field.kind {
        case .integer: "1"
        case .number(let range): "\(min(range.lowerBound + 1, range.upperBound))"
        case .text: "\"hello\""
        case .choice(let choices): "\"\(choices[0])\""
        case .flag: "true"
        case .reference: field == .target ? "{\"username\":\"bob\"}" : "1"
        case .references: "[1,2]"
        case .integers: "[1,4]"
        case .texts: "[\"follow\",\"reply\"]"
        case .words(let words): "[\"\(words[0])\"]"
        case .edges: "[{\"relation\":\"reply\",\"toPost\":1},{\"relation\":\"member\",\"to\":1,\"at\":5}]"
        case .payload: "\"AP8=\""
        case .changes: "[{\"op\":\"unfollow\",\"user\":1,\"target\":2}]"
        case .question: "{\"op\":\"stats\"}"
        }
      return "\"\(field.name)\":\(value)"
    }
    return "{\"op\":\"\(shape.operation.name)\",\"tag\":7" + fields.map { "," + $0 }.joined() + "}"
  }

  func run(_ input: [UInt8]) {
    let graph = SocialGraph(schema: Sample.schema)
    succeeds("the sample is made") { () throws(KithError) in
      for change in Sample.changesWithSchema.dropFirst() { try graph.apply(change) }
    }
    var session = QuerySession(graph)
    var splitter = LineSplitter(maximumByteCount: 4 << 10)
    // In pieces, since lines can be cut anywhere.
    let step = 1 + input.count / 3
    for start in stride(from: 0, to: input.count, by: step) {
      splitter.feed(input[start..<min(start + step, input.count)])
      while let line = splitter.next() { check(line, &session) }
    }
    if let line = splitter.last() { check(line, &session) }
    let problems = graph.read { $0.verify() }
    require(problems.isEmpty, "the graph is not sound after the requests: \(problems)")
  }

  private func check(_ line: LineSplitter.Line, _ session: inout QuerySession) {
    let before = session.graph.read { $0.sequence }
    var writer = JSONWriter()
    session.answer(line, to: &writer)
    var request: [UInt8] = []
    if case .line(let bytes) = line { request = bytes }
    if line != .tooLong, request.allSatisfy(JSONReader.isWhiteSpace) {
      return require(writer.bytes.isEmpty, "a blank line is answered")
    }
    require(writer.bytes.last == UInt8(ascii: "\n"), "an answer does not end its line")
    let answer = Array(writer.bytes.dropLast())
    require(!answer.contains(UInt8(ascii: "\n")), "an answer has several lines")
    guard let members = members(of: answer), case .boolean(let isOK)? = members.named("ok")?.value else {
      fatalError("an answer is no JSON object, or does not say ok: \(String(decoding: answer, as: UTF8.self))")
    }
    let tag = self.members(of: request)?.named("tag")
    require(
      tag.map { Array(request[$0.source]) } == members.named("tag").map { Array(answer[$0.source]) },
      "a tag does not come back as it was")
    if !isOK { require(session.graph.read { $0.sequence } == before, "a request that was refused changed something") }
  }

  private func members(of line: [UInt8]) -> [JSONMember]? {
    guard case .object(let members)? = try? JSONReader.parse(line) else { return nil }
    return members
  }
}
