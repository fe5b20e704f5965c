import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Kith

/// `SocialGraph.statistics()`: counts that equal a model's, off and on, alone and under load.
@Suite struct StatisticsTests {
  private typealias Counts = [GraphOperation: (count: Int, failures: Int)]

  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Runs one random operation. Ids reach beyond those that exist, so that some fail.
  private func step(_ graph: SocialGraph, _ random: inout SeededRandom) -> (operation: GraphOperation, failed: Bool) {
    let (user, other) = (UserID(.random(in: 1...30, using: &random)), UserID(.random(in: 1...30, using: &random)))
    let post = PostID(.random(in: 1...40, using: &random))
    let number = Int.random(in: 0..<1_000_000, using: &random)
    let operation = GraphOperation.allCases.randomElement(using: &random) ?? .user
    func query<R>(_ body: (borrowing GraphView) throws(KithError) -> R) throws { _ = try graph.read(body) }
    do {
      switch operation {
      case .users: try query { (view) throws(KithError) in try view.searchUsers("u", UserQuery(viewer: user)) }
      case .posts: try query { (view) throws(KithError) in try view.searchPosts("p", PostQuery(viewer: user)) }
      case .timeline:
        var ids: [PostID] = []
        if number % 2 == 0 {
          try query { (view) throws(KithError) in try view.timeline(of: user) }
        } else {
          try graph.read { (view) throws(KithError) in try view.timelineIDs(of: user, into: &ids) }
        }
      case .twoHopTimeline: try query { (view) throws(KithError) in try view.twoHopTimeline(of: user) }
      case .user:
        if number % 2 == 0 {
          try query { (view) throws(KithError) in try view.user(user) }
        } else {
          try query { (view) throws(KithError) in try view.users([other], as: user) }
        }
      case .post:
        if number % 2 == 0 {
          try query { (view) throws(KithError) in try view.post(post) }
        } else {
          try query { (view) throws(KithError) in try view.posts([post], as: user) }
        }
      case .lookup:
        try query { (view) throws(KithError) in
          try Read.lookup(users: [other], posts: [post], as: user).answer(view)
        }
      case .isFollowing: try query { (view) throws(KithError) in try view.isFollowing(other, as: user) }
      case .relations: try query { (view) throws(KithError) in try view.relations(of: user, to: [other]) }
      case .followees: try query { (view) throws(KithError) in try view.followees(of: user) }
      case .followers: try query { (view) throws(KithError) in try view.followers(of: user) }
      case .likers: try query { (view) throws(KithError) in try view.likers(of: post) }
      case .likes: try query { (view) throws(KithError) in try view.likes(of: user) }
      case .blocked: try query { (view) throws(KithError) in try view.blocked(by: user) }
      case .muted: try query { (view) throws(KithError) in try view.muted(by: user) }
      case .mutuals:
        if number % 2 == 0 {
          try query { (view) throws(KithError) in try view.mutualFollowees(of: user, and: other) }
        } else {
          try query { (view) throws(KithError) in try view.mutualFolloweeCount(of: user, and: other) }
        }
      case .familiarFollowers:
        try query { (view) throws(KithError) in try view.familiarFollowers(of: user, as: other) }
      case .targets: try query { (view) throws(KithError) in try view.targets(of: user, .follow) }
      case .sources: try query { (view) throws(KithError) in try view.sources(of: post, .like) }
      case .edges: try query { (view) throws(KithError) in try view.edges(between: user, and: [.post(post)]) }
      case .thread: try query { (view) throws(KithError) in try view.thread(of: post) }
      case .ancestors: try query { (view) throws(KithError) in try view.ancestors(of: post) }
      case .incoming: try query { (view) throws(KithError) in try view.incoming(to: user) }
      case .incomingCount: try query { (view) throws(KithError) in try view.incomingCount(to: user) }
      case .suggestions: try query { (view) throws(KithError) in try view.suggestions(for: user) }
      case .shortestPath: try query { (view) throws(KithError) in try view.shortestPath(from: user, to: other) }
      default: try change(operation, graph, user, other, post, number)
      }
      return (operation, false)
    } catch {
      return (operation, true)
    }
  }

  private func change(
    _ operation: GraphOperation, _ graph: SocialGraph, _ user: UserID, _ other: UserID, _ post: PostID, _ number: Int
  ) throws {
    switch operation {
    case .addUser: try graph.addUser("user \(number % 20)")
    case .renameUser: try graph.renameUser(user, to: "user \(number % 20)")
    case .editUser: try graph.editUser(user, UserFields(flags: UInt16(number % 2)))
    case .removeUser: try graph.removeUser(number % 4 == 0 ? user : UserID(99))
    case .addPost: try graph.addPost("p \(number)", by: user)
    case .editPost: try graph.editPost(post, text: "p \(number)")
    case .removePost: try graph.removePost(post)
    case .follow: try graph.follow(other, as: user)
    case .unfollow: try graph.unfollow(other, as: user)
    case .like: try graph.like(post, as: user)
    case .unlike: try graph.unlike(post, as: user)
    case .block: try graph.block(other, as: user)
    case .unblock: try graph.unblock(other, as: user)
    case .mute: try graph.mute(other, as: user)
    case .unmute: try graph.unmute(other, as: user)
    case .addEdge: try graph.addEdge(.follow, from: user, to: other)
    case .removeEdge: try graph.removeEdge(.like, from: user, to: post)
    default: try graph.batch { batch in _ = try batch.follow(other, as: user) }
    }
  }

  @Test("Every query and change is counted once, under its own name, with its failures", arguments: 1...5)
  func model(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let options = SocialGraph.Options { $0.measuresLatency = true }
    let graph = SocialGraph(options: options, schema: SocialGraph.Schema())
    for number in 0..<12 { try graph.addUser("first \(number)") }
    var expected: Counts = [.addUser: (12, 0)]
    for _ in 0..<2_000 {
      let (operation, failed) = step(graph, &random)
      let before = expected[operation] ?? (0, 0)
      expected[operation] = (before.count + 1, before.failures + (failed ? 1 : 0))
    }
    let statistics = graph.statistics()
    #expect(statistics.operations.mapValues(\.nanoseconds.count) == expected.mapValues(\.count))
    #expect(statistics.operations.mapValues(\.failureCount) == expected.mapValues(\.failures))
    let changeCount = expected.reduce(0) { $0 + ($1.key.isChange ? $1.value.count : 0) }
    #expect(statistics.lockWaitNanoseconds.count == changeCount)
    #expect(statistics.sequence == graph.read { $0.sequence })
    #expect(statistics.operations.values.allSatisfy { ($0.nanoseconds.quantile(0.5) ?? 0) > 0 })
  }

  @Test("Queries and changes are not measured unless that is asked for, pins of queries included")
  func off() throws {
    let graph = SocialGraph()
    let ann = try graph.addUser("ann")
    _ = try graph.read { (view) throws(KithError) in try view.timeline(of: ann) }
    #expect(graph.statistics().operations.isEmpty && graph.statistics().lockWaitNanoseconds.count == 0)
    #expect(graph.recorder == nil)
    #expect(graph.read { $0.isPlain })
    try graph.close()
    #expect(!graph.read { $0.isPlain })
  }

  @Test("What the engine looks up for observers is no query of the host")
  func lookups() async throws {
    let graph = SocialGraph(options: SocialGraph.Options { $0.measuresLatency = true })
    let author = try await graph.addUser("author")
    var values: [LiveValues<Page<Post>, KithError>.Iterator] = []
    for number in 0..<3 {
      let follower = try await graph.addUser("follower \(number)")
      try await graph.follow(author, as: follower)
      values.append(graph.values(of: .timeline(of: follower)).makeAsyncIterator())
    }
    for index in values.indices { _ = try await values[index].next() }
    // More followers than live timelines: each timeline's user is tested for following the author.
    for number in 0..<9 { try await graph.follow(author, as: graph.addUser("other \(number)")) }
    try await graph.addPost("a post", by: author)
    for index in values.indices { #expect(try await values[index].next()?.count == 1) }
    #expect(graph.statistics().operations[.isFollowing] == nil)
  }

  @Test("Queries over a pin are measured, and pins that are held are counted with the age of the oldest")
  func pins() async throws {
    let graph = SocialGraph(options: SocialGraph.Options { $0.measuresLatency = true })
    let ann = try await graph.addUser("ann")
    #expect(graph.statistics().pins == .init(count: 0, oldestNanoseconds: nil))
    var first: SocialGraph.Pin? = graph.pin()
    try await Task.sleep(for: .milliseconds(20))
    let began = ContinuousClock.now
    let second = graph.pin()
    _ = try second.view.timeline(of: ann)
    #expect(graph.statistics().operations[.timeline]?.nanoseconds.count == 1)
    let both = graph.statistics().pins
    #expect(both.count == 2 && both.oldestNanoseconds ?? 0 >= 20_000_000)
    _ = first?.view.sequence
    first = nil
    let one = graph.statistics().pins
    let age = try #require(one.oldestNanoseconds)
    #expect(one.count == 1 && .nanoseconds(age) <= ContinuousClock.now - began)
    // A slot is used again.
    for _ in 0..<100 { _ = graph.pin().view.sequence }
    #expect(graph.statistics().pins.count == 1)
    withExtendedLifetime(second) {}
  }

  @Test("A store counts its groups, syncs, snapshots and bytes, without measuring latencies")
  func store() async throws {
    let path = directory.file("store")
    let graph = try await SocialGraph.open(path)
    let ann = try await graph.addUser("ann")
    try await graph.batch { batch in for number in 0..<9 { try batch.addPost("post \(number)", by: ann) } }
    let bob = try await graph.addUser("bob")
    try await graph.follow(bob, as: ann)
    let commits = graph.statistics().commits
    #expect(commits.groupSizes.sum == 12 && commits.groupSizes.count == commits.syncNanoseconds.count)
    #expect(commits.groupSizes.quantile(1) == 9 && commits.pendingChangeCount == 0 && commits.waiterCount == 0)
    let info = try await graph.snapshot()
    let size = try FileManager.default.attributesOfItem(atPath: info.path)[.size] as? Int
    let snapshots = graph.statistics().snapshots
    #expect(snapshots.last == info && info.byteCount == size && snapshots.byteCount == size)
    #expect(snapshots.nanoseconds.count == 1 && snapshots.nanoseconds.sum > 0 && snapshots.failureCount == 0)
    try await graph.close()
    await #expect(throws: KithError.closed) { try await graph.snapshot() }
  }

  @Test("Changes that wait for a hanging disk are the commit queue")
  func queue() async throws {
    let goesOn = DispatchSemaphore(value: 0)
    let isHung = Atomic(false)
    var opened = try Store.open(
      directory.file("queue"), mode: .synced, disk: SystemDisk(),
      clock: {
        isHung.store(true, ordering: .releasing)
        goesOn.wait()
        goesOn.signal()
        return .now()
      })
    let store = opened.store
    let graph = SocialGraph(opened.state.pin(), store: store, isReadOnly: false)
    let changes = (0..<5).map { number in Task { try await graph.addUser("user \(number)") } }
    while !isHung.load(ordering: .acquiring) || graph.read({ $0.counts.users }) < 5 {
      try await Task.sleep(for: .milliseconds(1))
    }
    #expect(graph.statistics().commits.pendingChangeCount == 5)
    goesOn.signal()
    for change in changes { _ = try await change.value }
    #expect(graph.statistics().commits.pendingChangeCount == 0)
    #expect(graph.statistics().commits.groupSizes.sum == 5)
    try await graph.close()
  }

  @Test("Live queries and observers of changes are counted while they are there")
  func observers() async throws {
    let graph = SocialGraph()
    let ann = try await graph.addUser("ann")
    var values = graph.values(of: .user(ann)).makeAsyncIterator()
    _ = try await values.next()
    #expect(graph.statistics().liveQueryCount == 1 && graph.statistics().changeObserverCount == 0)
    var changes = graph.changes().makeAsyncIterator()
    try await graph.addUser("bob")
    _ = await changes.next()
    #expect(graph.statistics().liveQueryCount == 1 && graph.statistics().changeObserverCount == 1)
  }

  @Test("Compactions are counted and timed")
  func compactions() async throws {
    let graph = SocialGraph()
    for start in stride(from: 0, to: 40_000, by: 10_000) {
      try await graph.batch { batch in for number in start..<start + 10_000 { try batch.addUser("user \(number)") } }
    }
    for _ in 0..<1_000 where graph.statistics().userCompactions.nanoseconds.count == 0 {
      try await Task.sleep(for: .milliseconds(10))
    }
    let compactions = graph.statistics().userCompactions
    #expect(compactions.nanoseconds.count > 0 && compactions.nanoseconds.sum > 0)
    #expect(graph.statistics().postCompactions.nanoseconds.count == 0)
  }

  @Test("Under load from several threads nothing is lost, and reading meanwhile never goes back")
  func load() throws {
    let graph = SocialGraph(options: SocialGraph.Options { $0.measuresLatency = true })
    for number in 0..<100 { try graph.addUser("user \(number)") }
    let (threadCount, roundCount) = (4, 2_000)
    let counted = Mutex<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: threadCount + 1) { thread in
      if thread == threadCount {
        for _ in 0..<20 {
          let count = graph.statistics().operations[.isFollowing]?.nanoseconds.count ?? 0
          counted.withLock { $0.append(count) }
        }
        return
      }
      var random = SeededRandom(seed: UInt64(thread))
      for _ in 0..<roundCount {
        let (user, other) = (UserID(.random(in: 1...100, using: &random)), UserID(.random(in: 1...100, using: &random)))
        _ = try? graph.follow(other, as: user)
        _ = try? graph.read { (view) throws(KithError) in try view.isFollowing(other, as: user) }
        _ = try? graph.pin().view.isFollowing(other, as: user)
      }
    }
    let statistics = graph.statistics()
    #expect(statistics.operations[.follow]?.nanoseconds.count == threadCount * roundCount)
    #expect(statistics.operations[.isFollowing]?.nanoseconds.count == 2 * threadCount * roundCount)
    #expect(statistics.pins.count == 0)
    #expect(counted.withLock { $0 } == counted.withLock { $0 }.sorted())
  }

  @Test("Statistics are encoded with the names of operations as keys, and decoded the same")
  func coding() throws {
    let graph = SocialGraph(options: SocialGraph.Options { $0.measuresLatency = true })
    let ann = try graph.addUser("ann")
    _ = try? graph.follow(ann, as: ann)
    let statistics = graph.statistics()
    let data = try JSONEncoder().encode(statistics)
    #expect(try JSONDecoder().decode(SocialGraph.Statistics.self, from: data) == statistics)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains(#""addUser":{"#) && text.contains(#""failureCount":1"#))
    #expect(statistics.operations[.follow]?.failureCount == 1)
  }

  @Test("The text for Prometheus has a type for each name, and buckets that add up")
  func prometheus() async throws {
    let graph = try await SocialGraph.open(
      directory.file("text"), options: SocialGraph.Options { $0.measuresLatency = true })
    for number in 1...20 { try await graph.addUser("user \(number)") }
    try await graph.follow(1, as: 2)
    _ = try graph.read { view in try view.user(1) }
    let text = graph.statistics().prometheus
    var types: [String: String] = [:]
    var samples: [(name: String, labels: String, value: Int)] = []
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ").map(String.init)
      if line.hasPrefix("#") {
        #expect(words.count == 4 && words[1] == "TYPE" && types[words[2]] == nil, "\(line)")
        types[words[2]] = words[3]
      } else {
        let parts = words[0].split(separator: "{", maxSplits: 1).map(String.init)
        samples.append((parts[0], parts.count > 1 ? parts[1] : "", try #require(Int(words[1]), "\(line)")))
      }
    }
    #expect(text.hasSuffix("\n") && types["kith_users"] == "gauge" && types["kith_changes_total"] == "counter")
    func value(_ name: String, _ labels: String = "") -> Int? {
      samples.first { $0.name == name && $0.labels == labels }?.value
    }
    #expect(value("kith_users") == 20 && value("kith_follows") == 1 && value("kith_accepts_changes") == 1)
    #expect(value("kith_operation_nanoseconds_count", #"operation="addUser"}"#) == 20)
    for (name, type) in types where type == "histogram" {
      let buckets = samples.filter { $0.name == name + "_bucket" }
      for labels in samples.filter({ $0.name == name + "_count" }).map(\.labels) {
        let own = buckets.filter { $0.labels.hasPrefix(labels.dropLast()) }.map(\.value)
        #expect(own == own.sorted() && own.last == value(name + "_count", labels), "\(name) \(labels) \(own)")
      }
    }
    let bounds = samples.filter { $0.name == "kith_commit_group_size_bucket" }.map(\.labels)
    #expect(bounds == [#"le="1"}"#, #"le="+Inf"}"#])
    try await graph.close()
  }
}
