import Testing

@testable import Kith

@Suite struct JournalTests: JournalSuite {
  private let path = JournalFixture.path()

  // MARK: - Frames

  @Test("A frame can be emptied and reused")
  func reusedFrame() {
    var forming = frame(5, .mute(as: 1, target: 2))
    #expect(forming.nextSequence == 6)
    forming.reset(firstSequence: 6)
    #expect(forming.isEmpty && forming.byteCount == 0 && forming.nextSequence == 6)
  }

  @Test("Frames fill whole sectors")
  func wholeSectors() {
    for length in [0, 440, 453, 454, 455, 456, 457, 458, 500, 1000, 65_535] {
      let sealed = frame(1, .addPost(id: 1, by: 1, text: String(repeating: "x", count: length), createdAt: 1))
        .sealed(journalID: 9, writtenAt: 0, syncedThrough: 0)
      #expect(sealed.count % 512 == 0)
      #expect(sealed.count - length < 512 + 48 + 8 + 12)
    }
  }

  @Test("Written frames are read in order, and their hashes chain")
  func roundTrip() throws {
    let fixture = try JournalFixture()
    try fixture.commitThree()
    var reader = try reader(fixture.disk)
    #expect(reader.header.firstSequence == 1)
    #expect(reader.header.storeID == JournalFixture.storeID)
    #expect(try changes(&reader).map(\.count) == [2, 1, 4])
    #expect(reader.nextSequence == 8)
    #expect(reader.chainHash == fixture.journal.chainHash)
    #expect(reader.chainHash != 0)
    #expect(try reader.tailByteCount() == 0)
    try fixture.journal.close()
    let writtenByteCount = 4096 + 4 * 512
    #expect(fixture.disk[path]?.count == writtenByteCount, "closing truncates the preallocated bytes")
  }

  @Test("Long frames and many frames are read across the reader's window")
  func readerWindow() throws {
    let disk = MemoryDisk()
    var journal = writer(disk, growthLimit: 4 << 20)
    let text = String(repeating: "y", count: 65_535)
    var sequence: UInt64 = 1
    for count in [1, 40, 1, 1, 3, 90, 1] {
      var forming = JournalFrame(firstSequence: sequence)
      for index in 1...count { forming.append(.addPost(id: PostID(Int64(index)), by: 1, text: text, createdAt: 1)) }
      try journal.append(forming, at: 0)
      sequence += UInt64(count)
    }
    for _ in 0..<5_000 {
      try journal.append(frame(sequence, .mute(as: 1, target: 2)), at: 0)
      sequence += 1
    }
    var reader = try reader(disk)
    #expect(try changes(&reader).count == 5_007)
    #expect(reader.nextSequence == sequence)
    #expect(reader.chainHash == journal.chainHash)
    #expect(try reader.tailByteCount() == 0)
  }

  // MARK: - Writing

  @Test("A journal is created with its first frame; its header and name are durable before that")
  func creation() throws {
    let directory = try TemporaryDirectory()
    let disk = FailingDisk()
    var journal = JournalWriter(
      directory: directory.path, storeID: JournalFixture.storeID, generation: 3, firstSequence: 1, chainHash: 0,
      disk: disk)
    try journal.sync()
    try journal.close()
    #expect(disk.calls.isEmpty)
    try journal.append(frame(1, .mute(as: 1, target: 2)), at: 0)
    #expect(disk.calls == ["create", "write", "sync", "syncDirectory", "write", "write", "sync"])
    try journal.append(frame(2, .mute(as: 1, target: 2)), at: 0)
    #expect(disk.calls.suffix(2) == ["write", "sync"], "room was made before")
    #expect(disk.calls.count == 9)
    try journal.append(frame(3, .mute(as: 1, target: 2)), at: 0, syncing: false)
    #expect(journal.syncedThrough == 2)
    try journal.sync()
    try journal.sync()
    #expect(journal.syncedThrough == 3)
    #expect(disk.calls.suffix(2) == ["write", "sync"])
    try journal.rotate(to: 5)
    try journal.append(frame(4, .mute(as: 1, target: 2)), at: 0)
    #expect(try directory.names == [3, 5].map { StoreNames.journal(generation: $0) })
  }

  @Test("After any failure the writer writes nothing more")
  func afterAFailure() throws {
    for failingCall in 0..<9 {
      let directory = try TemporaryDirectory()
      let disk = FailingDisk(failingCall: failingCall)
      var journal = JournalWriter(
        directory: directory.path, storeID: JournalFixture.storeID, generation: 1, firstSequence: 1, chainHash: 0,
        disk: disk)
      var failures: [KithError] = []
      for sequence: UInt64 in 1...4 {
        do throws(KithError) {
          try journal.append(frame(sequence, .mute(as: 1, target: 2)), at: 0)
        } catch {
          if failures.isEmpty { #expect(sequence == (failingCall < 7 ? 1 : 2)) }
          failures.append(error)
        }
      }
      guard case .system(errno: 5, _, _) = failures.first else {
        Issue.record("\(failures)")
        continue
      }
      #expect(journal.failure == failures[0])
      #expect(failures.dropFirst().allSatisfy { $0.code == "indeterminate" })
      #expect(throws: KithError.self) { try journal.sync() }
      #expect(throws: KithError.self) { try journal.close() }
      // An incomplete journal is removed again: it holds nothing.
      let cleaned = (1...3).contains(failingCall) ? ["remove"] : []
      #expect(Array(disk.calls.dropFirst(failingCall + 1)) == cleaned)
      #expect(try directory.names.count == (failingCall < 4 ? 0 : 1))
    }
  }

  @Test("Reserved space doubles up to the limit")
  func reservedSpace() throws {
    let disk = MemoryDisk()
    var journal = writer(disk, growthLimit: 256 << 10)
    var sizes: Set<Int> = []
    for sequence: UInt64 in 1...3000 {
      try journal.append(frame(sequence, .mute(as: 1, target: 2)), at: 0)
      sizes.insert(try #require(disk[path]).count)
    }
    let sorted = sizes.sorted()
    let steps = zip(sorted.dropFirst(), sorted).map { $0 - $1 }
    #expect(sorted[0] == 4096 + 512 + 65_536)
    #expect(steps.max() == 256 << 10)
    #expect(steps == steps.sorted())
  }
}
