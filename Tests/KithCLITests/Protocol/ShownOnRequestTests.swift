import Kith
import Testing

@testable import KithCLI

/// What the protocol shows only on request: whom the viewer blocks.
@Suite struct ShownOnRequestTests {
  /// The answers to some requests of one session.
  private static func answers(_ lines: [String]) -> [String] {
    var session = QuerySession(SocialGraph())
    return lines.map { line in
      var writer = JSONWriter()
      session.answer(.line(Array(line.utf8)), to: &writer)
      return String(decoding: writer.bytes.dropLast(), as: UTF8.self)
    }
  }

  @Test("Whom the viewer blocks is shown on request, and who blocks the viewer is not", arguments: [1, 2])
  func includeBlocked(viewer: Int) throws {
    let (other, isShown) = (3 - viewer, viewer == 1)
    let reads = [
      #""op":"user","user":\#(other),"as":\#(viewer)"#,
      #""op":"lookup","users":[\#(other)],"posts":[1],"as":\#(viewer)"#,
      #""op":"users","as":\#(viewer),"excluding":\#(viewer)"#,
    ]
    let options = ["", #","includeBlocked":false"#, #","includeBlocked":true"#]
    let answers = Self.answers(
      [
        #"{"op":"addUser","username":"ann"}"#, #"{"op":"addUser","username":"bob"}"#,
        #"{"op":"block","user":1,"target":2}"#, #"{"op":"addPost","user":\#(other),"text":"x","createdAt":0}"#,
      ] + reads.flatMap { read in options.map { "{\(read)\($0)}" } }
    ).dropFirst(4)
    for (index, read) in reads.enumerated() {
      let shown = answers.dropFirst(3 * index).prefix(3).map { $0.contains(#""username":"#) }
      #expect(shown == [false, false, isShown], "\(read)")
    }
    // Posts are not shown.
    #expect(answers.dropFirst(3).prefix(3).allSatisfy { $0.hasSuffix(#""posts":[null]}"#) })
  }
}
