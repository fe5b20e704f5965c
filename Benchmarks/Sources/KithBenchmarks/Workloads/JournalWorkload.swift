import Kith

/// The speed of durable changes: one at a time, by many writers, by batches; and of opening a store.
///
/// Changes are new follows. A single one is a frame of one sector in the journal: so the baseline writes a sector. Many
/// at once are a rate; its baseline is the write and sync of as many bytes as a frame of all of them has.
struct JournalWorkload {
  private static let sectorByteCount = 512
  private static let writerCount = 64
  private static let batchCount = 1_000
  /// The bytes of a follow in the journal, between users with small ids.
  private static let changeByteCount = 11

  let settings: Settings

  func run(_ harness: inout Harness) throws -> (measurements: [Measurement], rates: [Rate]) {
    var measurements = [try lone("change, in memory", nil, &harness)]
    measurements.append(try lone("change, flushed", .flushed, &harness))
    measurements.append(try lone("change, synced", .synced, &harness))
    return (measurements, [try writers(), try batches(), try replay()])
  }

  // MARK: - One at a time

  private func lone(_ name: String, _ durability: SocialGraph.Durability?, _ harness: inout Harness) throws
    -> Measurement
  {
    try JournalBaseline.withDirectory(in: settings.directory) { directory in
      guard let durability else {
        return try measure(name, Follows(in: SocialGraph(), users: 10_000), &harness, baseline: nil)
      }
      let baseline = try JournalBaseline(in: settings.directory, byteCount: 16 << 20)
      let graph = try SocialGraph.open(directory, options: Self.options(durability))
      let measurement = try measure(name, Follows(in: graph, users: 10_000), &harness) { _ in
        baseline.write(Self.sectorByteCount, syncing: durability == .synced)
      }
      try graph.close()
      return measurement
    }
  }

  private func measure(
    _ name: String, _ follows: Follows, _ harness: inout Harness, baseline: ((Int) -> Int)?
  ) throws -> Measurement {
    var next = 0
    return try harness.measure(
      name, questions: 1,
      engine: { _ in
        next += 1
        return Int(try follows.graph.apply(follows.change(next)).sequence)
      }, baseline: baseline)
  }

  /// Otherwise background snapshots would be written during the run.
  private static func options(_ durability: SocialGraph.Durability) -> SocialGraph.Options {
    var options = SocialGraph.Options()
    options.durability = durability
    options.snapshotAfterChangeCount = nil
    options.snapshotAfterByteCount = nil
    options.snapshotAfter = nil
    return options
  }

  // MARK: - Many at once

  private func writers() throws -> Rate {
    let count = settings.samples / 2
    return try rate("changes of 64 writers, synced", changes: count * Self.writerCount) { follows in
      JournalBaseline.onThreads(Self.writerCount) { writer in
        for change in 0..<count {
          do {
            try follows.graph.apply(follows.change(1 + writer * count + change))
          } catch {
            preconditionFailure("a change fails: \(error)")
          }
        }
      }
    } baseline: { baseline in
      for _ in 0..<count { _ = baseline.write(Self.frameByteCount(Self.writerCount), syncing: true) }
    }
  }

  private func batches() throws -> Rate {
    let count = max(settings.samples / 20, 10)
    return try rate("changes in batches of 1,000, synced", changes: count * Self.batchCount) { follows in
      for batch in 0..<count { try follows.batch(1 + batch * Self.batchCount, Self.batchCount) }
    } baseline: { baseline in
      for _ in 0..<count { _ = baseline.write(Self.frameByteCount(Self.batchCount), syncing: true) }
    }
  }

  /// Whole sectors; a frame has 56 bytes besides its changes.
  private static func frameByteCount(_ changeCount: Int) -> Int {
    (changeCount * changeByteCount + 56 + sectorByteCount - 1) / sectorByteCount * sectorByteCount
  }

  /// Both are done in turn, each time with a store of its own.
  private func rate(
    _ name: String, changes: Int, _ body: (Follows) throws -> Void, baseline: (JournalBaseline) -> Void
  ) throws -> Rate {
    var engine: [Double] = []
    var baselines: [Double] = []
    for _ in 0..<settings.runs {
      try JournalBaseline.withDirectory(in: settings.directory) { directory in
        let bare = try JournalBaseline(in: settings.directory, byteCount: 16 << 20)
        let graph = try SocialGraph.open(directory, options: Self.options(.synced))
        let follows = try Follows(in: graph, users: 10_000)
        engine.append(try Self.seconds { try body(follows) })
        baselines.append(Self.seconds { baseline(bare) })
        try graph.close()
      }
    }
    return Rate(name: name, count: changes, engineSeconds: engine, baselineSeconds: baselines)
  }

  // MARK: - Opening

  /// Opens a store whose changes are all in its journal, with follows between random users; its baseline makes the same
  /// follows in memory, by batches.
  private func replay() throws -> Rate {
    let batches = settings.samples / 2
    let (changes, users) = (batches * Self.batchCount, 100_000)
    return try JournalBaseline.withDirectory(in: settings.directory) { directory in
      let graph = try SocialGraph.open(directory, options: Self.options(.flushed))
      let follows = try Follows(in: graph, users: users)
      for batch in 0..<batches { try follows.batch(1 + batch * Self.batchCount, Self.batchCount) }
      try graph.close()
      var engine: [Double] = []
      var baselines: [Double] = []
      for _ in 0..<settings.runs {
        engine.append(try Self.seconds { _ = try SocialGraph.open(directory, access: .readOnly) })
        let memory = try Follows(in: SocialGraph(), users: users)
        baselines.append(
          try Self.seconds {
            for batch in 0..<batches { try memory.batch(1 + batch * Self.batchCount, Self.batchCount) }
          })
      }
      return Rate(
        name: "changes replayed at opening", count: changes + users, engineSeconds: engine,
        baselineSeconds: baselines)
    }
  }

  private static func seconds<E: Error>(_ body: () throws(E) -> Void) throws(E) -> Double {
    let clock = ContinuousClock()
    let began = clock.now
    try body()
    return (clock.now - began) / .seconds(1)
  }

  /// Existing users, and follows that do not exist yet.
  private struct Follows: Sendable {
    let graph: SocialGraph
    let users: Int

    /// - Parameter users: a multiple of 10,000, up to 100,000.
    init(in graph: SocialGraph, users: Int) throws {
      self.graph = graph
      self.users = users
      for first in stride(from: 1, to: users, by: 10_000) {
        try graph.batch { (batch) throws(KithError) in
          for id in first..<first + 10_000 {
            try batch.apply(.addUser(id: UserID(Int64(id)), username: "user \(id)"))
          }
        }
      }
    }

    /// A different, scattered pair for every number from 1 on: each round has every source once, with one distance to
    /// the targets.
    func change(_ number: Int) -> Change {
      let (round, place) = number.quotientAndRemainder(dividingBy: users)
      let source = place * 7_919 % users
      let target = (source + 1 + round * 31_337 % (users - 1)) % users
      return .follow(as: UserID(Int64(source + 1)), target: UserID(Int64(target + 1)), at: Timestamp(1_700_000_000_000))
    }

    func batch(_ first: Int, _ count: Int) throws(KithError) {
      try graph.batch { (batch) throws(KithError) in
        for number in first..<first + count { try batch.apply(change(number)) }
      }
    }
  }
}
