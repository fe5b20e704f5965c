import Kith

/// How fast changes are made safe: one at a time, by many writers, by batches; and how fast a store comes back.
///
/// Changes are follows, none of which was there before. A lone one is a frame of one sector in the journal: so the
/// floor writes a sector. What is many at once is a rate; its floor is the write and sync of as many bytes as a frame
/// of all of them has.
struct JournalWorkload {
  private static let sectorByteCount = 512
  private static let writerCount = 64
  private static let batchCount = 1_000
  /// Of a follow in the journal, between users with small ids.
  private static let changeByteCount = 11

  let settings: Settings

  func run(_ harness: inout Harness) throws -> (measurements: [Measurement], rates: [Rate]) {
    var measurements = [try lone("change, in memory", nil, &harness)]
    measurements.append(try lone("change, flushed", .flushed, &harness))
    measurements.append(try lone("change, synced", .synced, &harness))
    return (measurements, [try writers(), try batches(), try replay()])
  }

  // MARK: - One at a time

  private func lone(_ name: String, _ durability: Durability?, _ harness: inout Harness) throws -> Measurement {
    try JournalFloor.withDirectory(in: settings.directory) { directory in
      guard let durability else {
        return try measure(name, Follows(in: SocialGraph(), users: 10_000), &harness, floor: nil)
      }
      let floor = try JournalFloor(in: settings.directory, byteCount: 16 << 20)
      let graph = try SocialGraph.open(directory, options: Self.options(durability))
      let measurement = try measure(name, Follows(in: graph, users: 10_000), &harness) { _ in
        floor.write(Self.sectorByteCount, syncing: durability == .synced)
      }
      try graph.close()
      return measurement
    }
  }

  private func measure(
    _ name: String, _ follows: Follows, _ harness: inout Harness, floor: ((Int) -> Int)?
  ) throws -> Measurement {
    var next = 0
    return try harness.measure(
      name, questions: 1,
      engine: { _ in
        next += 1
        return Int(try follows.graph.apply(follows.change(next)).sequence)
      }, floor: floor)
  }

  /// Snapshots would be written meanwhile.
  private static func options(_ durability: Durability) -> Options {
    Options(
      durability: durability, snapshotAfterChangeCount: nil, snapshotAfterByteCount: nil, snapshotAfterSeconds: nil)
  }

  // MARK: - Many at once

  private func writers() throws -> Rate {
    let count = settings.samples / 2
    return try rate("changes of 64 writers, synced", changes: count * Self.writerCount) { follows in
      JournalFloor.onThreads(Self.writerCount) { writer in
        for change in 0..<count {
          do {
            try follows.graph.apply(follows.change(1 + writer * count + change))
          } catch {
            preconditionFailure("a change fails: \(error)")
          }
        }
      }
    } floor: { floor in
      for _ in 0..<count { _ = floor.write(Self.frameByteCount(Self.writerCount), syncing: true) }
    }
  }

  private func batches() throws -> Rate {
    let count = max(settings.samples / 20, 10)
    return try rate("changes in batches of 1,000, synced", changes: count * Self.batchCount) { follows in
      for batch in 0..<count { try follows.batch(1 + batch * Self.batchCount, Self.batchCount) }
    } floor: { floor in
      for _ in 0..<count { _ = floor.write(Self.frameByteCount(Self.batchCount), syncing: true) }
    }
  }

  /// Whole sectors; a frame has 56 bytes besides its changes.
  private static func frameByteCount(_ changeCount: Int) -> Int {
    (changeCount * changeByteCount + 56 + sectorByteCount - 1) / sectorByteCount * sectorByteCount
  }

  /// Both are done in turn, each time with a store of its own.
  private func rate(
    _ name: String, changes: Int, _ body: (Follows) throws -> Void, floor: (JournalFloor) -> Void
  ) throws -> Rate {
    var engine: [Double] = []
    var floors: [Double] = []
    for _ in 0..<settings.runs {
      try JournalFloor.withDirectory(in: settings.directory) { directory in
        let bare = try JournalFloor(in: settings.directory, byteCount: 16 << 20)
        let graph = try SocialGraph.open(directory, options: Self.options(.synced))
        let follows = try Follows(in: graph, users: 10_000)
        engine.append(try Self.seconds { try body(follows) })
        floors.append(Self.seconds { floor(bare) })
        try graph.close()
      }
    }
    return Rate(name: name, count: changes, engineSeconds: engine, floorSeconds: floors)
  }

  // MARK: - Coming back

  /// Opens a store whose changes all stand in its journal, follows all over the graph; its floor makes the same follows
  /// in memory, by batches.
  private func replay() throws -> Rate {
    let batches = settings.samples / 2
    let (changes, users) = (batches * Self.batchCount, 100_000)
    return try JournalFloor.withDirectory(in: settings.directory) { directory in
      let graph = try SocialGraph.open(directory, options: Self.options(.flushed))
      let follows = try Follows(in: graph, users: users)
      for batch in 0..<batches { try follows.batch(1 + batch * Self.batchCount, Self.batchCount) }
      try graph.close()
      var engine: [Double] = []
      var floors: [Double] = []
      for _ in 0..<settings.runs {
        engine.append(try Self.seconds { _ = try SocialGraph.open(directory, access: .readOnly) })
        let memory = try Follows(in: SocialGraph(), users: users)
        floors.append(
          try Self.seconds {
            for batch in 0..<batches { try memory.batch(1 + batch * Self.batchCount, Self.batchCount) }
          })
      }
      return Rate(
        name: "changes replayed at opening", count: changes + users, engineSeconds: engine,
        floorSeconds: floors)
    }
  }

  private static func seconds<E: Error>(_ body: () throws(E) -> Void) throws(E) -> Double {
    let clock = ContinuousClock()
    let began = clock.now
    try body()
    return (clock.now - began) / .seconds(1)
  }

  /// Users who are there, and follows that are not yet.
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

    /// Another pair for every number from 1 on, here and there: each round has every source once, and one distance to
    /// the targets.
    func change(_ number: Int) -> Change {
      let (round, place) = number.quotientAndRemainder(dividingBy: users)
      let source = place * 7_919 % users
      let target = (source + 1 + round * 31_337 % (users - 1)) % users
      return .follow(UserID(Int64(source + 1)), UserID(Int64(target + 1)), at: Timestamp(1_700_000_000_000))
    }

    func batch(_ first: Int, _ count: Int) throws(KithError) {
      try graph.batch { (batch) throws(KithError) in
        for number in first..<first + count { try batch.apply(change(number)) }
      }
    }
  }
}
