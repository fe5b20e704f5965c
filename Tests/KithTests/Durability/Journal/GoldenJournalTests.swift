import Foundation
import Testing

@testable import Kith

/// The journal and the `ACK` that the first release of this format wrote, of a store that was closed. They must stay
/// readable, and no damage of them may go unnoticed.
///
/// They were written by `KITH_WRITE_GOLDEN_JOURNAL=Snapshots swift test --filter GoldenJournalTests`, and are never
/// written again: a later format gets files of its own.
@Suite struct GoldenJournalTests {
  private typealias Fixture = JournalFixture
  private static let journalName = "golden-1.0.journal"
  private static let boundName = "golden-1.0.ack"
  private static let boundPath = Fixture.directory + "/" + StoreNames.watermark

  private static let folder = Repository.root.appendingPathComponent("Snapshots")

  /// Every kind of change; frames of one sector and of several; one written while the one before was not synced.
  private static let frames: [(changes: [Change], isSynced: Bool)] = [
    ([.addUser(id: 1, username: "ann"), .addUser(id: 7, username: "bøb 🙂"), .addUser(id: 300, username: "日本")], true),
    ([.follow(as: 1, target: 300, at: 1_700_000_000_000)], true),
    (
      [
        .addPost(id: 5, by: 1, text: String(repeating: "snow ", count: 200), createdAt: 1_700_000_000_001),
        .addPost(id: 6, by: 7, text: "", createdAt: 0), .like(as: 7, post: 5, at: 1_700_000_000_002),
      ], true
    ),
    ([.follow(as: 7, target: 300, at: 1_700_000_000_003)], false),
    ([.follow(as: 300, target: 7, at: 1_700_000_000_004), .renameUser(7, to: "e\u{301}mile")], false),
    (
      [.mute(as: 1, target: 7), .block(as: 300, target: 1), .unfollow(as: 7, target: 300), .unlike(as: 7, post: 5)],
      true
    ),
    ([.unmute(as: 1, target: 7), .unblock(as: 300, target: 1), .removePost(6), .removeUser(300)], true),
  ]

  /// The store as today's code writes it.
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

  /// A disk with these files alone.
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

  @Test("Recovery of the golden files gives the state that they were written from")
  func recovering() throws {
    let fixture = try Self.fixture()
    let disk = try Self.disk(fixture)
    #expect(try fixture.outcome(disk, "undamaged") == .exact)
    let report = try Fixture.recover(disk).report
    #expect(report.sequence == 18 && report.acknowledged == 18)
    #expect(report.journals.map(\.frameCount) == [7] && report.journals.map(\.end) == [.clean])
  }

  @Test("The golden files have their known content, and today's writer writes the same bytes")
  func literals() throws {
    let fixture = try Self.fixture()
    let disk = try Self.disk(fixture)
    #expect(disk[Fixture.path()] == fixture.disk[Fixture.path()])
    #expect(disk[Self.boundPath] == fixture.disk[Self.boundPath])
    var reader = try JournalReader(path: Fixture.path(), disk: disk, syncing: false)
    #expect(reader.header.storeID == StoreID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210))
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

  @Test("Where ACK is behind, damage is refused or dropped as a torn tail above the watermark", arguments: 0..<8)
  func laggingBound(bit: Int) throws {
    let fixture = try Self.fixture()
    let disk = try Self.disk(fixture)
    let behind = try Fixture()
    behind.watermark.record(sequence: 10, generation: 1)
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
      // Checks what the format promises of every outcome.
      _ = try fixture.outcome(disk, "cut to \(count) bytes")
    }
  }

  @Test("A damaged byte of ACK or a truncation that leaves a slot is harmless or refused; a shorter one is refused")
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

  /// One byte in this many is damaged: every byte in an optimised build.
  private static let step = CrashEnvironment.number("KITH_DAMAGE_STEP") ?? (CrashEnvironment.isOptimized ? 1 : 13)
}

/// The damage to a byte: one bit flipped, or with `KITH_ALL_VALUES=1`, in a long run, all 255 other values.
enum DamageMasks {
  private static let takesAll = ProcessInfo.processInfo.environment["KITH_ALL_VALUES"] == "1"

  /// Masks to combine with a byte by exclusive or, with this highest bit.
  static func highest(_ bit: Int) -> ClosedRange<UInt8> {
    let low: UInt8 = 1 << UInt8(bit)
    return low...(takesAll ? low | (low - 1) : low)
  }
}

extension [UInt8] {
  /// The same bytes with one changed.
  func flipped(_ mask: UInt8, at index: Int) -> [UInt8] {
    var bytes = self
    bytes[index] ^= mask
    return bytes
  }
}
