import Foundation
import Testing

@testable import Kith

/// The journal and the `ACK` that this format's first release wrote, of a store that was closed: they must be read for
/// ever, and no damage of them may pass.
///
/// They were written by `KITH_WRITE_GOLDEN_JOURNAL=Snapshots swift test --filter GoldenJournalTests`, and are never
/// written again: a later format gets files of its own.
@Suite struct GoldenJournalTests {
  private typealias Fixture = JournalFixture
  private static let journalName = "golden-1.0.journal"
  private static let boundName = "golden-1.0.ack"
  private static let boundPath = Fixture.directory + "/" + StoreNames.acknowledgements

  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Snapshots")

  /// Every kind of change; frames of one sector and of several; one whose writer had not synced the one before.
  private static let frames: [(changes: [Change], isSynced: Bool)] = [
    ([.addUser(id: 1, username: "ann"), .addUser(id: 7, username: "bøb 🙂"), .addUser(id: 300, username: "日本")], true),
    ([.follow(1, 300, at: 1_700_000_000_000)], true),
    (
      [
        .addPost(id: 5, author: 1, text: String(repeating: "snow ", count: 200), createdAt: 1_700_000_000_001),
        .addPost(id: 6, author: 7, text: "", createdAt: 0), .like(7, 5, at: 1_700_000_000_002),
      ], true
    ),
    ([.follow(7, 300, at: 1_700_000_000_003)], false),
    ([.follow(300, 7, at: 1_700_000_000_004), .renameUser(7, username: "e\u{301}mile")], false),
    ([.mute(1, 7), .block(300, 1), .unfollow(7, 300), .unlike(7, 5)], true),
    ([.unmute(1, 7), .unblock(300, 1), .removePost(6), .removeUser(300)], true),
  ]

  /// The store as it is made today.
  private static func fixture() throws -> Fixture {
    let fixture = try Fixture()
    for (changes, isSynced) in frames {
      let before = fixture.state.sequence
      try fixture.commit(changes, syncing: isSynced)
      #expect(fixture.state.sequence == before + UInt64(changes.count), "each of them changes something")
    }
    try fixture.close()
    return fixture
  }

  private static func golden(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  /// The files on a disk of their own.
  private static func disk(_ fixture: Fixture) throws -> MemoryDisk {
    let disk = MemoryDisk(copying: fixture.disk)
    disk[Fixture.path()] = try golden(journalName)
    disk[boundPath] = try golden(boundName)
    return disk
  }

  @Test(
    "The golden files can be written",
    .enabled(if: ProcessInfo.processInfo.environment["KITH_WRITE_GOLDEN_JOURNAL"] != nil, "only when asked for"))
  func write() throws {
    let target = URL(fileURLWithPath: ProcessInfo.processInfo.environment["KITH_WRITE_GOLDEN_JOURNAL"] ?? "")
    let disk = try Self.fixture().disk
    for (path, name) in [(Fixture.path(), Self.journalName), (Self.boundPath, Self.boundName)] {
      try Data(try #require(disk[path])).write(to: target.appendingPathComponent(name), options: .withoutOverwriting)
    }
  }

  @Test("They lead to the state that they were written from")
  func recovering() throws {
    let fixture = try Self.fixture()
    let disk = try Self.disk(fixture)
    #expect(try fixture.outcome(disk, "undamaged") == .exact)
    let report = try Fixture.recover(disk).report
    #expect(report.sequence == 18 && report.acknowledged == 18)
    #expect(report.journals.map(\.frameCount) == [7] && report.journals.map(\.end) == [.clean])
  }

  @Test("They say what they said, and the writer of today writes the same bytes")
  func literals() throws {
    let fixture = try Self.fixture()
    let disk = try Self.disk(fixture)
    #expect(disk[Fixture.path()] == fixture.disk[Fixture.path()])
    #expect(disk[Self.boundPath] == fixture.disk[Self.boundPath])
    var reader = try JournalReader(path: Fixture.path(), disk: disk, syncing: false)
    #expect(reader.header.storeID == (0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210))
    #expect(reader.header.generation == 1 && reader.header.firstSequence == 1 && reader.header.chainHash == 0)
    #expect(reader.header.formatVersion == FormatVersion(major: 1, minor: 0))
    var frames: [[UInt64]] = []
    var changes: [Change] = []
    while let frame = try reader.next() {
      frames.append([frame.firstSequence, UInt64(frame.count), frame.syncedThrough, UInt64(frame.byteCount)])
      try frame.forEachChange { (change, _) throws(KithError) in changes.append(change) }
    }
    #expect(
      frames == [
        [1, 3, 0, 512], [4, 1, 3, 512], [5, 3, 4, 1536], [8, 1, 7, 512], [9, 2, 7, 512], [11, 4, 7, 512],
        [15, 4, 14, 512],
      ])
    #expect(changes == Self.frames.flatMap(\.changes))
    #expect(String(reader.chainHash, radix: 16) == "7b5761e603ea7d18")
  }

  @Test("Every damaged byte and every truncation of the journal is refused", arguments: 0..<8)
  func journal(bit: Int) throws {
    let fixture = try Self.fixture()
    let disk = try Self.disk(fixture)
    let sound = try Self.golden(Self.journalName)
    let content = sound.count - JournalFormat.sectorByteCount
    for byte in stride(from: bit % Self.step, to: sound.count, by: Self.step) {
      for mask in DamageMasks.highest(bit) {
        disk[Fixture.path()] = sound.flipped(mask, at: byte)
        let outcome = try fixture.outcome(disk, "\(mask) in byte \(byte)")
        #expect(outcome == (byte < content ? .refused : .exact), "\(mask) in byte \(byte)")
      }
    }
    for count in stride(from: bit, to: sound.count, by: 8 * Self.step) {
      disk[Fixture.path()] = Array(sound.prefix(count))
      #expect(try fixture.outcome(disk, "") == (count < content ? .refused : .exact), "cut to \(count) bytes")
    }
  }

  @Test("Where ACK lags, damage to the journal is refused or a torn tail above what it says", arguments: 0..<8)
  func laggingBound(bit: Int) throws {
    let fixture = try Self.fixture()
    let disk = try Self.disk(fixture)
    let behind = try Fixture()
    behind.acknowledgements.record(sequence: 10, generation: 1)
    disk[Self.boundPath] = behind.disk[Self.boundPath]
    let sound = try Self.golden(Self.journalName)
    // The last two frames: the one before was not synced when the last but one was written.
    let tail = sound.count - 2 * JournalFormat.sectorByteCount
    for byte in stride(from: bit % Self.step, to: sound.count, by: Self.step) {
      for mask in DamageMasks.highest(bit) {
        disk[Fixture.path()] = sound.flipped(mask, at: byte)
        let outcome = try fixture.outcome(disk, "\(mask) in byte \(byte)")
        let isTail = (tail..<tail + JournalFormat.sectorByteCount).contains(byte)
        #expect(outcome == (byte < tail ? .refused : isTail ? .torn(14) : .exact), "\(mask) in byte \(byte)")
      }
    }
    for count in stride(from: bit, to: sound.count, by: 8 * Self.step) {
      disk[Fixture.path()] = Array(sound.prefix(count))
      // Checks what the format promises of any outcome.
      _ = try fixture.outcome(disk, "cut to \(count) bytes")
    }
  }

  @Test("Every damaged byte of ACK, and every truncation that leaves a slot, is harmless; a shorter one is refused")
  func bound() throws {
    let fixture = try Self.fixture()
    let disk = try Self.disk(fixture)
    let sound = try Self.golden(Self.boundName)
    for byte in stride(from: 0, to: sound.count, by: Self.step) {
      for mask in (0..<8).flatMap(DamageMasks.highest) {
        disk[Self.boundPath] = sound.flipped(mask, at: byte)
        #expect(try fixture.outcome(disk, "") == .exact, "\(mask) in byte \(byte)")
      }
    }
    for count in sound.indices {
      disk[Self.boundPath] = Array(sound.prefix(count))
      #expect(try fixture.outcome(disk, "") == (count < 512 ? .refused : .exact), "cut to \(count) bytes")
    }
  }

  /// Of how many bytes one is damaged: all of them in an optimised build, which has the time.
  private static let step = CrashEnvironment.number("KITH_DAMAGE_STEP") ?? (CrashEnvironment.isOptimized ? 1 : 13)
}

/// What is done to a byte: one bit flipped, or with `KITH_ALL_VALUES=1`, for the night, all 255 other values.
enum DamageMasks {
  private static let takesAll = ProcessInfo.processInfo.environment["KITH_ALL_VALUES"] == "1"

  /// Masks to combine with a byte by exclusive or, whose highest bit is this one.
  static func highest(_ bit: Int) -> ClosedRange<UInt8> {
    let low: UInt8 = 1 << UInt8(bit)
    return low...(takesAll ? low | (low - 1) : low)
  }
}

extension [UInt8] {
  /// The same bytes but one.
  func flipped(_ mask: UInt8, at index: Int) -> [UInt8] {
    var bytes = self
    bytes[index] ^= mask
    return bytes
  }
}
