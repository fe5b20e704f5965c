import Foundation
import Kith
import Testing

/// Values as JSON and as text, which hosts store and send.
@Suite struct CodingTests {
  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  private func decode<Value: Decodable>(_ type: Value.Type, _ json: String) throws -> Value {
    try JSONDecoder().decode(type, from: Data(json.utf8))
  }

  private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value, _ expected: String) throws {
    let text = try json(value)
    #expect(text == expected)
    #expect(try decode(Value.self, text) == value)
  }

  @Test("Ids and times are numbers, cursors are texts")
  func values() throws {
    try expectRoundTrip([UserID(1), UserID(.max)], "[1,9223372036854775807]")
    try expectRoundTrip([PostID(7)], "[7]")
    try expectRoundTrip([Timestamp(1_500), Timestamp(-1)], "[1500,-1]")
    try expectRoundTrip([Cursor("Ab-_")], #"["Ab-_"]"#)
  }

  @Test("A cursor that was stored as JSON continues its list")
  func cursor() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    for index in 1...3 { try graph.addPost("post \(index)", by: ann, createdAt: Timestamp(Int64(index))) }
    let first = try graph.read { try $0.timeline(of: ann, TimelineQuery(limit: 2)) }
    let stored = try json(try #require(first.next))
    let cursor = try decode(Cursor.self, stored)
    let second = try graph.read { try $0.timeline(of: ann, TimelineQuery(limit: 2, cursor: cursor)) }
    #expect(second.map(\.text) == ["post 1"])
  }

  @Test("Changes are the requests that make them")
  func changes() throws {
    try expectRoundTrip(Change.addUser(id: nil, username: "ann"), #"{"op":"addUser","username":"ann"}"#)
    try expectRoundTrip(Change.addUser(id: 1, username: "ann"), #"{"id":1,"op":"addUser","username":"ann"}"#)
    try expectRoundTrip(Change.renameUser(1, to: "bo"), #"{"op":"renameUser","user":1,"username":"bo"}"#)
    try expectRoundTrip(Change.removeUser(1), #"{"op":"removeUser","user":1}"#)
    try expectRoundTrip(
      Change.addPost(id: 3, by: 1, text: "hi", createdAt: 5),
      #"{"createdAt":5,"id":3,"op":"addPost","text":"hi","user":1}"#)
    try expectRoundTrip(
      Change.addPost(id: nil, by: 1, text: "", createdAt: nil), #"{"op":"addPost","text":"","user":1}"#)
    try expectRoundTrip(Change.removePost(3), #"{"op":"removePost","post":3}"#)
    try expectRoundTrip(Change.follow(as: 1, target: 2, at: 1_000), #"{"at":1000,"op":"follow","target":2,"user":1}"#)
    try expectRoundTrip(Change.follow(as: 1, target: 2, at: nil), #"{"op":"follow","target":2,"user":1}"#)
    try expectRoundTrip(Change.unfollow(as: 1, target: 2), #"{"op":"unfollow","target":2,"user":1}"#)
    try expectRoundTrip(Change.like(as: 1, post: 3, at: 0), #"{"at":0,"op":"like","post":3,"user":1}"#)
    try expectRoundTrip(Change.unlike(as: 1, post: 3), #"{"op":"unlike","post":3,"user":1}"#)
    try expectRoundTrip(Change.block(as: 1, target: 2), #"{"op":"block","target":2,"user":1}"#)
    try expectRoundTrip(Change.unblock(as: 1, target: 2), #"{"op":"unblock","target":2,"user":1}"#)
    try expectRoundTrip(Change.mute(as: 1, target: 2), #"{"op":"mute","target":2,"user":1}"#)
    try expectRoundTrip(Change.unmute(as: 1, target: 2), #"{"op":"unmute","target":2,"user":1}"#)
  }

  @Test("Events are the lines of a watched store, and results have the members of an answer")
  func events() throws {
    try expectRoundTrip(
      ChangeEvent.change(.unlike(as: 1, post: 3), sequence: 9), #"{"op":"unlike","post":3,"sequence":9,"user":1}"#)
    try expectRoundTrip(ChangeEvent.missed(2...5), #"{"missed":[2,5]}"#)
    let graph = SocialGraph()
    try expectRoundTrip(
      try graph.apply(.addUser(id: 4, username: "ann")), #"{"changed":true,"sequence":1,"user":4}"#)
    try expectRoundTrip(
      graph.read { $0.counts }, #"{"blocks":0,"follows":0,"likes":0,"mutes":0,"posts":0,"users":1}"#)
    try expectRoundTrip(
      try graph.read { try $0.relations(of: 4, to: [4]) },
      #"[{"blockedBy":false,"blocking":false,"followedBy":false,"following":false,"muting":false}]"#)
  }

  @Test(
    "Invalid values throw a DecodingError",
    arguments: [
      "0", "-1", "1.5", "\"1\"", "null", "9223372036854775808",
    ])
  func invalidIDs(number: String) {
    #expect(throws: DecodingError.self) { try decode([UserID].self, "[\(number)]") }
    #expect(throws: DecodingError.self) { try decode([PostID].self, "[\(number)]") }
  }

  @Test(
    "Invalid changes and events throw a DecodingError",
    arguments: [
      "{}", "[]", #"{"op":"unknown","user":1}"#, #"{"op":"un","user":1}"#, #"{"op":"follow","user":1}"#,
      #"{"op":"follow","user":0,"target":2}"#, #"{"op":"follow","user":1,"target":-2}"#,
      #"{"op":"like","user":1,"post":0}"#, #"{"op":"like","user":1,"target":3}"#,
      #"{"op":"follow","user":1,"target":2,"at":-1}"#, #"{"op":"follow","user":1,"target":2,"at":4294967296000}"#,
      #"{"op":"addPost","user":1,"text":"a","createdAt":-1}"#, #"{"op":"addUser","id":0,"username":"a"}"#,
      #"{"op":"addUser","username":1}"#, #"{"op":"removePost","post":0}"#,
    ])
  func invalidChanges(object: String) {
    #expect(throws: DecodingError.self) { try decode(Change.self, object) }
    #expect(throws: DecodingError.self) { try decode(ChangeEvent.self, object) }
  }

  @Test("Invalid ranges and sequence numbers throw a DecodingError")
  func invalidEvents() {
    for object in [
      #"{"missed":[5,2]}"#, #"{"missed":[-1,2]}"#, #"{"missed":[1]}"#, #"{"op":"removeUser","user":1}"#,
      #"{"op":"removeUser","user":1,"sequence":-1}"#,
    ] {
      #expect(throws: DecodingError.self) { try decode(ChangeEvent.self, object) }
    }
    #expect(throws: DecodingError.self) { try decode([Timestamp].self, "[0.5]") }
    #expect(throws: DecodingError.self) { try decode([Cursor].self, "[1]") }
    #expect(throws: DecodingError.self) { try decode(SocialGraph.Counts.self, #"{"users":1}"#) }
  }

  @Test("Ids, times and cursors are made of their descriptions, and of no other text")
  func texts() {
    #expect(UserID(UserID(42).description) == 42)
    #expect(PostID("9223372036854775807") == PostID(.max))
    #expect(Timestamp(Timestamp(-5).description) == -5)
    #expect(Cursor("Ab").description == "Ab")
    for text in ["", "0", "-1", "a", "1 ", "9223372036854775808", "1.0"] {
      #expect(UserID(text) == nil)
      #expect(PostID(text) == nil)
    }
    #expect(Timestamp("now") == nil)
  }
}
