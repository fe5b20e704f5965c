import Kith
import Testing

@testable import KithCLI

/// What the protocol shows only on request: whom the viewer blocks, and the authors of posts.
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

  @Test("Posts have their authors as users on request, in every read of posts")
  func authors() throws {
    let reads = [
      #""op":"post","post":1,"as":1"#, #""op":"lookup","posts":[1],"as":1"#, #""op":"timeline","user":1"#,
      #""op":"twoHopTimeline","user":1"#, #""op":"posts","query":"x","as":1"#, #""op":"likes","user":1,"as":1"#,
    ]
    let options = ["", #","authors":false"#, #","authors":true"#]
    let setting = [
      #"{"op":"addUser","username":"ann"}"#, #"{"op":"addUser","username":"bob"}"#,
      #"{"op":"follow","user":1,"target":2,"at":0}"#, #"{"op":"addPost","user":2,"text":"x","createdAt":0}"#,
      #"{"op":"like","user":1,"post":1,"at":0}"#,
    ]
    let answers = Self.answers(setting + reads.flatMap { read in options.map { "{\(read)\($0)}" } })
      .dropFirst(setting.count)
    let plain = #""author":{"id":2,"username":"bob"},"#
    let whole =
      #""author":{"id":2,"username":"bob","followerCount":1,"followeeCount":0,"postCount":1,"following":true},"#
    for (index, read) in reads.enumerated() {
      let read = answers.dropFirst(3 * index).prefix(3).map { (read, $0) }
      for ((read, answer), author) in zip(read, [plain, plain, whole]) {
        #expect(answer.contains(author), "\(read) answers \(answer)")
      }
    }
  }
}
