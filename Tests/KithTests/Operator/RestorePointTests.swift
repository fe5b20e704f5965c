import Testing

@testable import Kith

/// Point-in-time recovery: to any change, to any time, and of some components alone.
///
/// `KITH_RESTORES` sets to how many changes: a thousand in an optimized build.
@Suite struct RestorePointTests {
  private static let restoreCount =
    CrashEnvironment.number("KITH_RESTORES") ?? (CrashEnvironment.isOptimized ? 1_000 : 60)
  private let history: StoreHistory
  private let directory: StoreDirectory<MemoryDisk>

  init() throws {
    history = try StoreHistory(seed: 11, frameCount: 500, snapshotOdds: 60)
    directory = StoreDirectory(MemoryDisk.directory, disk: history.fixture.disk)
  }

  private func restored(_ point: RecoveryTarget) throws(KithError) -> SocialGraph.Pin {
    var recovered = try Recovery.forReading(directory, to: point, now: Timestamp(Int64.max))
    return SocialGraph.Pin(GraphView(recovered.state.pin()))
  }

  @Test("A restore to any change is the model after it, or before the write that contains it")
  func restoreToAnyChange() throws {
    var random = SeededRandom(seed: 1)
    #expect(history.snapshots.count > 3)
    let first = history.frames[0].changes.upperBound
    let drawn = (0..<Self.restoreCount).map { _ in first + UInt64(random.below(Int(history.last - first))) }
    let ends = history.frames.map(\.changes.upperBound)
    var exactCount = 0
    for sequence in drawn + [first, history.last] + history.snapshots + history.snapshots.map({ $0 - 1 }) {
      let pin = try restored(.sequence(sequence))
      #expect(pin.view.sequence == ends.last { $0 <= sequence })
      if pin.view.sequence == sequence { exactCount += 1 }
      #expect(pin.view.difference(from: history.models[Int(pin.view.sequence)]) == nil, "change \(sequence)")
    }
    #expect(exactCount > Self.restoreCount / 4)
  }

  @Test("A restore of a graph with a schema, to the end of any write, is the model after it", arguments: 1...4)
  func restoreOfSchema(seed: UInt64) throws {
    let history = try StoreHistory(seed: 50 + seed, frameCount: 60, snapshotOdds: 15, hasSchema: true)
    let directory = StoreDirectory(MemoryDisk.directory, disk: history.fixture.disk)
    for frame in history.frames {
      let sequence = frame.changes.upperBound
      var recovered = try Recovery.forReading(directory, to: .sequence(sequence), now: Timestamp(Int64.max))
      let pin = SocialGraph.Pin(GraphView(recovered.state.pin()))
      #expect(pin.view.sequence == sequence)
      #expect(pin.view.difference(from: history.models[Int(sequence)]) == nil, "seed \(seed), change \(sequence)")
    }
  }

  @Test("A restore to a time is the model after the last write until then")
  func restoreToATime() throws {
    for frame in stride(from: 0, to: history.frames.count - 1, by: CrashEnvironment.isOptimized ? 1 : 9) {
      let (this, next) = (history.frames[frame], history.frames[frame + 1])
      for time in [this.writtenAt, Timestamp(next.writtenAt.rawValue - 1)] {
        let pin = try restored(.time(time))
        #expect(pin.view.sequence == this.changes.upperBound, "\(time)")
        #expect(pin.view.difference(from: history.models[Int(this.changes.upperBound)]) == nil, "\(time)")
      }
    }
    #expect(try restored(.time(Timestamp(Int64.max))).view.sequence == history.last)
  }

  @Test("A target that no files lead to is refused with the reason")
  func unreachableTarget() throws {
    let first = history.frames[0].writtenAt.rawValue
    for point in [.sequence(history.last + 1), .sequence(.max), .time(Timestamp(first - 1)), .time(0)]
      as [RecoveryTarget]
    {
      #expect(throws: point.unreachable(in: MemoryDisk.directory)) { try restored(point) }
    }
    // Without its first journal, the store begins with its oldest snapshot.
    history.fixture.disk[JournalFixture.path()] = nil
    let oldest = try #require(history.snapshots.first)
    for sequence in [1, oldest - 5] {
      let point = RecoveryTarget.sequence(sequence)
      #expect(throws: point.unreachable(in: MemoryDisk.directory)) { try restored(point) }
    }
    #expect(try restored(.sequence(oldest)).view.sequence == oldest)
    #expect(throws: KithError.self) { try restored(.time(history.frames[1].writtenAt)) }
  }

  @Test("Damage after the target is ignored; damage before it is compensated by an older snapshot")
  func damageAndTarget() throws {
    let disk = history.fixture.disk
    let names = try #require(try directory.contents()).snapshots
    let middle = names[names.count / 2]
    disk[directory.path(of: middle)] = []
    for sequence in [middle.sequence - 1, middle.sequence, middle.sequence + 7] {
      let pin = try restored(.sequence(sequence))
      #expect(pin.view.difference(from: history.models[Int(pin.view.sequence)]) == nil)
    }
    // The newest journal's first frame.
    let path = JournalFixture.path(journal: names[names.count - 1].generation)
    disk[path]?[5_000] ^= 1
    let last = names[names.count - 1].sequence
    #expect(try restored(.sequence(last)).view.difference(from: history.models[Int(last)]) == nil)
    #expect(throws: KithError.self) { try restored(.sequence(history.last)) }
    #expect(throws: KithError.self, "what is damaged may have been before then") {
      try restored(.time(Timestamp(Int64.max)))
    }
  }

  @Test("Any components of any state are a valid graph with what they need")
  func components() throws {
    for bits in 0..<1 << GraphComponent.allCases.count {
      let parts = Set(GraphComponent.allCases.enumerated().filter { bits >> $0.offset & 1 == 1 }.map(\.element))
      let frame = history.frames[bits * 7 % history.frames.count]
      let sequence = frame.changes.upperBound
      var recovered = try Recovery.forReading(directory, to: .sequence(sequence))
      recovered.state.keep(parts)
      var model = history.models[Int(sequence)]
      model.keep(parts)
      let pin = SocialGraph.Pin(GraphView(recovered.state.pin()))
      #expect(pin.view.difference(from: model) == nil, "\(parts) of change \(sequence)")
    }
  }
}

extension ReferenceModel {
  /// Leaves out what is neither of these components nor needed by them.
  mutating func keep(_ parts: Set<GraphComponent>) {
    if !parts.contains(.follows) { follows = [:] }
    if !parts.contains(.likes) { likes = [:] }
    if !parts.contains(.posts) && !parts.contains(.likes) { posts = [:] }
    if !parts.contains(.blocks) { blocks = [:] }
    if !parts.contains(.mutes) { mutes = [:] }
  }
}
