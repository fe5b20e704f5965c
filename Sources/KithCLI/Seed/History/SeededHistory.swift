import Kith
import Synchronization

/// A synthetic network that grew over some weeks, the same for the same numbers on every machine: who joined when,
/// communities with their own words, days and nights of several parts of the world, events at which many post.
///
/// Every change is in the journal of a store, dated when it was made, and each week ends with a snapshot. So every
/// instant of those weeks can be restored.
struct SeededHistory: Sendable {
  /// What the network has beside follows and likes.
  static let schema = SocialGraph.Schema([
    Relation("reply", from: .post, to: .post, isThread: true),
    Relation("mention", from: .post, to: .user),
    Relation("friend", from: .user, to: .user, isEndedBy: ["block"], endsWith: "follow"),
    Relation("bookmark", from: .user, to: .post, visibility: .source),
  ])
  static let weekLimit = 520
  static let userLimit = 1_000_000

  /// The changes of so long a time are one batch.
  static let tick: Int64 = 15 * 60_000
  static let ticksPerDay = 96

  /// About as many users at the end: some leave.
  let userCount: Int
  let weekCount: Int
  let seed: UInt64
  /// In milliseconds since 1970.
  let end: Int64

  var tickCount: Int { weekCount * 7 * Self.ticksPerDay }
  var start: Int64 { end - Int64(tickCount) * Self.tick }

  /// Makes the store; nothing may be there.
  func write(to path: String, _ given: SocialGraph.Options) throws(CommandFailure) -> SocialGraph.Counts {
    let clock = Clock(start)
    var options = given
    // A store that is only made needs no sync until its snapshot.
    options.durability = .flushed
    options.postIndex = .off
    options.retention.snapshotCount = weekCount + 2
    var progress = Progress()
    progress.begin("history")
    defer { progress.finish() }
    do throws(KithError) {
      let graph = try SocialGraph.openDated(path, options: options, schema: Self.schema) { clock.now }
      try write(to: graph, clock, &progress)
      let counts = graph.read { view in view.counts }
      try graph.close()
      return counts
    } catch {
      throw .no("the history could not be written: \(error.sentence)")
    }
  }

  private func write(
    to graph: SocialGraph, _ clock: Clock, _ progress: inout Progress
  ) throws(KithError) {
    var run = HistoryRun(self)
    for tick in 0..<tickCount {
      let changes = run.changes(in: tick)
      clock.set(start + Int64(tick + 1) * Self.tick - 1)
      for part in stride(from: 0, to: changes.count, by: SocialGraph.Limits.batchCount) {
        let piece = changes[part..<min(changes.count, part + SocialGraph.Limits.batchCount)]
        try graph.batch { (batch) throws(KithError) in for change in piece { try batch.apply(change) } }
      }
      if (tick + 1) % (7 * Self.ticksPerDay) == 0 { _ = try graph.snapshot() }
      progress.update(done: tick, of: "steps", share: Double(tick) / Double(tickCount))
    }
  }

  /// The time of the history.
  private final class Clock: Sendable {
    private let time: Atomic<Int64>

    init(_ time: Int64) { self.time = Atomic(time) }

    var now: Timestamp { Timestamp(time.load(ordering: .relaxed)) }
    func set(_ time: Int64) { self.time.store(time, ordering: .relaxed) }
  }
}
