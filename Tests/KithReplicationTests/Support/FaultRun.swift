import Foundation
import Kith
import Synchronization

@testable import KithReplication

/// Replicas that write and read at the same time while their log fails in ways drawn from a seed, and the check of
/// what they were told.
final class FaultRun: Sendable {
  /// What a client was told of an operation.
  struct Told: Sendable {
    enum Outcome: Sendable {
      case done(LogPosition)
      case refused(String)
      case inDoubt
    }
    let client: Int
    /// The text that only this operation writes.
    let text: String
    let outcome: Outcome
  }

  let seed: UInt64
  let server: MemoryServer
  let replicaCount = 3
  let operationCount = 30
  let faultRate = 25
  private let directory: String
  private let problems = Mutex<[String]>([])

  /// The clients write posts for these users, which the run adds first.
  private static let author = UserID(1)

  init(seed: UInt64, defect: MemoryServer.Defect? = nil) {
    self.seed = seed
    server = MemoryServer(defect: defect)
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("kith-faults-\(UUID())").path
  }

  /// Runs, and returns what is wrong.
  func run() async throws -> [String] {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let logs = (0..<replicaCount).map { MemoryLog(server, seed: seed &* 31 &+ UInt64($0)) }
    var opened: [ReplicatedGraph] = []
    for (index, log) in logs.enumerated() { opened.append(try await open(index, log)) }
    let replicas = opened
    let author = LoggedRequests.entry([.addUser(id: Self.author, username: "author")])
    server.append(
      .init(payload: [LoggedRequests.format] + author, session: .random(), serial: 1, base: 0))
    for replica in replicas { try await replica.catchUp(timeout: .seconds(200)) }
    for log in logs { log.setFaultRate(faultRate) }
    let told = await withTaskGroup(of: [Told].self) { group in
      for index in replicas.indices {
        for place in 0..<2 {
          let (graph, other) = (replicas[index], replicas[(index + 1) % replicas.count])
          group.addTask { await self.write(as: index * 2 + place, on: graph, then: other) }
        }
      }
      group.addTask {
        await self.disturb(logs, replicas)
        return []
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    for log in logs {
      log.setFaultRate(0)
      log.isCut = false
    }
    server.deliverLate()
    await settle(replicas, told)
    for replica in replicas { await replica.close() }
    return problems.withLock { $0 }
  }

  private func open(_ index: Int, _ log: MemoryLog) async throws(KithError) -> ReplicatedGraph {
    var options = ReplicaOptions(
      name: "replica-\(index)", snapshots: .directory(directory), unavailableAfter: .milliseconds(300),
      resolveWithin: .milliseconds(200))
    options.digestInterval = 8
    options.readTimeout = .milliseconds(20)
    options.firstPause = .milliseconds(1)
    options.longestPause = .milliseconds(8)
    return try await ReplicatedGraph.open(log: log, directory: nil, options: options)
  }

  private func report(_ problem: String) { problems.withLock { $0.append("seed \(seed): \(problem)") } }

  // MARK: - Clients

  /// Writes unique posts on one replica, and now and then reads its own write on another.
  private func write(as client: Int, on graph: ReplicatedGraph, then other: ReplicatedGraph) async -> [Told] {
    var random = SeededRandom(seed: seed &* 1_000 &+ UInt64(client))
    var told: [Told] = []
    for number in 0..<operationCount {
      let text = "\(client)-\(number)"
      let kind = random.below(5)
      do throws(KithError) {
        let position: LogPosition
        switch kind {
        case 0:
          let batch = ReplicatedGraph.Batch()
          let user = try batch.addUser("user \(text)")
          try batch.addPost(text, by: user)
          position = try await graph.submit(batch).position
        case 1:
          // Refused if another client has the name; then there is no post.
          let batch = ReplicatedGraph.Batch()
          try batch.addPost(text, by: Self.author)
          try batch.addUser("name \(random.below(40))")
          position = try await graph.submit(batch).position
        default: position = try await graph.submit(.addPost(by: Self.author, text: text)).position
        }
        told.append(Told(client: client, text: text, outcome: .done(position)))
        if random.below(4) == 0 { await readOwnWrite(text, at: position, on: other) }
      } catch {
        switch error {
        case .inDoubt: told.append(Told(client: client, text: text, outcome: .inDoubt))
        default: told.append(Told(client: client, text: text, outcome: .refused(error.code)))
        }
      }
    }
    return told
  }

  private func readOwnWrite(_ text: String, at position: LogPosition, on graph: ReplicatedGraph) async {
    do throws(KithError) {
      try await graph.wait(for: position, timeout: server.defect == nil ? .seconds(200) : .seconds(5))
    } catch {
      return report("a token of \(position) was not reached: \(error)")
    }
    if Self.texts(of: graph).filter({ $0 == text }).count != 1 {
      report("post \(text) of record \(position) is not there once on another replica")
    }
  }

  /// The texts of all posts, in the order in which they were added.
  private static func texts(of graph: ReplicatedGraph) -> [String] {
    graph.read { view in
      var texts: [String] = []
      view.forEachPost { _, _, _, _, text, _ in texts.append(text) }
      return texts
    }
  }

  // MARK: - Faults

  /// Fails over, cuts connections, lets held attempts arrive, turns the clock, writes and verifies snapshots.
  private func disturb(_ logs: [MemoryLog], _ replicas: [ReplicatedGraph]) async {
    var random = SeededRandom(seed: seed &+ 77)
    for _ in 0..<40 {
      try? await Task.sleep(for: .milliseconds(5))
      switch random.below(8) {
      case 0, 1: server.failOver()
      case 2: server.deliverLate()
      case 3: server.turnClock(by: Int64(random.below(200_000)) - 100_000)
      case 4:
        let log = logs[random.below(logs.count)]
        log.isCut = true
        try? await Task.sleep(for: .milliseconds(random.below(60)))
        log.isCut = false
      case 5:
        // A snapshot may fail as any request may.
        _ = try? await replicas[random.below(replicas.count)].snapshot()
      case 6: _ = try? await replicas[random.below(replicas.count)].verifySnapshots()
      default: server.deliverLate()
      }
    }
  }

  // MARK: - Checking

  /// Lets the replicas catch up, and compares them with each other, with what was told, and with a plain graph that
  /// makes the same changes.
  private func settle(_ replicas: [ReplicatedGraph], _ told: [Told]) async {
    var digests: [UInt64] = []
    for (index, replica) in replicas.enumerated() {
      do throws(KithError) {
        try await replica.catchUp(timeout: server.defect == nil ? .seconds(200) : .seconds(5))
        digests.append(try replica.local.stateDigest())
        // A defect of the server ends a replica on purpose.
        let problems = server.defect == nil ? replica.local.read { $0.verify() } : []
        if !problems.isEmpty { report("replica \(index) is unsound: \(problems[0])") }
      } catch {
        report("replica \(index) did not catch up: \(error)")
      }
    }
    if Set(digests).count > 1 { report("the digests differ: \(digests)") }
    guard let first = replicas.first, !digests.isEmpty else { return }
    check(told, Self.texts(of: first), first)
    if server.defect == nil { compareWithPlainGraph(digests[0]) }
    if problems.withLock({ !$0.isEmpty }) { return }
    // A replica that begins anew comes to the same state.
    do throws(KithError) {
      let late = try await open(9, MemoryLog(server))
      if try late.local.stateDigest() != digests[0] { report("a new replica has another state") }
      await late.close()
    } catch {
      report("a new replica cannot begin: \(error)")
    }
  }

  private func check(_ told: [Told], _ texts: [String], _ graph: ReplicatedGraph) {
    let counts = texts.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    var last: [Int: LogPosition] = [:]
    for told in told {
      let count = counts[told.text] ?? 0
      switch told.outcome {
      case .done(let position):
        if count != 1 { report("post \(told.text) was acknowledged and is there \(count) times") }
        if position <= last[told.client] ?? 0 { report("post \(told.text) is before an earlier one of its client") }
        last[told.client] = position
      case .refused(let code): if count != 0 { report("post \(told.text) was refused (\(code)) and is there") }
      case .inDoubt: if count > 1 { report("post \(told.text) is there \(count) times") }
      }
    }
    let known = Set(told.map(\.text))
    for text in texts where !known.contains(text) { report("post \(text) was never written") }
    var place: [Int: Int] = [:]
    for text in texts {
      let parts = text.split(separator: "-").compactMap { Int($0) }
      if parts[1] <= place[parts[0]] ?? -1 { report("post \(text) is out of its client's order") }
      place[parts[0]] = parts[1]
    }
  }

  /// Plays the log with the verbs of a graph without replication.
  private func compareWithPlainGraph(_ digest: UInt64) {
    let plain = SocialGraph()
    do throws(KithError) {
      for record in server.log {
        let requests = try LoggedRequests(decoding: record.payload, named: "record")
        for entry in requests.entries {
          PlainPlayer.play(Array(requests.changes[entry.range]), isGroup: entry.isGroup, at: record.at, on: plain)
        }
      }
      if try plain.stateDigest() != digest { report("a plain graph with the same changes has another state") }
    } catch {
      report("the log cannot be played: \(error)")
    }
  }
}

/// Makes requests with the verbs of a plain graph: times are filled in here, ids by the graph.
enum PlainPlayer {
  static func play(_ changes: [Change], isGroup: Bool, at time: Timestamp, on graph: SocialGraph) {
    if !isGroup {
      for change in changes { _ = try? graph.apply(timed(change, time)) }
      return
    }
    _ = try? graph.batch { batch in
      var added: [Int64] = []
      for change in changes {
        let result = try batch.apply(timed(change.resolved(by: added), time))
        added.append(result.user?.rawValue ?? result.post?.rawValue ?? 0)
      }
    }
  }

  private static func timed(_ change: Change, _ time: Timestamp) -> Change {
    switch change {
    case .addPost(let id, let author, let text, nil, _, _):
      .addPost(id: id, by: author, text: text, createdAt: time)
    case .follow(let user, let target, nil): .follow(as: user, target: target, at: time)
    case .like(let user, let post, nil): .like(as: user, post: post, at: time)
    default: change
    }
  }
}
