import Testing

@testable import Kith

/// The content of cursors, and which are refused.
@Suite struct CursorTests {
  private static let samples: [CursorContent] = [
    CursorContent(kind: .usersByName, numbers: [5], name: Array("Zoë".utf8)),
    CursorContent(kind: .timeline, subject: .max, numbers: [-1, 0]),
    CursorContent(kind: .followersNewest, subject: 7, numbers: [4_294_967_295, .max]),
    CursorContent(kind: .posts, numbers: [.min, -1]),
    CursorContent(kind: .likers, subject: 1, numbers: [3]),
  ]

  @Test("A cursor survives encoding, in text that fits into a URL", arguments: samples)
  func roundTrip(content: CursorContent) throws {
    let cursor = content.cursor
    let kind = content.kind
    // As its text, and as a position.
    var cursors = [cursor]
    if content.name.isEmpty, content.numbers.count == 2 {
      let (first, second) = (content.numbers[0], content.numbers[1])
      cursors.append(Cursor(CursorPlace(kind: kind, subject: content.subject, first: first, second: second)))
    }
    for cursor in cursors {
      #expect(cursor.text == content.text)
      let read = try CursorContent(cursor, kind: kind, subject: content.subject, numberCount: content.numbers.count)
      #expect(read == content)
    }
    #expect(cursor.text.utf8.allSatisfy { $0 == 0x2D || $0 == 0x5F || isAlphanumeric($0) })
    #expect(Cursor(cursor.text) == cursor)
  }

  @Test("The cursor of a page of users is their last one's name, id and rank, as a value and as text")
  func names() throws {
    let page = Page(
      ["ann", "Zoë"].enumerated().map { index, name in
        User(id: UserID(Int64(index + 1)), username: name)
      })
    guard let records = page.anchor?.records else { throw KithError.invalidCursor }
    for (kind, rank) in [(CursorContent.Kind.usersByName, nil), (.usersPopular, 0), (.usersPopular, 7)] {
      let numbers: [Int64] = [2] + (rank.map { [Int64($0)] } ?? [])
      let content = CursorContent(kind: kind, subject: 3, numbers: numbers, name: Array("Zoë".utf8))
      let cursor = Cursor(kind, subject: 3, rank: rank, lastOf: records)
      #expect(cursor.text == content.text)
      #expect(cursor.place == nil)
      let read = try CursorContent(cursor, kind: kind, subject: 3, numberCount: numbers.count)
      #expect(read == content)
    }
  }

  private func isAlphanumeric(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  @Test("Every damaged character, every truncation and every extension is refused", arguments: samples)
  func damage(content: CursorContent) {
    let text = Array(content.cursor.text.utf8)
    for index in text.indices {
      for character in "AZaz09-_+/=. é".utf8 where character != text[index] {
        var damaged = text
        damaged[index] = character
        expectRefusal(Cursor(String(decoding: damaged, as: UTF8.self)), like: content)
      }
      expectRefusal(Cursor(String(decoding: text[..<index], as: UTF8.self)), like: content)
    }
    for extra in ["A", "AA", "AAAA", "=", "==", "\n", " "] {
      expectRefusal(Cursor(content.cursor.text + extra), like: content)
    }
  }

  @Test("A cursor of another list, another subject or another shape is refused", arguments: samples)
  func others(content: CursorContent) {
    let count = content.numbers.count
    others(content, content.cursor, count)
    others(content, Cursor(content.cursor.text), count)
  }

  private func others(_ content: CursorContent, _ cursor: Cursor, _ count: Int) {
    for raw in 1...40 as ClosedRange<UInt8> {
      guard let kind = CursorContent.Kind(rawValue: raw), kind != content.kind else { continue }
      #expect(throws: KithError.invalidCursor) {
        try CursorContent(cursor, kind: kind, subject: content.subject, numberCount: count)
      }
    }
    #expect(throws: KithError.invalidCursor) {
      try CursorContent(cursor, kind: content.kind, subject: content.subject ^ 1, numberCount: count)
    }
    #expect(throws: KithError.invalidCursor) {
      try CursorContent(cursor, kind: content.kind, subject: content.subject, numberCount: count + 1)
    }
  }

  private func expectRefusal(_ cursor: Cursor, like content: CursorContent) {
    #expect(throws: KithError.invalidCursor, "\(cursor.text)") {
      try CursorContent(cursor, kind: content.kind, subject: content.subject, numberCount: content.numbers.count)
    }
  }

  @Test("Base64 survives encoding at every length, and every text has one value at most")
  func base64() {
    var random = SeededRandom(seed: 1)
    for length in 0..<100 {
      let bytes = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      let text = Base64.url.text(bytes)
      #expect(Base64.url.bytes(text) == bytes)
      #expect(text.utf8.count == (length * 4 + 2) / 3)
    }
    #expect(Base64.url.text(Array("Kith?>".utf8)) == "S2l0aD8-")
    #expect(Base64.url.text([0xFF]) == "_w" && Base64.url.bytes("_w") == [0xFF])
    for text in ["A", "AAAAA", "AB", "AAB", "_x", "AA==", "AA=", "AA AA", "AA\n", "A+", "A/", "é", "\0A"] {
      #expect(Base64.url.bytes(text) == nil, "\(text)")
    }
  }

  /// The text of a query's cursor must never change: hosts store them.
  @Test("Cursors never change their text")
  func literals() throws {
    let graph = SocialGraph()
    for name in ["ann", "bob"] { try graph.addUser(name) }
    for user in [1, 2] as [UserID] { try graph.addPost("text", by: user, createdAt: 1_000) }
    let users = try graph.read { try $0.searchUsers("", UserQuery(limit: 1)) }
    #expect(users.next?.text == "AQAAAAAAAAAAAQEAAAAAAAAAYW5uvXLAOQ")
    let posts = try graph.read { try $0.timeline(of: 1, TimelineQuery(limit: 1)) }
    #expect(posts.previous?.text == "AgEAAAAAAAAAAugDAAAAAAAAAQAAAAAAAABebR4S")
  }

  @Test("The place of each post of a timeline splits it into what is shown from there on, and what is newer")
  func places() throws {
    let graph = SocialGraph()
    let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("bob"))
    func timeline(_ query: TimelineQuery = TimelineQuery()) throws -> Page<Post> {
      try graph.read { view in try view.timeline(of: ann, query) }
    }
    let start = try #require(try timeline().previous)
    #expect(try timeline(TimelineQuery(direction: .newer, cursor: start)).isEmpty)
    try graph.follow(bob, as: ann)
    // Some times tie.
    for number in 1...10 { try graph.addPost("post \(number)", by: bob, createdAt: Timestamp(Int64(number / 3))) }
    let all = try timeline()
    #expect(try timeline(TimelineQuery(direction: .newer, cursor: start)).map(\.id) == all.map(\.id))
    for index in all.indices {
      let place = try #require(all.cursor(at: index))
      let kept = Cursor(place.text)
      let shown = try timeline(TimelineQuery(cursor: kept, includesCursor: true))
      let newer = try timeline(TimelineQuery(direction: .newer, cursor: kept))
      #expect(newer.map(\.id) + shown.map(\.id) == all.map(\.id) && shown.first?.id == all[index].id)
      let both = try timeline(TimelineQuery(direction: .newer, cursor: kept, includesCursor: true))
      #expect(both.map(\.id) == all.prefix(index + 1).map(\.id))
      #expect(try timeline(TimelineQuery(cursor: kept)).map(\.id) == all.dropFirst(index + 1).map(\.id))
    }
    #expect(all.cursor(at: 0) == all.previous)
    let place = try #require(all.cursor(at: 4))
    try graph.removePost(all[4].id)
    #expect(try timeline(TimelineQuery(cursor: place, includesCursor: true)).first?.id == all[5].id)
    let twoHops = try graph.read { view in try view.twoHopTimeline(of: ann) }
    #expect(twoHops.cursor(at: 1)?.text != all.cursor(at: 1)?.text && twoHops.cursor(at: 1) != nil)
    #expect(try graph.read { view in try view.searchPosts("post").cursor(at: 0) } == nil)
  }

  @Test("Cursors with impossible numbers are refused")
  func impossibleNumbers() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    func ask(_ numbers: [Int64]) throws(KithError) {
      let cursor = CursorContent(kind: .followersNewest, subject: 1, numbers: numbers).cursor
      _ = try graph.read { view throws(KithError) in try view.followers(of: ann, ListQuery(cursor: cursor)) }
    }
    for second in [-1, 4_294_967_296, .max, .min] as [Int64] {
      #expect(throws: KithError.invalidCursor) { try ask([second, 1]) }
    }
    try ask([0, .min])
    let name = CursorContent(kind: .usersByName, numbers: [1], name: [0xFF]).cursor
    #expect(throws: KithError.invalidCursor) { try graph.read { try $0.searchUsers("", UserQuery(cursor: name)) } }
    let nothing = CursorContent(kind: .usersByName, numbers: [1], name: []).cursor
    #expect(try graph.read { try $0.searchUsers("", UserQuery(cursor: nothing)) }.count == 1)
  }
}
