import Synchronization
import Testing

@testable import Kith

/// The cost of reading a damaged snapshot depends on its length alone, whatever its frames claim.
@Suite struct SalvageCostTests {
  /// Bytes in memory that count the reads.
  private final class CountedBytes: ByteStorage {
    private let count = Atomic(0)

    var readByteCount: Int { count.load(ordering: .relaxed) }

    func byteCount(of file: [UInt8]) -> Int64 { Int64(file.count) }

    func read(_ file: [UInt8], at offset: Int64, into buffer: inout MutableSpan<UInt8>) -> Int {
      count.wrappingAdd(buffer.count, ordering: .relaxed)
      return MemoryStorage().read(file, at: offset, into: &buffer)
    }
  }

  /// Each byte of a file is read this often at most: its preambles once, its frames twice, all of them hashed once.
  private static let readingLimit = 4

  /// Frames of 130 bytes, each of which claims to hold as much as a frame may.
  private static let longFrame: [UInt8] = {
    let blockByteCount = 128 << 10
    var frame = ByteWriter()
    frame.append(Zstd.frameMagic)
    frame.append(UInt8(0b1110_0100))
    frame.append(UInt64(SnapshotFormat.frameContentLimit))
    for block in 1...(SnapshotFormat.frameContentLimit / blockByteCount) {
      // A block of one byte, repeated; the last one is marked.
      let isLast = block * blockByteCount == SnapshotFormat.frameContentLimit
      let head = UInt32(blockByteCount << 3 | 2 | (isLast ? 1 : 0))
      frame.append(UInt16(truncatingIfNeeded: head))
      frame.append(UInt8(truncatingIfNeeded: head >> 16))
      frame.append(UInt8(0))
    }
    frame.append(UInt32(0))
    return frame.bytes
  }()

  private static func preamble(_ id: SectionID, contentByteCount: Int) -> [UInt8] {
    let head = SectionHead(id: id, encoding: .bytes, elementCount: 0)
    let entry = SnapshotTable.Entry(
      head: head, contentByteCount: contentByteCount, contentHash: 0, fileOffset: 0, frames: [])
    return Zstd.stored(entry.preamble())
  }

  private static func table(of file: [UInt8], _ bytes: CountedBytes) throws(KithError) -> SnapshotTable {
    try SnapshotFileReader(rebuilding: file, path: "f", disk: bytes, memoryLimit: .max, knownSections: nil).table
  }

  @Test("Short frames with great claimed lengths are read at most twice")
  func claimedLengths() throws {
    let frameCount = 2_000
    let (frame, bytes) = (Self.longFrame, CountedBytes())
    #expect(frame.count < 150)
    var file = SnapshotFixture.header.encoded()
    file += Self.preamble(SectionID("USID"), contentByteCount: frameCount * SnapshotFormat.frameContentLimit)
    for _ in 0..<frameCount { file += frame }
    let table = try Self.table(of: file + [UInt8](repeating: 0, count: 64), bytes)
    #expect(table.entries.map(\.frames.count) == [1 + frameCount])
    #expect(bytes.readByteCount <= Self.readingLimit * file.count, "\(bytes.readByteCount) of \(file.count)")
  }

  @Test("No more sections are followed than a table can have")
  func sectionCount() throws {
    var file = SnapshotFixture.header.encoded()
    for number in 0..<UInt32(SnapshotFormat.sectionLimit + 10) {
      file += Self.preamble(SectionID(rawValue: 0x4141_4141 + number), contentByteCount: 0)
    }
    #expect(try Self.table(of: file, CountedBytes()).entries.count == SnapshotFormat.sectionLimit)
  }
}
