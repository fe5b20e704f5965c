import Testing

@testable import Kith

/// The requests in the records of a log.
@Suite struct LoggedRequestsTests {
  /// Changes with every kind, and every way to leave an id or a time open.
  private static let changes: [Change] = [
    .addUser(username: "ann"), .addUser(id: 7, username: "Zoë"), .addUser(id: UserID(.max), username: "max"),
    .renameUser(-1, to: "bob"), .removeUser(UserID(.min)), .follow(as: 1, target: -2),
    .follow(as: 1, target: 2, at: 0), .follow(as: 1, target: 2, at: Timestamp(.max)), .unfollow(as: 0, target: 3),
    .addPost(by: 1, text: ""), .addPost(id: 9, by: 2, text: "日本語", createdAt: 1_700_000_000_000),
    .removePost(PostID(-3)), .like(as: 1, post: 5), .unlike(as: 1, post: 5), .block(as: 1, target: 2),
    .unblock(as: 1, target: 2), .mute(as: 3, target: 2), .unmute(as: 3, target: 2),
  ]

  private func decoded(_ entries: [UInt8]...) throws(KithError) -> LoggedRequests {
    try LoggedRequests(decoding: [LoggedRequests.format] + entries.joined(), named: "record 1")
  }

  @Test("Requests come back as they were written, alone and in groups")
  func roundTrip() throws {
    let entries = Self.changes.map { LoggedRequests.entry([$0]) }
    let group = LoggedRequests.entry(Self.changes, isGroup: true, expecting: .max)
    let payload = [LoggedRequests.format] + entries.joined() + group + LoggedRequests.mark
    let requests = try LoggedRequests(decoding: payload, named: "record 1")
    #expect(requests.changes == Self.changes + Self.changes)
    #expect(requests.entries.count == Self.changes.count + 2)
    #expect(requests.entries.dropLast(2).allSatisfy { !$0.isGroup && !$0.isMark && $0.expected == nil })
    #expect(requests.entries[Self.changes.count].isGroup && requests.entries[Self.changes.count].expected == .max)
    #expect(requests.hasMark && requests.entries[Self.changes.count + 1].range.isEmpty)
    #expect(try decoded(LoggedRequests.entry([], isGroup: true)).entries.count == 1)
    #expect(LoggedRequests.entry([.follow(as: 1, target: 2)]).count == 5)
  }

  @Test("Any bytes are refused, or are the only encoding of what they say")
  func hostileBytes() throws {
    var random = SeededRandom(seed: 24)
    let entries =
      Self.changes.map { LoggedRequests.entry([$0]) } + [
        LoggedRequests.entry(Self.changes, isGroup: true), LoggedRequests.entry([.removeUser(1)], token: .max),
        LoggedRequests.upgrade(to: 2),
      ]
    var readable = 0
    for _ in 0..<20_000 {
      var payload = [LoggedRequests.format]
      for _ in 0...random.below(3) { payload += entries[random.below(entries.count)] }
      for _ in 0..<random.below(4) { payload[random.below(payload.count)] = UInt8(random.below(256)) }
      if random.below(4) == 0 { payload = Array(payload.prefix(random.below(payload.count + 1))) }
      do throws(KithError) {
        let requests = try LoggedRequests(decoding: payload, named: "record 1")
        let again = requests.entries.flatMap { requests.bytes(of: $0) }
        #expect([LoggedRequests.format] + again == payload)
        readable += 1
      } catch {
        switch error {
        case .corrupt(_, let offset, _): #expect((0...Int64(payload.count)).contains(offset))
        case .unsupportedVersion: #expect(payload.first != LoggedRequests.format)
        default: Issue.record("\(error)")
        }
      }
    }
    #expect(readable > 2_000)
  }

  @Test("A token and the rules of an upgrade come back; nothing else is combined with an upgrade or a mark")
  func tokensAndRules() throws {
    let token: UInt128 = 0x0123_4567_89AB_CDEF_FEDC_BA98_7654_3210
    let single = LoggedRequests.entry([.removeUser(1)], expecting: 7, token: token)
    let requests = try decoded(single, LoggedRequests.upgrade(to: 300))
    #expect(requests.entries.map(\.token) == [token, nil] && requests.entries[0].expected == 7)
    #expect(requests.entries.map(\.rules) == [nil, 300] && requests.rules == 300)
    #expect(requests.neededRules == LoggedRequests.rulesWithTokens)
    #expect(try decoded(LoggedRequests.entry([.removeUser(1)])).neededRules == 1)
    for flags: UInt8 in [5, 12, 17, 20, 24, 32] {
      #expect(throws: KithError.self) { try decoded([flags] + [UInt8](repeating: 1, count: 40)) }
    }
  }

  @Test("A record has at most 10,000 changes and 20,000 entries")
  func limits() throws {
    let one = LoggedRequests.entry([.removeUser(1)])
    let full = [LoggedRequests.format] + Array(repeating: one, count: LoggedRequests.changeLimit).joined()
    #expect(try LoggedRequests(decoding: full, named: "").changes.count == LoggedRequests.changeLimit)
    #expect(throws: KithError.self) { try LoggedRequests(decoding: full + one, named: "") }
    let marks = [LoggedRequests.format] + Array(repeating: LoggedRequests.mark, count: 20_001).joined()
    #expect(throws: KithError.self) { try LoggedRequests(decoding: marks, named: "") }
    // A group that says it has more changes than any record takes no memory for them.
    #expect(throws: KithError.self) { try LoggedRequests(decoding: [1, 1, 0xFF, 0xFF, 0xFF, 0x7F], named: "") }
  }
}
