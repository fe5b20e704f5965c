import Testing

@testable import Kith

/// Records of a log applied to a replica.
@Suite struct LoggedApplyTests {
  /// A replica and the end of what it has applied.
  private struct Replica {
    let graph = SocialGraph.emptyReplica(options: SocialGraph.Options())
    var position: UInt64 = 0
    var chain: UInt64 = 0
    var tokens = LoggedTokens()

    @discardableResult
    mutating func apply(
      _ entries: [[UInt8]], at time: Timestamp = 1_000
    ) throws(KithError) -> [SocialGraph.LoggedOutcome] {
      position += 1
      let requests = try LoggedRequests(decoding: [LoggedRequests.format] + entries.joined(), named: "record")
      return try graph.applyLogged(
        requests, position: position, at: time, chain: &chain, tokens: &tokens, collecting: true)
    }

    mutating func apply(_ change: Change, expecting position: UInt64? = nil) throws -> SocialGraph.LoggedOutcome {
      try #require(try apply([LoggedRequests.entry([change], expecting: position)]).first)
    }
  }

  @Test("Random records give the outcomes and the graph of the model, and slices of any size the same digest")
  func model() throws {
    for seed in UInt64(1)...12 {
      var draw = Draw(seed: seed, userCount: 12)
      var model = ReferenceModel()
      var (replica, one) = (Replica(), Replica())
      // Of two thirds, lists wait for some of the records, among them refused groups.
      var catchesUp = false
      for step in 0..<60 {
        if seed % 3 != 0, draw.seldom(catchesUp ? 8 : 4) {
          if catchesUp { replica.graph.endCatchingUp() } else { replica.graph.beginCatchingUp() }
          catchesUp.toggle()
        }
        let time = Timestamp(1_700_000_000_000 + Int64(step) * 100)
        var (entries, expected): ([[UInt8]], [Result<[ChangeResult], ReferenceModel.Refusal>]) = ([], [])
        for _ in 0..<1 + draw.below(90) {
          let isGroup = draw.seldom(8)
          let changes = (0..<(isGroup ? 1 + draw.below(5) : 1)).map { _ in draw.change(for: model) }
            .filter { (try? SocialGraph.checkShape($0)) != nil }
          if changes.isEmpty { continue }
          entries.append(LoggedRequests.entry(changes, isGroup: isGroup))
          let before = model
          do throws(ReferenceModel.Refusal) {
            var results: [ChangeResult] = []
            var added: [Int64] = []
            for change in changes {
              let result = try model.apply((isGroup ? change.resolved(by: added) : change).timed(time))
              added.append(result.user?.rawValue ?? result.post?.rawValue ?? 0)
              results.append(result)
            }
            expected.append(.success(results))
          } catch {
            model = before
            expected.append(.failure(error))
          }
        }
        let outcomes = try replica.apply(entries, at: time)
        for entry in entries { try one.apply([entry], at: time) }
        #expect(outcomes.count == expected.count)
        for (outcome, right) in zip(outcomes, expected) {
          switch (outcome, right) {
          case (.success(let found), .success(let right)): #expect(found == right, "seed \(seed), step \(step)")
          case (.failure(let error), .failure(let refusal)):
            #expect(refusal.codes.contains(error.code), "seed \(seed), step \(step): \(error)")
          default: Issue.record("seed \(seed), step \(step): \(outcome), not \(right)")
          }
        }
      }
      if catchesUp { replica.graph.endCatchingUp() }
      #expect(replica.graph.read { $0.verify() } == [] && one.graph.read { $0.verify() } == [], "seed \(seed)")
      #expect(replica.graph.pin().checkDerived() == [], "seed \(seed)")
      #expect(replica.graph.read { $0.counts } == model.counts)
      #expect(try replica.graph.stateDigest() == one.graph.stateDigest(), "seed \(seed)")
      let saved = try Saved(replica.graph)
      #expect(try saved.graph.stateDigest() == replica.graph.stateDigest(), "seed \(seed): restored")
    }
  }

  /// A replica that was saved and restored.
  private struct Saved {
    let graph: SocialGraph

    init(_ graph: SocialGraph) throws {
      let directory = try TemporaryDirectory()
      let place = LogPlace(
        log: StoreID(high: 1, low: 2), position: 3, chain: Array(0..<32), outcomeChain: 4, rules: 5)
      let written = try ReplicaSnapshot.write(graph.pin(), at: place, in: directory.path, workers: 1)
      let name = try #require(try ReplicaSnapshot.names(in: directory.path, of: place.log).first)
      #expect(name == ReplicaSnapshot.name(at: 3, of: place.log))
      let restored = try SocialGraph.replica(fromSnapshot: name, in: directory.path, options: SocialGraph.Options())
      #expect(restored.place == place && written.place == place)
      // The digest follows from the hashes of the file.
      #expect(try written.digest == graph.stateDigest())
      #expect(try ReplicaSnapshot.verify(name, in: directory.path) == written)
      self.graph = restored.graph
    }
  }

  @Test("A group is made as a whole, with the ids of what it adds, or not at all")
  func groups() throws {
    var replica = Replica()
    let added = try replica.apply([
      LoggedRequests.entry(
        [
          .addUser(username: "ann"), .addUser(username: "bob"), .follow(as: -1, target: -2),
          .addPost(by: -2, text: "hello"), .like(as: -1, post: -4),
        ], isGroup: true)
    ])
    #expect(try added[0].get().map(\.sequence) == [1, 2, 3, 4, 5])
    #expect(replica.graph.read { (try? $0.isFollowing(2, as: 1)) ?? false })
    let (chain, digest) = (replica.chain, try replica.graph.stateDigest())
    let refused = try replica.apply([
      LoggedRequests.entry([.addUser(username: "cid"), .follow(as: -1, target: -3)], isGroup: true)
    ])
    #expect(refused[0] == .failure(.inBatch(index: 1, .unknownUser(-3))))
    #expect(try replica.graph.stateDigest() == digest && replica.chain != chain)
    // Outside of a group nothing has a negative id.
    #expect(try replica.apply(.follow(as: -1, target: 2)) == .failure(.unknownUser(-1)))
  }

  @Test("A group that is refused while lists wait leaves them waiting")
  func refusedGroupInCatchUp() throws {
    for removes in [false, true] {
      var replica = Replica()
      replica.graph.beginCatchingUp()
      for name in ["ann", "bob", "cid"] { _ = try replica.apply(.addUser(username: name)).get() }
      _ = try replica.apply(.follow(as: 1, target: 2)).get()
      _ = try replica.apply(.addPost(by: 2, text: "hello")).get()
      _ = try replica.apply(.like(as: 1, post: 1)).get()
      // A removal builds the lists on the way, which the refusal takes back, too.
      let group: [Change] = [removes ? .removeUser(3) : .addUser(username: "dan"), .addUser(username: "ann")]
      #expect(try replica.apply([LoggedRequests.entry(group, isGroup: true)])[0].isFailure)
      _ = try replica.apply(.follow(as: 3, target: 2)).get()
      replica.graph.endCatchingUp()
      #expect(replica.graph.read { $0.verify() } == [])
      #expect(try replica.graph.read { try $0.followers(of: 2) }.map(\.id.rawValue).sorted() == [1, 3])
      #expect(try replica.graph.read { try $0.likers(of: 1) }.count == 1)
      _ = try replica.apply(.unfollow(as: 1, target: 2)).get()
      #expect(try replica.graph.read { try $0.followers(of: 2) }.map(\.id.rawValue) == [3])
    }
  }

  @Test("A request that expects a position is refused if another record, or another request, came first")
  func conflicts() throws {
    var replica = Replica()
    #expect(try replica.apply(.addUser(username: "ann"), expecting: 0).get().count == 1)
    #expect(try replica.apply(.addUser(username: "bob"), expecting: 0) == .failure(.conflict(position: 2)))
    #expect(try replica.apply(.addUser(username: "bob"), expecting: 2).get().count == 1)
    let both = try replica.apply([
      LoggedRequests.entry([.addUser(username: "cid")]),
      LoggedRequests.entry([.addUser(username: "dan")], expecting: 3),
    ])
    #expect(both[1] == .failure(.conflict(position: 4)))
    #expect(try replica.apply(.addUser(username: "dan"), expecting: .max) == .failure(.conflict(position: 5)))
  }

  @Test("The verbs of a replica answer readOnly, and no record is bound by the limits of its options")
  func roles() throws {
    let graph = SocialGraph.emptyReplica(options: SocialGraph.Options { $0.maximumUserCount = 1 })
    #expect(throws: KithError.readOnly) { try graph.addUser("ann") }
    #expect(throws: KithError.readOnly) { try graph.snapshot() }
    var chain: UInt64 = 0
    let entries = ["ann", "bob"].flatMap { LoggedRequests.entry([.addUser(username: $0)]) }
    let requests = try LoggedRequests(decoding: [LoggedRequests.format] + entries, named: "")
    var tokens = LoggedTokens()
    _ = try graph.applyLogged(requests, position: 1, at: 1, chain: &chain, tokens: &tokens, collecting: false)
    #expect(graph.read { $0.counts.users } == 2)
    #expect(throws: KithError.limitExceeded(.users(limit: 1))) { try graph.checkLimits(.addUser(username: "cid")) }
    try graph.close()
    #expect(throws: KithError.closed) {
      try graph.applyLogged(requests, position: 2, at: 1, chain: &chain, tokens: &tokens, collecting: false)
    }
  }

  @Test("Observers get the changes of a record in order, without those of a group that was refused")
  func observers() async throws {
    var replica = Replica()
    var events = replica.graph.changes().makeAsyncIterator()
    try replica.apply([
      LoggedRequests.entry([.addUser(username: "ann")]),
      LoggedRequests.entry([.addUser(username: "bob"), .removeUser(9)], isGroup: true),
      LoggedRequests.entry([.addUser(username: "cid")]),
    ])
    #expect(await events.next() == .change(.addUser(id: 1, username: "ann"), sequence: 1))
    #expect(await events.next() == .change(.addUser(id: 2, username: "cid"), sequence: 2))
  }

  @Test("What is refused by its shape is refused by every state, with the same code")
  func shapes() throws {
    var draw = Draw(seed: 5, userCount: 8)
    let model = ReferenceModel()
    var refused = 0
    for _ in 0..<4_000 {
      let change = draw.change(for: model)
      do throws(KithError) {
        try SocialGraph.checkShape(change)
      } catch {
        refused += 1
        guard case .failure(let refusal) = model.tried(change) else {
          Issue.record("\(change) is refused by its shape, and not by the model")
          continue
        }
        #expect(refusal.codes.contains(error.code), "\(change)")
      }
    }
    #expect(refused > 100)
  }
}

extension Result {
  fileprivate var isFailure: Bool { if case .failure = self { true } else { false } }
}

extension ReferenceModel {
  fileprivate func tried(_ change: Change) -> Result<ChangeResult, Refusal> {
    var copy = self
    return copy.outcome(of: change)
  }
}

extension Change {
  /// The change with a time, where it has none.
  fileprivate func timed(_ time: Timestamp) -> Change {
    switch self {
    case .addPost(let id, let author, let text, nil, _, _):
      .addPost(id: id, by: author, text: text, createdAt: time)
    case .follow(let user, let target, nil): .follow(as: user, target: target, at: time)
    case .like(let user, let post, nil): .like(as: user, post: post, at: time)
    default: self
    }
  }
}
