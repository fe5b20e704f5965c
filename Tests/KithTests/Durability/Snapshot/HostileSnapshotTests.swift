import Foundation
import Testing

@testable import Kith

/// Malicious files: all their hashes are valid.
@Suite struct HostileSnapshotTests {
  private let directory: TemporaryDirectory
  private let disk = SystemDisk()
  private let known: [SectionID: UInt16] = [SectionID("UIDS"): 1]

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test("A forged file with right values is read")
  func rightValues() throws {
    #expect(try read(SnapshotFixture.forge([.init()])).map(\.content) == [[1, 2, 3]])
  }

  @Test("An unknown critical section is refused by name, an unknown optional one is skipped")
  func unknownSections() throws {
    let future = SnapshotFixture.Forgery(id: SectionID("NEWS"), version: 3)
    let error = #expect(throws: KithError.self) { try read(SnapshotFixture.forge([.init(), future])) }
    guard case .unsupportedVersion(let found, let readable) = error else { throw try #require(error) }
    #expect(found.contains("NEWS") && found.contains("version 3"))
    #expect(readable.contains("1.2"))
    var optional = future
    optional.isCritical = false
    #expect(try read(SnapshotFixture.forge([.init(), optional])).map(\.id) == [SectionID("UIDS")])
  }

  @Test("A known section of a later version is refused")
  func laterSection() throws {
    let error = #expect(throws: KithError.self) { try read(SnapshotFixture.forge([.init(version: 2)])) }
    guard case .unsupportedVersion(_, "section UIDS up to version 1, in format 1.2") = error else {
      throw try #require(error)
    }
  }

  @Test("A higher major version is refused, a higher minor one is read")
  func versions() throws {
    for (bytes, isReadable) in [
      ([2, 0], false), ([0, 0], false), ([1, 0, 9, 0], true), ([1, 0, 9, 0, 1, 0, 3, 0], false),
    ]
      as [([UInt8], Bool)]
    {
      let header = SnapshotFixture.header(with: bytes, at: 16)
      let file = try SnapshotFixture.forge([.init()], headerBytes: header)
      if isReadable {
        #expect(try read(file).count == 1)
      } else {
        let error = #expect(throws: KithError.self) { try read(file) }
        guard case .unsupportedVersion = error else { throw try #require(error) }
      }
    }
  }

  @Test("A frame that holds more or less than the tables state is refused")
  func frameLength() throws {
    for count in [1, 2, 4, 1 << 17] {
      try expectCorrupt(SnapshotFixture.forge([.init(saidContentByteCount: count)]))
    }
    let megabyte = [UInt8](repeating: 0, count: 4 << 20)
    let bomb = try ZstdCompressor().compress(megabyte.span, level: 1)
    try expectCorrupt(SnapshotFixture.forge([.init(frame: bomb)]))
    try expectCorrupt(SnapshotFixture.forge([.init(frame: Array("no zstd frame at all".utf8))]))
    let twice = try ZstdCompressor().compress([1, 2, 3].span, level: 1)
    try expectCorrupt(SnapshotFixture.forge([.init(frame: twice + twice)]))
    // More than any frame may hold, and than a frame of this length can hold.
    try expectCorrupt(SnapshotFixture.forge([.init(saidContentByteCount: 4 << 20)]))
    try expectCorrupt(
      SnapshotFixture.forge([.init(saidContentByteCount: 5 << 20, frame: [UInt8](repeating: 0, count: 5 << 20))]))
    try expectCorrupt(SnapshotFixture.forge([.init(saidContentByteCount: Int(UInt32.max))]))
  }

  @Test("A decompression bomb is refused before anything is decompressed")
  func decompressionBomb() throws {
    let content = [UInt8](repeating: 0, count: 4 << 20)
    let frame = try ZstdCompressor().compress(content.span, level: 1)
    let bombs = (0..<64).map {
      SnapshotFixture.Forgery(id: SectionID(rawValue: 0x4141_4141 + $0), content: content, frame: frame)
    }
    let file = try SnapshotFixture.forge(bombs)
    #expect(file.count < 64 << 10)
    let path = try directory.write(file, to: "bomb")
    let error = #expect(throws: KithError.self) {
      try SnapshotFileReader(path: path, disk: disk, memoryLimit: 255 << 20, knownSections: nil)
    }
    guard case .limitExceeded = error else { throw try #require(error) }
    _ = try SnapshotFileReader(path: path, disk: disk, memoryLimit: 257 << 20, knownSections: nil)
  }

  @Test("Overlapping, repeated and missing sections are refused")
  func sectionLayout() throws {
    let other = SnapshotFixture.Forgery(id: SectionID("NAMB"))
    try expectCorrupt(SnapshotFixture.forge([.init(), other, .init()]))
    for offset in [Int64(0), 255, 257, .max] {
      try expectCorrupt(SnapshotFixture.forge([.init(saidFileOffset: offset)]))
    }
    try expectCorrupt(
      SnapshotFixture.forge([
        .init(),
        {
          var same = other; same.saidFileOffset = 256; return same
        }(),
      ]))
  }

  @Test("Every wrong field of the tables is refused, with valid hashes")
  func wrongFields() throws {
    let file = try SnapshotFixture.forge([.init(), .init(id: SectionID("NAMB"))])
    let table = SnapshotFixture.tableRange(of: file)
    for offset in stride(from: table.lowerBound, to: table.upperBound - 8, by: 4) {
      for value: UInt32 in [0, 1, 2, 0x7FFF_FFFF, 0x8000_0000, .max] {
        var forged = file
        var writer = ByteWriter()
        writer.append(value)
        forged.replaceSubrange(offset..<(offset + 4), with: writer.bytes)
        if forged == file { continue }
        let path = try directory.write(SnapshotFixture.rehashed(forged, table: table), to: "forged")
        #expect(throws: KithError.self, "\(value) at \(offset - table.lowerBound) of the table") {
          try SnapshotFile.verify(path: path, disk: disk)
        }
      }
    }
  }

  @Test("A seek table that contradicts the table of contents is refused")
  func seekTable() throws {
    let file = try SnapshotFixture.forge([.init()])
    let seekStart = file.count - SnapshotFormat.seekTableFixedByteCount - 8 * 4
    for offset in seekStart..<file.count {
      for value: UInt8 in [0, 1, 0x80, 0xFF] where file[offset] != value {
        var forged = file
        forged[offset] = value
        try expectCorrupt(forged)
      }
    }
  }

  @Test("Links, directories and FIFOs are refused without blocking")
  func specialFiles() throws {
    let file = try SnapshotFixture.forge([.init()])
    try directory.write(file, to: "file")
    try FileManager.default.createSymbolicLink(
      atPath: directory.file("link"), withDestinationPath: directory.file("file"))
    try FileManager.default.createDirectory(atPath: directory.file("directory"), withIntermediateDirectories: false)
    #expect(unsafe mkfifo(directory.file("fifo"), 0o600) == 0)
    for (name, kind) in [
      ("link", "a symbolic link"), ("directory", "a directory"), ("fifo", "a FIFO, socket or device"),
    ] {
      let refusal = KithError.notAStore(path: directory.file(name), reason: "it is \(kind), not a regular file")
      #expect(throws: refusal) { try SnapshotFile.verify(path: directory.file(name), disk: disk) }
    }
    #expect(throws: KithError.self) { try SnapshotFile.verify(path: "/dev/zero", disk: disk) }
    #expect(throws: KithError.system(errno: ENOENT, call: "open", path: directory.file("nothing"))) {
      try SnapshotFile.verify(path: directory.file("nothing"), disk: disk)
    }
  }

  @Test("A file of another kind is reported as such")
  func otherKind() throws {
    for text in ["this is no store\n", String(repeating: "this is no store\n", count: 50), "{}"] {
      let path = try directory.write(Array(text.utf8), to: "text")
      #expect(throws: KithError.notAStore(path: path, reason: "it is no Kith snapshot")) {
        try SnapshotFile.verify(path: path, disk: disk)
      }
    }
  }

  private func read(_ bytes: [UInt8]) throws -> [Section] {
    let path = try directory.write(bytes, to: "forged")
    return try SnapshotFile.read(path: path, knownSections: known, disk: disk).sections
  }

  private func expectCorrupt(_ bytes: [UInt8], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let path = try directory.write(bytes, to: "forged")
    let error = #expect(throws: KithError.self, sourceLocation: sourceLocation) {
      try SnapshotFile.verify(path: path, disk: disk)
    }
    guard case .corrupt(path, _, _) = error else { throw try #require(error, sourceLocation: sourceLocation) }
  }
}
