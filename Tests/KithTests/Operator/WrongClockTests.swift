import Testing

@testable import Kith

/// Point-in-time recovery where the clock of the writing machine went ahead and back.
@Suite struct WrongClockTests {
  private static let noon: Int64 = 1_767_268_800_000  // 2026-01-01 12:00 UTC
  private static let ahead: Int64 = 1_924_992_000_000  // 2031-01-01 00:00 UTC

  private let fixture: JournalFixture
  private let directory: StoreDirectory<MemoryDisk>

  init() throws {
    fixture = try JournalFixture()
    directory = StoreDirectory(MemoryDisk.directory, disk: fixture.disk)
  }

  private func add(at time: Int64, _ count: Int = 1) throws {
    fixture.clock = Timestamp(time)
    let next = Int64(fixture.state.sequence) + 1
    try fixture.commit((0..<Int64(count)).map { .addUser(id: UserID(next + $0), username: "user \(next + $0)") })
  }

  private func restored(_ time: Int64, now: Int64 = .max) throws(KithError) -> RecoveryReport {
    try Recovery.forReading(directory, to: .time(Timestamp(time)), now: Timestamp(now)).report
  }

  @Test("A restore to a time holds the longest history whose last write is not later, wherever snapshots are")
  func longestHistory() throws {
    for seed in 1...40 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      let run = try WrongClockTests()
      var writes: [(last: UInt64, time: Int64)] = []
      for _ in 0..<12 {
        let time = random.below(4) == 0 ? Self.ahead + Int64(random.below(9)) : Self.noon + Int64(random.below(60))
        try run.add(at: time, 1 + random.below(3))
        writes.append((run.fixture.state.sequence, time))
        // Of any time: a journal leads to each of them.
        let written = random.below(2) == 0 ? Self.ahead : Self.noon + Int64(random.below(60))
        if random.below(3) == 0 { try run.fixture.snapshot(at: Timestamp(written)) }
      }
      try run.fixture.close()
      let goesBack = zip(writes, writes.dropFirst()).contains { $0.0.time > $0.1.time }
      for time in writes.map(\.time) + [Self.noon - 1, Self.noon + 61, Self.ahead - 1, Self.ahead + 10] {
        guard let expected = writes.last(where: { $0.time <= time }) else {
          #expect(throws: RecoveryTarget.time(Timestamp(time)).unreachable(in: directory.path)) {
            try run.restored(time)
          }
          continue
        }
        let report = try run.restored(time)
        #expect(report.sequence == expected.last, "seed \(seed), \(time)")
        #expect(report.remarks.contains { $0.contains("the clock went back") } == goesBack, "seed \(seed), \(time)")
        let isLater = expected.last == writes.last?.last && time > expected.time
        let name = "the newest change, \(expected.last), of \(Timestamp(expected.time).exactText)"
        #expect(report.remarks.contains { $0.contains(name) } == isLater, "seed \(seed), \(time)")
      }
      let steps = try StoreListing(run.directory).clockSteps
      let expected = zip(writes, writes.dropFirst()).filter { $0.0.time > $0.1.time }.map { $0.0.last + 1 }
      #expect(steps.steps.map(\.sequence) == expected && steps.count == expected.count, "seed \(seed)")
    }
  }

  @Test("Two snapshots of a wrong time leave every real time after them reachable")
  func snapshotsAhead() throws {
    try add(at: Self.noon)
    for _ in 0..<2 {
      try add(at: Self.ahead)
      try fixture.snapshot(at: Timestamp(Self.ahead))
    }
    let lock = try StoreLock(directory: directory.path, disk: fixture.disk)
    for generation in try #require(try directory.contents()).journals.dropLast() {
      fixture.disk[JournalFixture.path(journal: generation)] = nil
    }
    try add(at: Self.noon + 5)
    try fixture.close()
    #expect(try restored(Self.noon + 5).sequence == 4 && restored(Self.noon + 99).sequence == 4)
    #expect(throws: KithError.self) { try restored(Self.noon + 4) }
    withExtendedLifetime(lock) {}
  }

  @Test("A time later than now is refused, and now is not")
  func future() throws {
    try add(at: Self.noon)
    try fixture.close()
    let now = Self.noon + 7
    #expect(try restored(now, now: now).sequence == 1)
    #expect(throws: KithError.invalidRequest(.futureTime(Timestamp(now + 1), now: Timestamp(now)))) {
      try restored(now + 1, now: now)
    }
  }

  @Test("Damage that may hide writes until a time is an error; behind a later write it is a remark")
  func damage() throws {
    try add(at: Self.noon)
    try fixture.snapshot(at: Timestamp(Self.noon))
    try add(at: Self.noon + 1)
    try add(at: Self.noon + 9)
    for time in 10...12 { try add(at: Self.noon + Int64(time)) }
    try fixture.close()
    let path = JournalFixture.path(journal: try #require(try directory.contents()).journals.max() ?? 0)
    // The header and two writes are whole.
    fixture.disk[path]?[JournalFormat.headerByteCount + 2 * JournalFormat.sectorByteCount + 100] ^= 1
    let report = try restored(Self.noon + 3)
    #expect(report.sequence == 2 && report.remarks.contains { $0.contains("may hide") }, "\(report.remarks)")
    #expect(throws: KithError.self) { try restored(Self.noon + 10) }
  }

  @Test("The text of any time is a date")
  func texts() {
    #expect(Timestamp(Self.noon + 7).exactText == "2026-01-01 12:00:00.007 UTC")
    #expect(Timestamp(-1).exactText == "1969-12-31 23:59:59.999 UTC")
    #expect(Timestamp(Int64.max).exactText == "292278994-08-17 07:12:55.807 UTC")
    #expect(Timestamp(Int64.min).exactText.hasSuffix("16:47:04.192 UTC"))
  }
}
