import Foundation

@testable import Kith

/// A small snapshot of synthetic sections, and the means to forge one.
enum SnapshotFixture {
  static let header = SnapshotHeader(
    storeID: StoreID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210), sequence: 42, generation: 7,
    chainHash: 9,
    writtenAt: 1_700_000_000_000, unicodeVersion: "17.0.0", hasSchema: false)

  static let known: [SectionID: UInt16] = [
    SectionID("UIDS"): 1, SectionID("NAMB"): 1, SectionID("FOLD"): 1, SectionID("FOLT"): 1,
  ]

  static func sections() -> [Section] {
    let ids = (0..<50).map { Int64($0 * 3 + 1) }
    let names = Array((0..<50).map { "user\($0)" }.joined().utf8)
    let degrees: [UInt32] = [2, 0, 3]
    let targets: [UInt32] = [1, 2, 0, 1, 40]
    return [
      Section(SectionID("UIDS"), ColumnCoding.deltaPlanes(ids)),
      Section(SectionID("NAMB"), ColumnCoding.bytes(names)),
      Section(SectionID("FOLD"), ColumnCoding.planes(degrees)),
      Section(SectionID("FOLT"), ColumnCoding.lists(degrees: degrees, targets: targets)),
    ]
  }

  /// The offset of the table of contents of a valid file, by the last entry of its seek table.
  static func tableRange(of file: [UInt8]) -> Range<Int> {
    let footer = file.count - 9
    let entryCount = Int(littleEndian(file, at: footer))
    let end = file.count - SnapshotFormat.seekTableFixedByteCount - SnapshotFormat.seekEntryByteCount * entryCount
    return (end - Int(littleEndian(file, at: footer - SnapshotFormat.seekEntryByteCount)))..<end
  }

  /// One forged section: each field has any value, and the hashes are right.
  struct Forgery {
    var id = SectionID("UIDS")
    var version: UInt16 = 1
    var isCritical = true
    var elementCount: UInt64 = 3
    var content: [UInt8] = [1, 2, 3]
    /// What the tables state of the frame of content, if not the truth.
    var saidContentByteCount: Int?
    var saidFileOffset: Int64?
    /// What replaces the frame of content.
    var frame: [UInt8]?
  }

  static func forge(_ forgeries: [Forgery], headerBytes: [UInt8] = header.encoded()) throws -> [UInt8] {
    let compressor = try ZstdCompressor()
    var file = headerBytes
    var entries: [SnapshotTable.Entry] = []
    for forgery in forgeries {
      let frame = try forgery.frame ?? compressor.compress(forgery.content.span, level: 1)
      let saidByteCount = forgery.saidContentByteCount ?? forgery.content.count
      func entry(_ frames: [SnapshotTable.Frame]) -> SnapshotTable.Entry {
        SnapshotTable.Entry(
          head: SectionHead(
            id: forgery.id, version: forgery.version, encoding: .bytes, isCritical: forgery.isCritical,
            elementCount: forgery.elementCount), contentByteCount: saidByteCount,
          contentHash: XXH64.hash(forgery.content.span), fileOffset: forgery.saidFileOffset ?? Int64(file.count),
          frames: frames)
      }
      let preamble = entry([]).preamble()
      let preambleFrame = try compressor.compress(preamble.span, level: 1)
      let frames = [(preambleFrame, preamble.count), (frame, saidByteCount)].map {
        SnapshotTable.Frame(compressedByteCount: $0.count, contentByteCount: $1, hash: XXH64.hash($0.span))
      }
      entries.append(entry(frames))
      file += preambleFrame + frame
    }
    let table = SnapshotTable(headerHash: XXH64.hash(headerBytes.span), entries: entries)
    return file + table.encoded() + table.encodedSeekTable()
  }

  /// The same file with a right hash at the end of its table of contents, after a change in it.
  static func rehashed(_ file: [UInt8], table: Range<Int>) -> [UInt8] {
    let hashed = table.lowerBound..<(table.upperBound - 8)
    var writer = ByteWriter()
    writer.append(XXH64.hash(file.span.extracting(hashed)))
    var file = file
    file.replaceSubrange(hashed.upperBound..<table.upperBound, with: writer.bytes)
    return file
  }

  /// A valid file with other numbers in its header, and right hashes.
  static func forged(_ file: [UInt8], sequence: UInt64, generation: UInt64) throws -> [UInt8] {
    var header = try SnapshotHeader(decoding: Array(file[..<SnapshotFormat.headerByteCount]), file: "sound")
    (header.sequence, header.generation) = (sequence, generation)
    var forged = file
    forged.replaceSubrange(0..<SnapshotFormat.headerByteCount, with: header.encoded())
    let table = tableRange(of: forged)
    var writer = ByteWriter()
    writer.append(XXH64.hash(header.encoded().span))
    forged.replaceSubrange(table.lowerBound + 32..<table.lowerBound + 40, with: writer.bytes)
    return rehashed(forged, table: table)
  }

  /// A header whose bytes from `offset` on are `bytes`, with a right hash.
  static func header(with bytes: [UInt8], at offset: Int) -> [UInt8] {
    var writer = ByteWriter()
    var encoded = Array(header.encoded().dropLast(8))
    encoded.replaceSubrange(offset..<(offset + bytes.count), with: bytes)
    writer.append(encoded)
    writer.appendChecksum()
    return writer.bytes
  }

  static func littleEndian(_ bytes: [UInt8], at index: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[index + $1]) << (8 * UInt32($1)) }
  }
}

/// The `zstd` command, if it is installed.
enum ZstdTool {
  static let path = ["/usr/bin/zstd", "/usr/local/bin/zstd", "/opt/homebrew/bin/zstd"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  static func run(_ arguments: [String]) throws -> (status: Int32, output: [UInt8]) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path ?? "")
    process.arguments = arguments
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, [UInt8](bytes))
  }
}
