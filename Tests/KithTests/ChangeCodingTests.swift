import Testing

@testable import Kith

@Suite struct ChangeCodingTests {
  private static let longText = String(repeating: "é", count: 32_767)
  private static let changes: [Change] = [
    .addUser(id: 1, username: "ann"), .addUser(id: UserID(.max), username: String(repeating: "x", count: 255)),
    .renameUser(128, username: "e\u{301}"), .removeUser(16_384), .follow(1, 2, at: 0),
    .follow(UserID(.max), UserID(.max), at: Timestamp(.max)), .unfollow(127, 128),
    .addPost(id: 5, author: 6, text: "", createdAt: 7), .addPost(id: 5, author: 6, text: longText, createdAt: 1),
    .removePost(PostID(.max)), .like(1, 2, at: 3), .unlike(1, 2), .block(1, 2), .unblock(1, 2), .mute(1, 2),
    .unmute(1, 2),
  ]

  @Test func `every change is read as it was written, its text byte for byte`() throws {
    var bytes: [UInt8] = []
    for change in Self.changes { ChangeCoding.append(change, to: &bytes) }
    var reader = ByteReader(bytes, file: "f")
    for change in Self.changes { #expect(try ChangeCoding.read(&reader) == change) }
    try reader.expectEnd()
    guard case .renameUser(_, let name) = try read(Self.changes[2]) else { return }
    #expect(Array(name.utf8) == Array("e\u{301}".utf8), "no normalisation on the way")
  }

  @Test func `a follow takes as many bytes as the format says`() {
    var bytes: [UInt8] = []
    ChangeCoding.append(.follow(1, 300, at: 1_700_000_000_000), to: &bytes)
    #expect(bytes == [4, 1, 0xAC, 2, 0x80, 0xD0, 0x95, 0xFF, 0xBC, 0x31])
  }

  @Test func `a change that ends too early is refused at every byte`() {
    for change in Self.changes where change != .addPost(id: 5, author: 6, text: Self.longText, createdAt: 1) {
      var bytes: [UInt8] = []
      ChangeCoding.append(change, to: &bytes)
      for count in bytes.indices { expectCorrupt(Array(bytes.prefix(count))) }
    }
  }

  @Test(
    "what no writer writes is refused",
    arguments: [
      [0], [14, 1], [255, 1],  // no such kind
      [3, 0x80, 0], [3, 0x81, 0x80, 0],  // longer than need be
      [3, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1],  // 2⁶³
      [3, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
      [1, 1, 1, 0xFF], [1, 1, 2, 0xC0, 0x80], [1, 1, 3, 0xED, 0xA0, 0x80],  // not UTF-8
      [1, 1, 5, 0x61], [1, 1, 255, 255, 255, 255, 255, 255, 255, 255, 127, 0x61],  // a text longer than all there is
    ] as [[UInt8]])
  func hostile(_ bytes: [UInt8]) {
    expectCorrupt(bytes)
  }

  @Test func `random bytes are a change or refused, and a change has one encoding`() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<100_000 {
      var bytes = (0..<(1 + random.below(24))).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      bytes[0] %= 16
      var reader = ByteReader(bytes, file: "f")
      guard let change = try? ChangeCoding.read(&reader) else { continue }
      var again: [UInt8] = []
      ChangeCoding.append(change, to: &again)
      #expect(again == Array(bytes.prefix(reader.position)))
    }
  }

  private func read(_ change: Change) throws -> Change {
    var bytes: [UInt8] = []
    ChangeCoding.append(change, to: &bytes)
    var reader = ByteReader(bytes, file: "f")
    return try ChangeCoding.read(&reader)
  }

  private func expectCorrupt(_ bytes: [UInt8], _ location: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: KithError.self, sourceLocation: location) {
      var reader = ByteReader(bytes, file: "f", at: 1000)
      _ = try ChangeCoding.read(&reader)
    }
    guard case .corrupt("f", let offset, _) = error else {
      Issue.record("\(String(describing: error))", sourceLocation: location)
      return
    }
    #expect((1000...1000 + Int64(bytes.count)).contains(offset), sourceLocation: location)
  }
}
