import Foundation
import Testing

@testable import Kith

@Suite struct SnapshotContainerTests {
  private let directory: TemporaryDirectory
  private let disk = SystemDisk()

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("Written sections are read")
  func roundTrip() throws {
    let sections = SnapshotFixture.sections()
    let summary = try write(sections, "a")
    let (header, read) = try SnapshotFile.read(path: summary.path, knownSections: SnapshotFixture.known, disk: disk)
    #expect(header == SnapshotFixture.header)
    #expect(read.map(\.id) == sections.map(\.id))
    for (section, original) in zip(read, sections) {
      #expect(section.content == original.content)
      #expect(section.encoding == original.encoding)
      #expect(section.elementCount == original.elementCount)
      #expect(section.head == original.head)
    }
    #expect(try SnapshotFile.inspect(path: summary.path, disk: disk) == summary)
    #expect(try SnapshotFile.verify(path: summary.path, disk: disk) == summary)
    #expect(summary.fileByteCount == Int64(try directory.read("a").count))
    #expect(try directory.names == ["a"], "no temporary file is left")
  }

  @Test("A section of many frames and one without content are read")
  func manyFrames() throws {
    var random = SeededRandom(seed: 3)
    let long = (0..<(3 << 20) + 5).map { _ in UInt8(truncatingIfNeeded: random.next() & 0x3F) }
    let sections = [
      Section(SectionID("LONG"), ColumnCoding.bytes(long)), Section(SectionID("NONE"), ColumnCoding.bytes([])),
    ]
    let summary = try write(sections, "a")
    #expect(summary.sections.map(\.frameCount) == [5, 1])
    let known: [SectionID: UInt16] = [SectionID("LONG"): 1, SectionID("NONE"): 1]
    let read = try SnapshotFile.read(path: summary.path, knownSections: known, disk: disk).sections
    #expect(read.map(\.content) == [long, []])
  }

  @Test("Equal sections give equal frames in every store")
  func equalSections() throws {
    var other = SnapshotFixture.header
    other.storeID = StoreID(high: 7, low: 7)
    other.writtenAt += 1
    let first = try write(SnapshotFixture.sections(), "a")
    let second = try SnapshotFile.write(other, SnapshotFixture.sections(), to: directory.path, name: "b", disk: disk)
    #expect(first.sections == second.sections)
    let frames = SnapshotFormat.headerByteCount..<SnapshotFixture.tableRange(of: try directory.read("a")).lowerBound
    #expect(try directory.read("a")[frames] == directory.read("b")[frames])
    #expect(try directory.read("a")[..<frames.lowerBound] != directory.read("b")[..<frames.lowerBound])
  }

  @Test("Every flipped bit is refused with file, offset and reason")
  func flippedBits() throws {
    let original = try smallFile()
    var bytes = original
    for bit in 0..<(8 * original.count) {
      bytes[bit / 8] ^= 1 << (bit % 8)
      try expectCorrupt(bytes, "bit \(bit % 8) of byte \(bit / 8)")
      bytes[bit / 8] = original[bit / 8]
    }
  }

  @Test("Every truncation and every extension is refused")
  func truncation() throws {
    let original = try smallFile()
    for count in 0..<original.count { try expectCorrupt(Array(original.prefix(count)), "the first \(count) bytes") }
    for extra in [[0], [0xFF], Array(original.suffix(9)), original] as [[UInt8]] {
      try expectCorrupt(original + extra, "\(extra.count) bytes more")
    }
  }

  @Test("A mixture of two files is refused")
  func mixedFiles() throws {
    let original = try smallFile()
    var header = SnapshotFixture.header
    header.sequence += 1
    try expectCorrupt(header.encoded() + original.dropFirst(SnapshotFormat.headerByteCount), "a header of another file")
    var blocks = original
    blocks.swapAt(300, 301)
    blocks.replaceSubrange(512..<1024, with: repeatElement(0, count: 512))
    try expectCorrupt(blocks, "a sector of zeros")
  }

  @Test("Sections that are not requested are checked too")
  func uncheckedSections() throws {
    let original = try smallFile()
    var bytes = original
    bytes[SnapshotFormat.headerByteCount + 200] ^= 1
    let path = try directory.write(bytes, to: "damaged")
    let reader = try SnapshotFileReader(path: path, disk: disk, memoryLimit: .max, knownSections: nil)
    #expect(throws: KithError.self) { for entry in reader.table.entries { try reader.skip(entry) } }
  }

  @Test("The zstd tool accepts the file and decompresses it", .enabled(if: ZstdTool.path != nil))
  func zstdTool() throws {
    let sections = SnapshotFixture.sections()
    let path = try write(sections, "a.kith.zst").path
    #expect(try ZstdTool.run(["-t", "-q", path]).status == 0)
    #expect(try ZstdTool.run(["-l", path]).status == 0)
    let unpacked = try ZstdTool.run(["-dc", "-q", path])
    #expect(unpacked.status == 0)
    let summary = try SnapshotFile.inspect(path: path, disk: disk)
    #expect(unpacked.output.count == summary.sections.reduce(0) { $0 + $1.contentByteCount + 64 })
    let first = Array(unpacked.output[64..<(64 + sections[0].content.count)])
    #expect(first == sections[0].content)
    #expect(Array(unpacked.output.prefix(8)) == Array("KITHSECT".utf8))
  }

  @Test("A failure of any call leaves nothing or the whole snapshot")
  func failedCalls() throws {
    let whole = FailingDisk()
    _ = try SnapshotFile.write(
      SnapshotFixture.header, SnapshotFixture.sections(), to: directory.path, name: "whole", disk: whole)
    // Content, then sync, then reading back, then the name, then a sync of the directory.
    let order = whole.calls.filter { ["write", "sync", "read", "rename", "syncDirectory"].contains($0) }
    #expect(order.first == "write" && order.suffix(2) == ["rename", "syncDirectory"])
    let afterSync = order.drop { $0 != "sync" }.dropFirst().dropLast(2)
    #expect(!afterSync.isEmpty && afterSync.allSatisfy { $0 == "read" })
    // Looking for what an interrupted writer has left, and marking this writer's file as in use, may fail.
    let dispensable = ["list", "tryLock"]
    for (call, name) in whole.calls.enumerated() {
      let disk = FailingDisk(failingCall: call)
      var failure: KithError?
      do throws(KithError) {
        _ = try SnapshotFile.write(
          SnapshotFixture.header, SnapshotFixture.sections(), to: directory.path, name: "it", disk: disk)
      } catch { failure = error }
      let isReported = if case .system(5, name, _)? = failure { true } else { false }
      #expect(isReported || failure == nil && dispensable.contains(name), "call \(call) of \(whole.calls)")
      let names = try directory.names.filter { $0 != "whole" }
      let mayBeThere = name == "syncDirectory" || dispensable.contains(name)
      #expect(names.isEmpty ? failure != nil : names == ["it"] && mayBeThere, "call \(call) of \(whole.calls)")
      if names == ["it"] {
        try SnapshotFile.verify(path: directory.file("it"), disk: self.disk)
        try self.disk.remove(directory.file("it"))
      }
    }
  }

  @Test("Wrongly stored bytes are found before the snapshot gets its name")
  func wronglyStored() throws {
    let byteCount = try smallFile().count
    for offset in stride(from: 0, to: byteCount, by: 7) {
      let error = #expect(throws: KithError.self, "byte \(offset)") {
        try SnapshotFile.write(
          SnapshotFixture.header, SnapshotFixture.sections(), to: directory.path, name: "it",
          disk: FailingDisk(damagedOffset: Int64(offset)))
      }
      #expect(error?.code == "corrupt")
      #expect(try directory.names == ["small"])
    }
  }

  @Test("An existing file is replaced only on request")
  func existingFile() throws {
    try directory.write([1], to: "a")
    #expect(throws: KithError.system(errno: EEXIST, call: "create", path: directory.file("a"))) {
      try write(SnapshotFixture.sections(), "a")
    }
    #expect(try directory.read("a") == [1])
    _ = try SnapshotFile.write(
      SnapshotFixture.header, SnapshotFixture.sections(), to: directory.path, name: "a", replacing: true, disk: disk)
    try SnapshotFile.verify(path: directory.file("a"), disk: disk)
  }

  @Test("Snapshots are accessible to their owner alone")
  func filePermissions() throws {
    let path = try write(SnapshotFixture.sections(), "a").path
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  private func write(_ sections: [Section], _ name: String) throws -> SnapshotSummary {
    try SnapshotFile.write(SnapshotFixture.header, sections, to: directory.path, name: name, disk: disk)
  }

  private func smallFile() throws -> [UInt8] {
    _ = try write(SnapshotFixture.sections(), "small")
    return try directory.read("small")
  }

  private func expectCorrupt(_ bytes: [UInt8], _ what: Comment) throws {
    let path = try directory.write(bytes, to: "damaged")
    let error = try #require(throws: KithError.self, what) { try SnapshotFile.verify(path: path, disk: disk) }
    guard case .corrupt(path, let offset, let reason) = error else {
      Issue.record(error, what)
      return
    }
    #expect(0 <= offset && offset <= bytes.count, what)
    #expect(!reason.isEmpty, what)
    #expect(throws: error, what) {
      try SnapshotFile.read(path: path, knownSections: SnapshotFixture.known, disk: disk)
    }
  }
}
