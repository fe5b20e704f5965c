import Testing

@testable import Kith

/// The results of requests with tokens, which replicas and their snapshots keep.
@Suite struct LoggedTokensTests {
  private static let begin: Int64 = 1_700_000_000_000

  private func result(_ number: UInt64, _ random: inout SeededRandom) -> ChangeResult {
    switch random.below(3) {
    case 0: ChangeResult(sequence: number, didChange: true, user: UserID(Int64(number) + 1))
    case 1: ChangeResult(sequence: number, didChange: true, post: PostID(Int64.max))
    default: ChangeResult(sequence: number, didChange: false)
    }
  }

  @Test("It answers as a plain list does, and comes back from its bytes")
  func model() throws {
    for seed in UInt64(1)...20 {
      var random = SeededRandom(seed: seed)
      var tokens = LoggedTokens()
      var plain: [(token: UInt128, at: Int64, results: [ChangeResult])] = []
      var time = Self.begin
      for step in 0..<400 {
        time += Int64(random.below(random.below(20) == 0 ? 60_000_000 : 900_000))
        tokens.forget(before: Timestamp(time))
        plain.removeAll { time - $0.at > LoggedTokens.retention }
        let token = UInt128(random.below(200)) << 100
        #expect(tokens[token] == plain.first { $0.token == token }?.results, "seed \(seed), step \(step)")
        if tokens[token] == nil {
          let results = (0..<random.below(4)).map { _ in result(UInt64(step), &random) }
          tokens.note(token, results, at: Timestamp(time))
          plain.append((token, time, results))
        }
        #expect(tokens.count == plain.count)
        #expect(tokens.checkInvariants() == [], "seed \(seed), step \(step)")
      }
      let again = try LoggedTokens(decoding: tokens.encoded, file: "tokens")
      #expect(again == tokens && again.checkInvariants() == [] && again.hashValue == tokens.hashValue)
    }
  }

  @Test("Beyond the limit of results the oldest are dropped")
  func limit() {
    var tokens = LoggedTokens()
    let results = [ChangeResult](repeating: ChangeResult(sequence: 1, didChange: false), count: LoggedTokens.limit / 4)
    for token in 1...5 as ClosedRange<UInt128> { tokens.note(token, results, at: 1) }
    #expect(tokens[1] == nil && tokens[2] == results && tokens.count == 4 && tokens.checkInvariants() == [])
    tokens.note(6, [ChangeResult(sequence: 1, didChange: false)], at: 1)
    #expect(tokens[2] == nil && tokens.count == 4)
  }

  @Test("A result is kept for a day to the millisecond, and up to the limit to the result")
  func bounds() {
    let day = LoggedTokens.retention
    let result = ChangeResult(sequence: 1, didChange: false)
    for (time, isKept) in [(day - 1, true), (day, true), (day + 1, false)] {
      var tokens = LoggedTokens()
      tokens.note(1, [result], at: Timestamp(Self.begin))
      tokens.note(2, [], at: Timestamp(Self.begin + 2))
      tokens.forget(before: Timestamp(Self.begin + time))
      #expect((tokens[1] != nil) == isKept && tokens[2] != nil, "\(time) ms later")
    }
    for (count, isKept) in [(LoggedTokens.limit - 1, true), (LoggedTokens.limit, false)] {
      var tokens = LoggedTokens()
      tokens.note(1, [result], at: 1)
      tokens.note(2, [ChangeResult](repeating: result, count: count), at: 1)
      #expect((tokens[1] != nil) == isKept && tokens[2]?.count == count, "\(count) results more")
    }
  }

  @Test("Any bytes are refused, or are the only encoding of what they say")
  func hostileBytes() throws {
    var random = SeededRandom(seed: 5)
    var tokens = LoggedTokens()
    for token in 0..<6 as Range<UInt128> {
      tokens.note(token, [result(UInt64(token), &random)], at: Timestamp(Int64(token)))
    }
    let sound = tokens.encoded
    var readable = 0
    for _ in 0..<20_000 {
      var bytes = sound
      for _ in 0..<1 + random.below(2) { bytes[random.below(bytes.count)] = UInt8(random.below(8)) }
      if random.below(4) == 0 { bytes = Array(bytes.prefix(random.below(bytes.count + 1))) }
      guard let read = try? LoggedTokens(decoding: bytes, file: "tokens") else { continue }
      #expect(read.encoded == bytes && read.checkInvariants() == [])
      readable += 1
    }
    #expect(readable > 100 && readable < 20_000)
    // A number of results that no bytes follow takes no memory.
    let count = [UInt8](repeating: 0, count: 24) + [255, 255, 255, 255]
    #expect(throws: KithError.self) { try LoggedTokens(decoding: count, file: "tokens") }
  }

  @Test("A repeated request has no effect and the first result, for a day; a refused one is validated again")
  func repetition() throws {
    let graph = SocialGraph.emptyReplica(options: SocialGraph.Options())
    var (position, chain, tokens): (UInt64, UInt64, LoggedTokens) = (0, 0, LoggedTokens())
    func apply(_ entry: [UInt8], at time: Int64 = Self.begin) throws -> SocialGraph.LoggedOutcome {
      position += 1
      let requests = try LoggedRequests(decoding: [LoggedRequests.format] + entry + entry, named: "record")
      let outcomes = try graph.applyLogged(
        requests, position: position, at: Timestamp(time), chain: &chain, tokens: &tokens, collecting: true)
      #expect(outcomes[0] == outcomes[1])
      return outcomes[0]
    }
    let ann = LoggedRequests.entry([.addUser(username: "ann")], token: 1)
    let post = LoggedRequests.entry([.addPost(by: 1, text: "hello")], token: 2)
    #expect(try apply(post) == .failure(.unknownUser(1)))
    let first = try apply(ann)
    #expect(try first.get().first?.user == 1 && apply(ann) == first)
    let added = try apply(post)
    #expect(try added.get().first?.post == 1 && apply(post) == added)
    let group = LoggedRequests.entry(
      [.addPost(by: 1, text: "a"), .like(as: 1, post: -1)], isGroup: true, expecting: position, token: 3)
    // What was expected before the first attempt does not bind the second.
    let both = try apply(group)
    #expect(try both.get().count == 2 && apply(group) == both)
    #expect(graph.read { $0.counts.posts } == 2 && graph.read { $0.counts.likes } == 1)
    // The same state with and without the tokens has two digests: replicas compare them, too.
    let pin = graph.pin()
    #expect(try pin.stateDigest(tokens) != pin.stateDigest())
    _ = try apply(LoggedRequests.mark, at: Self.begin + LoggedTokens.retention + 1)
    #expect(tokens.count == 0)
    #expect(try pin.stateDigest(tokens) == graph.stateDigest())
    #expect(throws: KithError.usernameTaken("ann")) { try apply(ann, at: Self.begin).get() }
  }

  @Test("A replica's snapshot has the tokens, and no flipped bit of it goes unnoticed")
  func snapshot() throws {
    let directory = try TemporaryDirectory()
    var tokens = LoggedTokens()
    for token in 0..<50_000 as Range<UInt128> {
      tokens.note(token, [ChangeResult(sequence: UInt64(token), didChange: true, user: 7)], at: 9)
    }
    let place = LogPlace(log: StoreID(high: 1, low: 2), position: 3, chain: Array(0..<32), outcomeChain: 4, rules: 2)
    let pin = SocialGraph.emptyReplica(options: SocialGraph.Options()).pin()
    let written = try ReplicaSnapshot.write(pin, tokens, at: place, in: directory.path, workers: 1)
    let name = ReplicaSnapshot.name(at: 3, of: place.log)
    let restored = try SocialGraph.replica(fromSnapshot: name, in: directory.path, options: SocialGraph.Options())
    #expect(restored.tokens == tokens && restored.place == place)
    #expect(try written.digest == pin.stateDigest(tokens))
    // A plain graph is made of it without the tokens.
    #expect(try SocialGraph.open(written.path, access: .readOnly).read { $0.counts.users } == 0)

    var bytes = try ReplicaSnapshot.bytes(of: name, in: directory.path, at: 0, count: .max)
    #expect(bytes.count == Int(written.byteCount))
    bytes[bytes.count / 2] ^= 1
    let arrival = try #require(try ReplicaSnapshot.Arrival("x" + name, in: directory.path))
    try arrival.write(Array(bytes.prefix(1_000)), at: 0)
    try arrival.write(Array(bytes.dropFirst(1_000)), at: 1_000)
    #expect(try ReplicaSnapshot.names(in: directory.path, of: place.log) == [name])
    try arrival.finish()
    #expect(try ReplicaSnapshot.Arrival("x" + name, in: directory.path) == nil)
    #expect(throws: KithError.self) { try ReplicaSnapshot.verify("x" + name, in: directory.path) }
    #expect(throws: KithError.self) {
      try SocialGraph.replica(fromSnapshot: "x" + name, in: directory.path, options: SocialGraph.Options())
    }
  }
}
