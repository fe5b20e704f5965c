import Foundation
import Kith
import KithReplication
import Synchronization

/// `kith replica bench`: what a log takes, and how far a replica is behind it.
///
/// Changes arrive at a steady rate, whether or not earlier ones are answered. Each is one request of its own.
final class ReplicaBench: Sendable {
  static let rates: ClosedRange<Int64> = 1...1_000_000
  static let seconds: ClosedRange<Int64> = 1...3_600
  private static let userCount = 1_000
  private static let tickSeconds = 0.001
  private static let sampleSeconds = 0.002

  private struct Tally {
    var latencies: [Duration] = []
    var ages: [Int64] = []
    var failures: [String: Int] = [:]
    var underWay = 0
  }

  private let graph: ReplicatedGraph
  private let tally = Mutex(Tally())
  private let stop = StopFlag()

  private init(_ graph: ReplicatedGraph) { self.graph = graph }

  /// - Parameters:
  ///   - rate: changes a second.
  ///   - directory: for a copy of the graph, if queries are measured, too; nil if not.
  static func run(
    _ graph: ReplicatedGraph, rate: Int, seconds: Int, readsIn directory: String?
  ) throws(CommandFailure) {
    let bench = ReplicaBench(graph)
    let users = try bench.addUsers()
    let begin = graph.position
    let began = ContinuousClock.now
    try Threads.begin { bench.sample() }
    var reads: [ReplicaReads.Tally] = []
    if let directory {
      let both: ReplicaReads
      do throws(KithError) { both = try ReplicaReads(graph, in: directory) } catch { throw .no(error.sentence) }
      try Threads.begin { bench.load(users, rate: rate, seconds: seconds) }
      reads = try both.run(users, seconds: seconds)
      bench.finish()
    } else {
      bench.load(users, rate: rate, seconds: seconds)
    }
    let time = ContinuousClock.now - began
    bench.stop.set()
    let records = graph.position - begin
    let tally = bench.tally.withLock { $0 }
    try Console.writeJSON { writer in
      writer.member("changes", tally.latencies.count)
      writer.member("seconds", Int(time / .seconds(1)))
      writer.member("changesPerSecond", Int(Double(tally.latencies.count) / (time / .seconds(1))))
      writer.member("recordsOfAllHosts", records)
      writer.quantiles("microseconds", tally.latencies.map { Int64($0 / .microseconds(1)) })
      writer.quantiles("ageInMilliseconds", tally.ages)
      for tally in reads { tally.write(to: &writer) }
      writer.object("failures") { for (code, count) in tally.failures.sorted(by: <) { $0.member(code, count) } }
    }
  }

  /// Users of this run alone.
  private func addUsers() throws(CommandFailure) -> [UserID] {
    let names = (0..<Self.userCount).map { "bench\(UInt32.random(in: .min ... .max))_\($0)" }
    do throws(KithError) {
      return try blocking { [graph] () async throws(KithError) in
        let batch = ReplicatedGraph.Batch()
        for name in names { try batch.addUser(name) }
        return try await graph.submit(batch).results.compactMap(\.user)
      }
    } catch {
      throw .no(error.sentence)
    }
  }

  /// Submits changes in ticks; returns when all are answered.
  private func load(_ users: [UserID], rate: Int, seconds: Int) {
    let began = ContinuousClock.now
    let count = rate * seconds
    var sent = 0
    while sent < count {
      let due = min(count, Int((ContinuousClock.now - began) / .seconds(1) * Double(rate)))
      for number in sent..<max(sent, due) { submit(number, users) }
      sent = max(sent, due)
      Thread.sleep(forTimeInterval: Self.tickSeconds)
    }
    finish()
  }

  /// Waits until all changes are answered.
  private func finish() {
    while tally.withLock({ $0.underWay }) > 0 { Thread.sleep(forTimeInterval: Self.tickSeconds) }
  }

  /// One of the changes of a run: every edge is added, then removed, then added, so each has an effect.
  static func change(_ number: Int, of users: [UserID]) -> Change {
    let source = users[number % users.count]
    let target = users[(number + 1 + number / users.count % (users.count - 1)) % users.count]
    let isAdding = number / (users.count * (users.count - 1)) % 2 == 0
    return isAdding ? .follow(as: source, target: target) : .unfollow(as: source, target: target)
  }

  private func submit(_ number: Int, _ users: [UserID]) {
    let change = Self.change(number, of: users)
    tally.withLock { $0.underWay += 1 }
    let began = ContinuousClock.now
    Task.detached { [graph] in
      do throws(KithError) {
        try await graph.submit(change)
        self.tally.withLock { $0.latencies.append(ContinuousClock.now - began) }
      } catch {
        self.tally.withLock { $0.failures[error.code, default: 0] += 1 }
      }
      self.tally.withLock { $0.underWay -= 1 }
    }
  }

  /// Notes how old the newest applied record is, again and again.
  private func sample() {
    while !stop.isSet {
      Thread.sleep(forTimeInterval: Self.sampleSeconds)
      guard let time = graph.status.time else { continue }
      let now = Int64(Date().timeIntervalSince1970 * 1_000)
      tally.withLock { $0.ages.append(max(0, now - time.rawValue)) }
    }
  }
}

extension JSONWriter {
  /// Three quantiles of numbers, as an object.
  mutating func quantiles(_ name: String, _ values: [Int64]) {
    guard !values.isEmpty else { return }
    let sorted = values.sorted()
    object(name) { writer in
      for (name, share) in [("p50", 500), ("p99", 990), ("p999", 999)] {
        writer.member(name, sorted[min(sorted.count - 1, sorted.count * share / 1_000)])
      }
    }
  }
}
