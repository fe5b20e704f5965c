import Testing

@testable import Kith

/// Which of six snapshots, an hour apart, are kept, with the journals since.
@Suite struct RetentionTests {
  private static let hour: Int64 = 3_600

  /// The retention, and the oldest snapshot that is kept.
  private static let cases: [(retention: SocialGraph.Retention, oldest: Int64)] = [
    (SocialGraph.Retention(), 5), (SocialGraph.Retention(snapshotCount: 0), 5),
    (SocialGraph.Retention(snapshotCount: 4), 3),
    (SocialGraph.Retention(snapshotCount: 60), 1),
    // Of the last hour, and of two and a half: the snapshot before that begins it.
    (SocialGraph.Retention(duration: .seconds(3_600)), 5), (SocialGraph.Retention(duration: .seconds(9_000)), 3),
    (SocialGraph.Retention(duration: .seconds(90_000)), 1),
    (SocialGraph.Retention(duration: .seconds(Int64.max)), 1), (SocialGraph.Retention(duration: .seconds(-1)), 5),
    (SocialGraph.Retention(snapshotCount: 4, duration: .seconds(3_600)), 3),
    (SocialGraph.Retention(snapshotCount: 3, duration: .seconds(9_000)), 3),
    (SocialGraph.Retention(snapshotCount: 6, byteCount: 1), 5),
    (SocialGraph.Retention(duration: .seconds(90_000), byteCount: 0), 5),
    (SocialGraph.Retention(snapshotCount: 4, byteCount: 1 << 40), 3),
  ]

  @Test("Count and age keep snapshots, bytes limit them, and two always remain", arguments: cases)
  func countAgeAndBytes(_ retention: SocialGraph.Retention, _ oldest: Int64) throws {
    let fixture = try JournalFixture()
    for hour in 1...6 as ClosedRange<Int64> {
      try fixture.commit([.addUser(id: UserID(hour), username: "user \(hour)")])
      try fixture.snapshot(at: Timestamp(hour * Self.hour * 1_000))
    }
    try fixture.close()
    let store = StoreDirectory(MemoryDisk.directory, disk: fixture.disk)
    let lock = try StoreLock(directory: store.path, disk: fixture.disk)
    let removed = try store.prune(keeping: retention, now: Timestamp(6 * Self.hour * 1_000), holding: lock)
    let contents = try #require(try store.contents())
    #expect(contents.snapshots.map { Int64($0.sequence) } == Array(oldest...6))
    #expect(removed.map { Int64($0.sequence) } == Array((1..<oldest).reversed()))
    // The journal of change n has generation n.
    #expect(contents.journals.map { Int64($0) } == (removed.isEmpty ? Array(1...6) : Array(oldest + 1...6)))
    #expect(try fixture.recover().state.sequence == 6)
  }

  /// The hours at which six snapshots were written by a clock that was wrong once, and what six hours keep.
  private static let wrongClocks: [(hours: [Int64], now: Int64, oldest: Int64)] = [
    // Ahead for one of them, for the two newest, or for now alone.
    ([1, 2, 3, 90_000, 5, 6], 7, 1), ([1, 2, 3, 4, 90_000, 90_001], 90_001, 1), ([1, 2, 3, 4, 5, 6], 90_000, 1),
    // Behind for one of them, or for now.
    ([1_001, 1_002, 1_003, 1, 1_005, 1_006], 1_006, 1), ([1_001, 1_002, 1_003, 1_004, 1_005, 1_006], 0, 1),
    // Right: six hours begin with the first; then hours later, and days later.
    ([1, 2, 3, 4, 5, 6], 7, 1), ([1, 2, 3, 4, 5, 6], 8, 2), ([1, 25, 49, 73, 97, 121], 121, 4),
    // A clock that is far off at either end of what it can tell.
    ([Int64.max / 3_600_000, 2, 3, 4, 5, 6], 6, 1), ([1, 2, 3, 4, 5, Int64.max / 3_600_000], 6, 1),
  ]

  @Test("One wrong clock does not make snapshots look old", arguments: wrongClocks)
  func wrongClock(_ hours: [Int64], now: Int64, oldest: Int64) throws {
    let fixture = try JournalFixture()
    for (index, hour) in hours.enumerated() {
      try fixture.commit([.addUser(id: UserID(Int64(index + 1)), username: "user \(index)")])
      try fixture.snapshot(at: Timestamp(hour * Self.hour * 1_000))
    }
    try fixture.close()
    let store = StoreDirectory(MemoryDisk.directory, disk: fixture.disk)
    let lock = try StoreLock(directory: store.path, disk: fixture.disk)
    let retention = SocialGraph.Retention(duration: .seconds(6) * Int(Self.hour))
    _ = try store.prune(keeping: retention, now: Timestamp(now * Self.hour * 1_000), holding: lock)
    #expect(try store.contents()?.snapshots.map { Int64($0.sequence) } == Array(oldest...6))
  }

  @Test("A byte limit also removes journals before the older of two snapshots")
  func journals() throws {
    for (byteCount, journals) in [(Int64(1), [UInt64(3)]), (1 << 40, [1, 2, 3])] {
      let fixture = try JournalFixture()
      for id: Int64 in 1...3 {
        try fixture.commit([.addUser(id: UserID(id), username: "user \(id)")])
        if id < 3 { try fixture.snapshot() }
      }
      try fixture.close()
      let store = StoreDirectory(MemoryDisk.directory, disk: fixture.disk)
      let lock = try StoreLock(directory: store.path, disk: fixture.disk)
      try store.prune(keeping: SocialGraph.Retention(snapshotCount: 9, byteCount: byteCount), now: 0, holding: lock)
      #expect(try store.contents()?.journals == (byteCount == 1 ? [2] + journals : journals))
      #expect(try fixture.recover().state.sequence == 3)
    }
  }
}
