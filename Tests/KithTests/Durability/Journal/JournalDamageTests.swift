import Testing

@testable import Kith

/// Torn, damaged and forged journals.
@Suite struct JournalDamageTests: JournalSuite {
  private let path = JournalFixture.path()

  @Test("A damaged frame before a valid one is refused with its range")
  func damagedFrame() throws {
    let fixture = try JournalFixture()
    try fixture.commitThree()
    for (index, offset) in [(0, 4096), (1, 4096 + 512)] {
      for zeroed in [false, true] {
        let disk = MemoryDisk(copying: fixture.disk)
        var bytes = try #require(disk[path])
        if zeroed { bytes.replaceSubrange(offset..<offset + 512, with: [UInt8](repeating: 0, count: 512)) }
        bytes[offset + 60] ^= 1
        disk[path] = bytes
        var reader = try reader(disk)
        for _ in 0..<index { _ = try reader.next() }
        let error = #expect(throws: KithError.self) { _ = try reader.next() }
        guard case .corrupt(path, Int64(offset), let reason)? = error else { throw try #require(error) }
        #expect(reason.contains("bytes \(offset) to \(offset + 511)"))
        #expect(reason.contains(index == 0 ? "changes 1 to 2" : "changes 3 to 3"))
      }
    }
  }

  @Test("Frames written without a sync between them can be torn in any order")
  func unsyncedFrames() throws {
    let fixture = try JournalFixture()
    try fixture.commit([.addUser(id: 1, username: "a")])
    for id: Int64 in 2...4 { try fixture.commit([.addUser(id: UserID(id), username: "u\(id)")], syncing: false) }
    var bytes = try #require(fixture.disk[path])
    bytes[4096 + 512 + 100] ^= 1
    fixture.disk[path] = bytes
    var unsynced = try reader(fixture.disk)
    #expect(try changes(&unsynced).count == 1)
    #expect(try unsynced.tailByteCount() == 3 * 512)
    // If a later frame proves a sync, the same damage is a hole.
    bytes[4096 + 512 + 100] ^= 1
    fixture.disk[path] = bytes
    try fixture.journal.sync()
    try fixture.commit([.addUser(id: 5, username: "z")], syncing: false)
    bytes = try #require(fixture.disk[path])
    bytes[4096 + 512 + 100] ^= 1
    fixture.disk[path] = bytes
    var synced = try reader(fixture.disk)
    #expect(throws: KithError.self) { try changes(&synced) }
  }

  @Test("A frame of another journal is refused")
  func foreignFrame() throws {
    let disk = MemoryDisk()
    var journal = writer(disk)
    try journal.append(frame(1, .mute(as: 1, target: 2)), at: 0)
    var bytes = try #require(disk[path])
    let foreign = frame(2, .mute(as: 1, target: 2)).sealed(journalID: 77, writtenAt: 0, syncedThrough: 1)
    bytes.replaceSubrange(4096 + 512..<4096 + 1024, with: foreign)
    disk[path] = bytes
    var reader = try reader(disk)
    #expect(try changes(&reader).count == 1)
    #expect(try reader.tailByteCount() > 0)
  }

  @Test("A frame that is out of order or miscounts its changes is refused")
  func invalidFrame() throws {
    let disk = MemoryDisk()
    var journal = writer(disk)
    try journal.append(frame(1, .mute(as: 1, target: 2)), at: 0)
    let id = try journalID(disk)
    let sound = frame(2, .addUser(id: 3, username: "abc"), .mute(as: 1, target: 2))
    for (offset, value, code) in [(16, 3, "order"), (8, 1, "count"), (8, 3, "count"), (48, 14, "kind")] {
      var bytes = sound.sealed(journalID: id, writtenAt: 0, syncedThrough: 1)
      bytes[offset] = UInt8(value)
      let damaged = MemoryDisk(copying: disk)
      var file = try #require(disk[path])
      file.replaceSubrange(4096 + 512..<4096 + 1024, with: rehashed(bytes, id))
      damaged[path] = file
      var reader = try reader(damaged)
      #expect(throws: KithError.self, "\(code)") { try changes(&reader) }
    }
  }

  @Test("Wrong lengths cost no memory and no time")
  func wrongLengths() throws {
    let disk = MemoryDisk()
    var journal = writer(disk)
    try journal.append(frame(1, .mute(as: 1, target: 2)), at: 0)
    let id = try journalID(disk)
    // A megabyte of headers, each of a frame that claims to reach to the end of the file.
    let sound = frame(2, .mute(as: 1, target: 2)).sealed(journalID: id, writtenAt: 0, syncedThrough: 2)
    var file = Array(try #require(disk[path]).prefix(4096 + 512))
    for sector in 0..<2048 {
      var header = sound
      var writer = ByteWriter()
      writer.append(UInt32((2048 - sector) * 512))
      header.replaceSubrange(4..<8, with: writer.bytes)
      writer = ByteWriter()
      writer.append(UInt32((2048 - sector) * 512 - 56))
      header.replaceSubrange(12..<16, with: writer.bytes)
      file += header
    }
    disk[path] = file
    var hostile = try reader(disk)
    let error = #expect(throws: KithError.self) { try changes(&hostile) }
    #expect(error?.description.contains("looks like frames") == true)
    // A frame that claims a gigabyte.
    file.removeLast(file.count - 4096 - 1024)
    file.replaceSubrange(4096 + 512 + 4..<4096 + 512 + 8, with: [0, 0, 0, 0x40])
    disk[path] = file
    var long = try reader(disk)
    #expect(try changes(&long).count == 1)
  }

  @Test("A header that is truncated, damaged, too new or out of range is refused")
  func invalidHeader() throws {
    let sound = JournalHeader(
      storeID: JournalFixture.storeID, generation: 1, firstSequence: 1, chainHash: 0, writtenAt: 0, hasSchema: false)
    let bytes = sound.encoded()
    #expect(try JournalHeader(decoding: bytes, file: "f") == sound)
    for count in [0, 1, 8, 100, 4095] {
      #expect(throws: KithError.self) { try JournalHeader(decoding: Array(bytes.prefix(count)), file: "f") }
    }
    for (offset, value, code) in [
      (8, UInt8(2), "unsupportedVersion"), (8, 0, "unsupportedVersion"), (14, 2, "unsupportedVersion"),
      (39, 0x80, "corrupt"), (40, 0, "corrupt"), (47, 0x80, "corrupt"),
    ] {
      var forged = Array(bytes.dropLast(8))
      forged[offset] = value
      var writer = ByteWriter()
      writer.append(forged)
      writer.appendChecksum()
      let error = #expect(throws: KithError.self) { try JournalHeader(decoding: writer.bytes, file: "f") }
      #expect(error?.code == code, "byte \(offset)")
    }
    var later = Array(bytes.dropLast(8))
    later[10] = 9
    later[100] = 1
    var writer = ByteWriter()
    writer.append(later)
    writer.appendChecksum()
    #expect(try JournalHeader(decoding: writer.bytes, file: "f").formatVersion == FormatVersion(major: 1, minor: 9))
  }

  // MARK: - Helpers

  private func journalID(_ disk: MemoryDisk) throws -> UInt64 {
    var reader = try reader(disk)
    return try #require(try reader.next()).journalID
  }

  private func rehashed(_ frame: [UInt8], _ id: UInt64) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(Array(frame.dropLast(8)))
    writer.append(XXH64.hash(writer.bytes.span, seed: id))
    return writer.bytes
  }
}
