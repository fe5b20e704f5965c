import Foundation
import Kith
import Testing

@testable import KithCLI

/// Values that a host encodes are the objects that `kith query` answers.
@Suite struct EncodingTests {
  private let graph = SocialGraph()
  private let ann: UserID = 1

  init() throws {
    for name in ["ann", "Annä", "böb", "carl"] { try graph.addUser(name) }
    for target: UserID in [2, 3] { try graph.follow(target, as: ann, at: 5_999) }
    try graph.follow(4, as: 2, at: 7_000)
    for index in 1...3 {
      try graph.addPost("post \"\(index)\"\n über", by: 2, id: PostID(Int64(index)), createdAt: Timestamp(Int64(index)))
      try graph.like(PostID(Int64(index)), as: ann, at: 9_000)
    }
  }

  /// The answer's members beside `ok`, with sorted keys.
  private func answer(_ line: String) throws -> [String: Any] {
    var session = QuerySession(graph, timings: false, readOnly: true)
    var writer = JSONWriter()
    session.answer(.line(Array(line.utf8)), to: &writer)
    var members = try #require(try JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
    #expect(members.removeValue(forKey: "ok") as? Bool == true, "\(String(decoding: writer.bytes, as: UTF8.self))")
    return members
  }

  private func text(_ object: Any) throws -> String {
    String(decoding: try JSONSerialization.data(withJSONObject: object, options: .sortedKeys), as: UTF8.self)
  }

  private func text(encoding value: some Encodable) throws -> String {
    try text(try JSONSerialization.jsonObject(with: try JSONEncoder().encode(value)))
  }

  private func expectSame(_ value: some Encodable, _ line: String, _ location: SourceLocation = #_sourceLocation) throws
  {
    #expect(try text(encoding: value) == text(try answer(line)), sourceLocation: location)
  }

  @Test("A user and a post are encoded as they are answered")
  func elements() throws {
    let (user, post) = try graph.read { (view) throws(KithError) in (try view.user(2, as: ann), try view.post(3)) }
    #expect(try text(encoding: user) == text(try #require(try answer(#"{"op":"user","user":2,"as":1}"#)["user"])))
    #expect(try text(encoding: post) == text(try #require(try answer(#"{"op":"post","post":3}"#)["post"])))
  }

  @Test("Pages of users are encoded as they are answered: ranges, count, cursors and times")
  func users() throws {
    let search = UserQuery(countsMatches: true, includesHighlights: true, limit: 1, viewer: ann)
    try expectSame(
      try graph.read { try $0.searchUsers("an", search) },
      #"{"op":"users","query":"an","as":1,"limit":1,"count":true,"highlights":true}"#)
    try expectSame(try graph.read { try $0.searchUsers("zz") }, #"{"op":"users","query":"zz"}"#)
    try expectSame(try graph.read { try $0.followees(of: ann) }, #"{"op":"followees","user":1}"#)
    try expectSame(
      try graph.read { try $0.likers(of: 1, ListQuery(viewer: 2)) }, #"{"op":"likers","post":1,"as":2}"#)
  }

  @Test("Pages of posts are encoded as they are answered: ranges, cursors, likes and times")
  func posts() throws {
    try expectSame(
      try graph.read { try $0.searchPosts("post", PostQuery(includesHighlights: true, limit: 2, viewer: ann)) },
      #"{"op":"posts","query":"post","as":1,"limit":2,"highlights":true}"#)
    try expectSame(
      try graph.read { try $0.timeline(of: ann, TimelineQuery(limit: 2)) }, #"{"op":"timeline","user":1,"limit":2}"#)
    try expectSame(try graph.read { try $0.likes(of: ann) }, #"{"op":"likes","user":1}"#)
    try expectSame(
      try graph.read { try $0.likes(of: ann, ListQuery(includesAuthors: true, viewer: ann)) },
      #"{"op":"likes","user":1,"as":1,"authors":true}"#)
  }

  @Test("Suggestions are encoded as they are answered; those that name mutuals have them, too")
  func suggestions() throws {
    try expectSame(try graph.read { try $0.suggestions(for: ann) }, #"{"op":"suggestions","user":1}"#)
    let named = try graph.read { try $0.suggestions(for: ann, SuggestionQuery(namedCount: 3)) }
    #expect(try text(encoding: named[0]).contains(#""mutuals":[{"followeeCount":1"#))
  }

  @Test("Relations and changes are encoded as they are answered and watched")
  func values() throws {
    let relations = try graph.read { try $0.relations(of: ann, to: [2, 4]) }
    try expectSame(["relations": relations], #"{"op":"relations","user":1,"targets":[2,4]}"#)
    for change: Change in [
      .addUser(id: 1, username: "a"), .renameUser(1, to: "b"), .removeUser(1), .follow(as: 1, target: 2, at: 3_000),
      .unfollow(as: 1, target: 2), .addPost(id: 4, by: 1, text: "c", createdAt: 5), .removePost(4),
      .like(as: 1, post: 4, at: 0),
      .unlike(as: 1, post: 4), .block(as: 1, target: 2), .unblock(as: 1, target: 2), .mute(as: 1, target: 2),
      .unmute(as: 1, target: 2),
    ] {
      var writer = JSONWriter()
      writer.object { change.write(to: &$0, sequence: 7) }
      let line = try JSONSerialization.jsonObject(with: Data(writer.bytes))
      #expect(try text(encoding: ChangeEvent.change(change, sequence: 7)) == text(line))
    }
  }
}
