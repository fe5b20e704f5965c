import Foundation
import Testing

@testable import Kith

/// The snapshot that the first release of this format wrote: it must stay readable, and no damage of it may go
/// unnoticed.
///
/// It was written by `KITH_WRITE_GOLDEN=Snapshots/golden-1.0.kith.zst swift test --filter GoldenTests`, and is never
/// written again: a later format gets a file of its own.
@Suite struct GoldenTests {
  private static let path = Repository.root
    .appendingPathComponent("Snapshots/golden-1.0.kith.zst").path

  private static let header = SnapshotHeader(
    storeID: StoreID(high: 0x4B69_7468_2067_6F6C, low: 0x6465_6E20_312E_3000), sequence: 0, generation: 1,
    writtenAt: 1_750_000_000_000,
    unicodeVersion: "17.0.0", hasSchema: false)

  @Test(
    "The golden file can be written",
    .enabled(if: ProcessInfo.processInfo.environment["KITH_WRITE_GOLDEN"] != nil, "only when asked for"))
  func write() throws {
    let target = URL(fileURLWithPath: ProcessInfo.processInfo.environment["KITH_WRITE_GOLDEN"] ?? "")
    let sample = try SampleGraph.golden()
    var header = Self.header
    header.sequence = sample.model.sequence
    let sections = GraphSections.sections(of: sample.graph.pin().view.state)
    let summary = try SnapshotFile.write(
      header, sections, to: target.deletingLastPathComponent().path, name: target.lastPathComponent, disk: SystemDisk())
    #expect(summary.fileByteCount < 20_000)
  }

  @Test("The golden file restores the graph that it was written from, equal to the model of its changes")
  func restoring() throws {
    let sample = try SampleGraph.golden()
    let graph = try SocialGraph.open(Self.path)
    #expect(sample.differences(from: graph.pin().view, questions: 400) == [])
    let file = try SnapshotFile.read(path: Self.path, knownSections: GraphSections.known, disk: SystemDisk())
    #expect(file.sections.contents == GraphSections.sections(of: sample.graph.pin().view.state).contents)
    #expect(GraphSections.sections(of: graph.pin().view.state).contents == file.sections.contents)
  }

  @Test("The golden file has its known header and sections")
  func literals() throws {
    let report = try #require(try StoreTools.inspect(Self.path).first)
    #expect(report.storeID == "4b69746820676f6c64656e20312e3000" && report.generation == 1)
    #expect(report.writtenAt == 1_750_000_000_000 && report.formatVersion == "1.0" && report.unicodeVersion == "17.0.0")
    let file = try SnapshotFile.read(path: Self.path, knownSections: GraphSections.known, disk: SystemDisk())
    #expect(file.sections.map(\.id) == GraphSections.names.map(\.id))
    #expect(String(file.sections.digest, radix: 16) == "22f8e73db7eaa899")
    #expect(try StoreTools.verify(Self.path) == [])
  }

  @Test("Every truncation of the golden file is refused")
  func truncations() throws {
    let bytes = try bytes()
    for count in 0..<bytes.count { try expectRefusal(Array(bytes.prefix(count)), "the first \(count) bytes") }
    try expectRefusal(bytes + [0], "a byte more")
  }

  @Test("Every flipped bit of the golden file is refused", arguments: 0..<8)
  func flips(bit: Int) throws {
    var bytes = try bytes()
    for index in bytes.indices {
      for mask in DamageMasks.highest(bit) {
        bytes[index] ^= mask
        try expectRefusal(bytes, "\(mask) in byte \(index)")
        bytes[index] ^= mask
      }
    }
  }

  private func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: Self.path))) }

  private func expectRefusal(_ bytes: [UInt8], _ what: String) throws {
    do throws(KithError) {
      let disk = BytesDisk(bytes: bytes)
      _ = try SnapshotFile.read(path: "damaged", knownSections: GraphSections.known, disk: disk)
      Issue.record("\(what): it was read")
    } catch {
      switch error {
      case .corrupt(_, let offset, _) where (0...Int64(bytes.count)).contains(offset): break
      case .notAStore where bytes.count < 16: break  // too short to recognise
      default: Issue.record("\(what): \(error)")
      }
    }
  }
}

/// A read-only disk that holds one file in memory.
private struct BytesDisk: Disk {
  struct File: Sendable {}

  let bytes: [UInt8]
  var processID: Int32 { 1 }

  func open(_ path: String, writable: Bool) throws(KithError) -> File { File() }
  func byteCount(of file: File) throws(KithError) -> Int64 { Int64(bytes.count) }

  func read(_ file: File, at offset: Int64, into buffer: inout MutableSpan<UInt8>) throws(KithError) -> Int {
    let part = bytes.dropFirst(Int(offset)).prefix(buffer.count)
    // Safety: at most as many bytes as the buffer holds; copying one by one takes four times as long.
    unsafe buffer.withUnsafeMutableBytes { target in unsafe target.copyBytes(from: part) }
    return part.count
  }

  private func refuse() -> KithError { .readOnly }

  func create(_ path: String) throws(KithError) -> File { throw refuse() }
  func write(_ file: File, at offset: Int64, _ bytes: Span<UInt8>) throws(KithError) { throw refuse() }
  func sync(_ file: File) throws(KithError) { throw refuse() }
  func dropCache(_ file: File) {}
  func truncate(_ file: File, to byteCount: Int64) throws(KithError) { throw refuse() }
  func tryLock(_ file: File) throws(KithError) -> Bool { throw refuse() }
  func status(of path: String, followingLinks: Bool) throws(KithError) -> FileStatus? { throw refuse() }
  func status(of file: File) throws(KithError) -> FileStatus { throw refuse() }
  func rename(_ path: String, to newPath: String) throws(KithError) { throw refuse() }
  func remove(_ path: String) throws(KithError) { throw refuse() }
  func makeDirectory(_ path: String) throws(KithError) { throw refuse() }
  func syncDirectory(_ path: String) throws(KithError) { throw refuse() }
  func list(_ path: String) throws(KithError) -> [String] { throw refuse() }
}
