import Dispatch
import Kith
import Synchronization

/// Several threads at once: readers ask whether random users follow each other; beside them, a writer may follow and
/// unfollow without a pause, and snapshots may be written one after another.
///
/// Prints the reads, the writes and the snapshots that were made, and p50, p99.9 and the longest of reads and writes in
/// nanoseconds.
enum Shared {
  /// Latencies of one thread.
  private struct Record: Sendable {
    private(set) var nanoseconds: [Int] = []

    mutating func measure(_ clock: ContinuousClock, _ body: () throws -> Void) rethrows {
      let began = clock.now
      try body()
      nanoseconds.append(Int((clock.now - began) / .nanoseconds(1)))
    }
  }

  private enum Role: Hashable, Sendable { case reads, writes, saves }

  static func run(_ store: String, _ numbers: [Int]) throws {
    let (seconds, readerCount, writes, saves) = (numbers[0], numbers[1], numbers[2] == 1, numbers[3] == 1)
    // Snapshots are written only when that is part of the measurement.
    var options = SocialGraph.Options()
    options.durability = .flushed
    options.snapshotAfterChangeCount = nil
    options.snapshotAfterByteCount = nil
    options.snapshotAfter = nil
    let graph = try SocialGraph.open(store, options: options)
    let userCount = graph.read { $0.counts.users }
    let roles =
      [Role](repeating: .reads, count: readerCount) + (writes ? [.writes] : []) + (saves ? [.saves] : [])
    let records = Mutex<[Role: [Int]]>([:])
    let clock = ContinuousClock()
    let end = clock.now + .seconds(seconds)
    DispatchQueue.concurrentPerform(iterations: roles.count) { place in
      var random = SeededRandom(seed: UInt64(place + 1))
      var record = Record()
      do {
        while clock.now < end { try step(roles[place], graph, userCount, clock, &random, &record) }
      } catch {
        fatalError("\(error)")
      }
      records.withLock { $0[roles[place], default: []] += record.nanoseconds }
    }
    let made = records.withLock { $0 }
    let saved = made[.saves]?.count ?? 0
    print("\(text(made[.reads] ?? []))\t\(text(made[.writes] ?? []))\t\(saved)")
    try graph.close()
  }

  private static func step(
    _ role: Role, _ graph: SocialGraph, _ userCount: Int, _ clock: ContinuousClock, _ random: inout SeededRandom,
    _ record: inout Record
  ) throws {
    if role == .saves { return try record.measure(clock) { try graph.snapshot() } }
    let user = UserID(.random(in: 1...Int64(userCount), using: &random))
    let target = UserID(.random(in: 1...Int64(userCount), using: &random))
    if role == .reads {
      return try record.measure(clock) { _ = try graph.read { view in try view.isFollowing(target, as: user) } }
    }
    if user == target { return }
    try record.measure(clock) { try graph.follow(target, as: user) }
    try record.measure(clock) { try graph.unfollow(target, as: user) }
  }

  private static func text(_ nanoseconds: [Int]) -> String {
    let sorted = nanoseconds.sorted()
    func share(_ share: Double) -> Int {
      sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, Int(share * Double(sorted.count)))]
    }
    return "\(sorted.count)\t\(share(0.5))\t\(share(0.999))\t\(sorted.last ?? 0)"
  }
}
