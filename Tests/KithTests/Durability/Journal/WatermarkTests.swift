import Testing

@testable import Kith

@Suite struct WatermarkTests {
  private let disk = MemoryDisk()
  private let path = JournalFixture.directory + "/ACK"
  private let first = DurableWatermark(storeID: JournalFixture.storeID, sequence: 5, generation: 2)

  private func open() throws -> WatermarkFile<MemoryDisk> {
    try WatermarkFile(directory: JournalFixture.directory, disk: disk, first)
  }

  private func bound(_ disk: MemoryDisk? = nil) throws -> UInt64? {
    try WatermarkFile.read(in: JournalFixture.directory, disk: disk ?? self.disk, syncing: true)?.sequence
  }

  @Test("The watermark is the last recorded number and never decreases")
  func neverDecreases() throws {
    #expect(try bound() == nil)
    var file = try open()
    #expect(try bound() == 5)
    for sequence: UInt64 in [6, 9, 7] { file.record(sequence: sequence, generation: 2) }
    #expect(try bound() == 9)
    file.record(sequence: 9, generation: 3)
    let read = try WatermarkFile.read(in: JournalFixture.directory, disk: disk, syncing: false)
    #expect(read == DurableWatermark(storeID: JournalFixture.storeID, sequence: 9, generation: 3))
    var again = try open()
    again.record(sequence: 8, generation: 1)
    #expect(try bound() == 9, "opening an existing file takes nothing back")
    #expect(disk.paths == [path], "the temporary file has got its name")
    #expect(disk[path]?.count == 1024)
  }

  @Test("One slot is written between two syncs, so that a crash leaves the other")
  func oneSlotAtATime() throws {
    var file = try open()
    var stable = 0
    for round: UInt64 in 0..<4 {
      let before = try #require(disk[path])
      for step: UInt64 in 1...3 {
        file.record(sequence: 10 + 10 * round + step, generation: 2)
        let now = try #require(disk[path])
        #expect(slot(stable, now) == slot(stable, before))
        #expect(slot(1 - stable, now) != slot(1 - stable, before))
      }
      file.sync()
      stable = 1 - stable
      file.sync()  // no new number: the other slot is not written
    }
    #expect(file.failure == nil)
  }

  @Test("After reopening, the greater slot is not overwritten")
  func afterReopening() throws {
    var file = try open()
    file.record(sequence: 6, generation: 2)
    var again = try open()
    let before = try #require(disk[path])
    again.record(sequence: 7, generation: 2)
    #expect(slot(1, try #require(disk[path])) == slot(1, before))
    #expect(try bound() == 7)
  }

  @Test("A number that recovery found above the watermark is recorded at opening")
  func recordedAtOpening() throws {
    _ = try open()
    let found = DurableWatermark(storeID: JournalFixture.storeID, sequence: 8, generation: 3)
    _ = try WatermarkFile(directory: JournalFixture.directory, disk: disk, found)
    #expect(try bound() == 8)
  }

  @Test("A flipped bit in one slot leaves the other's watermark; damage to both is refused")
  func flippedBits() throws {
    var file = try open()
    file.record(sequence: 6, generation: 2)
    let sound = try #require(disk[path])
    for bit in 0..<(8 * sound.count) {
      var bytes = sound
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      let damaged = MemoryDisk()
      damaged[path] = bytes
      #expect(try bound(damaged) == (bit / 8 < 512 ? 6 : 5))
      bytes[(bit / 8 + 512) % 1024] ^= 1 << UInt8(bit % 8)
      damaged[path] = bytes
      expectCorrupt(damaged)
    }
  }

  @Test("After a close, damage to one slot or its truncation leaves the watermark")
  func afterAClose() throws {
    var file = try open()
    file.record(sequence: 6, generation: 2)
    file.close()
    let sound = try #require(disk[path])
    #expect(slot(0, sound).elementsEqual(slot(1, sound)))
    let damaged = MemoryDisk()
    for byte in sound.indices {
      var bytes = sound
      bytes[byte] ^= 1 << UInt8(byte % 8)
      damaged[path] = bytes
      #expect(try bound(damaged) == 6)
    }
    damaged[path] = Array(sound.prefix(512))
    #expect(try bound(damaged) == 6)
    damaged[path] = sound
    var again = try WatermarkFile(directory: JournalFixture.directory, disk: damaged, first)
    again.record(sequence: 7, generation: 2)
    #expect(try bound(damaged) == 7)
  }

  @Test("A truncated file gives the watermark of what is left, or is refused")
  func truncation() throws {
    var file = try open()
    file.record(sequence: 6, generation: 2)
    let sound = try #require(disk[path])
    for count in 0..<sound.count {
      let damaged = MemoryDisk()
      damaged[path] = Array(sound.prefix(count))
      if count < 512 { expectCorrupt(damaged) } else { #expect(try bound(damaged) == 5) }
    }
  }

  @Test("Invalid numbers are refused, with valid hashes too")
  func invalidNumbers() throws {
    let damaged = MemoryDisk()
    for offset in [24, 32] {
      _ = try open()
      var slot = Array(try #require(disk[path]).prefix(504))
      slot[offset + 7] = 0x80
      var writer = ByteWriter()
      writer.append(slot)
      writer.appendChecksum()
      damaged[path] = writer.bytes + writer.bytes
      expectCorrupt(damaged)
    }
  }

  @Test("A failed write or sync ends recording, and is not retried")
  func failedWrite() throws {
    let directory = try TemporaryDirectory()
    for failingCall in ["write", "sync"] {
      let counting = FailingDisk()
      let path = directory.file(failingCall)
      try counting.makeDirectory(path)
      var file = try WatermarkFile(directory: path, disk: counting, first)
      let before = counting.calls.count
      let failing = FailingDisk(failingCall: failingCall == "write" ? 4 : 5)
      file = try WatermarkFile(directory: path, disk: failing, first)
      #expect(failing.calls.count == 4)
      for sequence: UInt64 in 6...8 {
        file.record(sequence: sequence, generation: 2)
        file.sync()
      }
      #expect(file.failure == .system(errno: 5, call: failingCall, path: ""))
      #expect(failing.calls.suffix(from: 4) == (failingCall == "write" ? ["write"] : ["write", "sync"]))
      #expect(counting.calls.count == before)
      let bound = try WatermarkFile.read(in: path, disk: SystemDisk(), syncing: true)?.sequence
      #expect(bound == (failingCall == "write" ? 5 : 6))
    }
  }

  private func slot(_ slot: Int, _ bytes: [UInt8]) -> ArraySlice<UInt8> {
    bytes.dropFirst(512 * slot).prefix(512)
  }

  private func expectCorrupt(_ disk: MemoryDisk, _ location: SourceLocation = #_sourceLocation) {
    let error = #expect(throws: KithError.self, sourceLocation: location) { _ = try bound(disk) }
    #expect(error?.code == "corrupt", sourceLocation: location)
  }
}
