@testable import Kith

/// A record of a log: refused, or applied to any state without an end, with the same outcomes whatever observes it.
struct RecordTarget: FuzzTarget {
  let name = "record"
  let maximumByteCount = 4 << 10
  let allocationLimitMegabytes = 8

  private static let (ann, bob) = (UserID(1), UserID(9))
  private static let begin: [Change] = [
    .addUser(username: "ann"), .addUser(id: bob, username: "bob"), .follow(as: ann, target: bob),
    .addPost(by: bob, text: "hello, world"), .like(as: ann, post: PostID(1)), .block(as: bob, target: ann),
  ]

  func seeds() throws -> [[UInt8]] {
    let all = Sample.changes.filter { (try? SocialGraph.checkShape($0)) != nil }
    let single = [LoggedRequests.format] + all.prefix(40).flatMap { LoggedRequests.entry([$0]) }
    let group = LoggedRequests.entry(
      [.addUser(username: "cid"), .addPost(by: UserID(-1), text: "a"), .like(as: UserID(-1), post: PostID(-2))],
      isGroup: true, expecting: 1)
    let token = LoggedRequests.entry([.addUser(username: "dan")], token: 1 << 77)
    return [
      single, [LoggedRequests.format] + group + LoggedRequests.mark,
      [LoggedRequests.format] + token + token + LoggedRequests.upgrade(to: 2),
    ]
  }

  func run(_ input: [UInt8]) {
    guard let requests = try? LoggedRequests(decoding: input, named: "record 2") else { return }
    let entries = requests.entries.flatMap { requests.bytes(of: $0) }
    require([LoggedRequests.format] + entries == input, "requests have two encodings")
    let (first, second) = (Self.replica(), Self.replica())
    let observer = second.changes()
    var chains: (UInt64, UInt64) = (5, 5)
    var tokens = (LoggedTokens(), LoggedTokens())
    let outcomes = succeeds("a record that is read is applied") { () throws(KithError) in
      _ = try first.applyLogged(
        requests, position: 2, at: 77, chain: &chains.0, tokens: &tokens.0, collecting: false)
      return try second.applyLogged(
        requests, position: 2, at: 77, chain: &chains.1, tokens: &tokens.1, collecting: true)
    }
    withExtendedLifetime(observer) {}
    require(outcomes.count == requests.entries.count, "an entry has no outcome")
    require(tokens.0 == tokens.1, "the results of tokens depend on who asks for them")
    require(chains.0 == chains.1, "the outcomes depend on who asks for them")
    let digests = first.read { RoundTrip.check($0.state) }
    require(digests == second.read { RoundTrip.digest(of: $0.state) }, "the state depends on who observes it")
  }

  private static func replica() -> SocialGraph {
    let graph = SocialGraph.emptyReplica(options: SocialGraph.Options())
    var chain: UInt64 = 0
    var tokens = LoggedTokens()
    succeeds("the first record is applied") { () throws(KithError) in
      let entries = begin.flatMap { LoggedRequests.entry([$0]) }
      let requests = try LoggedRequests(decoding: [LoggedRequests.format] + entries, named: "record 1")
      _ = try graph.applyLogged(requests, position: 1, at: 7, chain: &chain, tokens: &tokens, collecting: false)
    }
    return graph
  }
}
