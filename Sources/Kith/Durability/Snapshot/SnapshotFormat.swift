/// Constants of the snapshot format, shared by writer and reader. `Snapshots/FORMAT.md` is the specification.
enum SnapshotFormat {
  /// Since 1.2 a snapshot holds the schema of a graph that has one, and needs a reader that knows it.
  static let version = FormatVersion(major: 1, minor: 2)
  /// Since 1.1 it holds the place in the log of a graph that follows one, which older readers may ignore.
  static let versionWithLog = FormatVersion(major: 1, minor: 1)
  /// The version of a snapshot with neither.
  static let plainVersion = FormatVersion(major: 1, minor: 0)

  static let headerFrameMagic: UInt32 = 0x184D_2A50
  static let tableFrameMagic: UInt32 = 0x184D_2A51
  static let seekTableFrameMagic: UInt32 = 0x184D_2A5E
  static let seekTableFooterMagic: UInt32 = 0x8F92_EAB1

  static let headerMagic = Array("KITHSNAP".utf8)
  static let tableMagic = Array("KITHTABL".utf8)
  static let sectionMagic = Array("KITHSECT".utf8)

  /// Whole frames, including the 8 bytes that zstd requires of a skippable frame.
  static let headerByteCount = 256
  static let preambleByteCount = 64
  static let tableFixedByteCount = 8 + 32 + 8
  static let sectionEntryByteCount = 64
  static let frameEntryByteCount = 16
  static let seekTableFixedByteCount = 8 + 9
  static let seekEntryByteCount = 8

  /// The most content that a writer puts in one frame.
  static let frameContentByteCount = 1 << 20
  /// The most content that a reader accepts in one frame.
  static let frameContentLimit = 4 << 20
  /// The longest table of contents that a reader accepts: enough for 64 TiB of content in frames of 4 MiB.
  static let tableByteLimit = 256 << 20
  /// The most sections. Snapshots have tens of them; a table with more is damaged.
  static let sectionLimit = 4096

  /// The smallest file that holds all fixed parts.
  static let smallestFileByteCount = headerByteCount + tableFixedByteCount + seekTableFixedByteCount + 16
}

/// Four ASCII characters that name a section, e.g. `UIDS`.
struct SectionID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The characters as a little-endian integer, so that they are readable in the file.
  let rawValue: UInt32

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// - Parameter name: four ASCII characters.
  init(_ name: String) {
    let characters = Array(name.utf8)
    precondition(characters.count == 4 && characters.allSatisfy { $0 < 0x80 }, "a section has four ASCII characters")
    rawValue = characters.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  var description: String {
    let characters = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }
    guard characters.allSatisfy({ 0x20 < $0 && $0 < 0x7F }) else { return "0x" + String(rawValue, radix: 16) }
    return String(decoding: characters, as: UTF8.self)
  }
}

/// A byte offset in a file.
struct FilePlace: Hashable, Sendable {
  let file: String
  let offset: Int64

  func corrupt(_ reason: String) -> KithError {
    .corrupt(file: file, offset: offset, reason: reason)
  }
}

/// The properties of a section, without its content.
struct SectionSummary: Hashable, Sendable {
  let id: SectionID
  let version: UInt16
  let encoding: ColumnEncoding
  let isCritical: Bool
  let elementCount: UInt64
  let frameCount: Int
  /// The bytes in the file, including preamble and frame headers.
  let compressedByteCount: Int64
  let contentByteCount: Int
  /// XXH64 of the content.
  let contentHash: UInt64
}

/// The properties of a snapshot file, without its content.
struct SnapshotSummary: Hashable, Sendable {
  let path: String
  let fileByteCount: Int64
  let header: SnapshotHeader
  let sections: [SectionSummary]
}
