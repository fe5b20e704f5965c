/// Numbers of the snapshot format that writer and reader share. `Snapshots/FORMAT.md` is the specification.
enum SnapshotFormat {
  static let version = FormatVersion(major: 1, minor: 0)
  /// The oldest reader that can read what this writer writes.
  static let minimumReader = FormatVersion(major: 1, minor: 0)

  static let headerFrameMagic: UInt32 = 0x184D_2A50
  static let tableFrameMagic: UInt32 = 0x184D_2A51
  static let seekTableFrameMagic: UInt32 = 0x184D_2A5E
  static let seekTableFooterMagic: UInt32 = 0x8F92_EAB1

  static let headerMagic = Array("KITHSNAP".utf8)
  static let tableMagic = Array("KITHTABL".utf8)
  static let sectionMagic = Array("KITHSECT".utf8)

  /// Whole frames, with the 8 bytes that zstd asks of a skippable frame.
  static let headerByteCount = 256
  static let preambleByteCount = 64
  static let tableFixedByteCount = 8 + 32 + 8
  static let sectionEntryByteCount = 64
  static let frameEntryByteCount = 16
  static let seekTableFixedByteCount = 8 + 9
  static let seekEntryByteCount = 8

  /// What a writer puts in one frame.
  static let frameContentByteCount = 1 << 20
  /// What a reader accepts in one frame.
  static let frameContentLimit = 4 << 20
  /// What a reader accepts as a table of contents: room for 64 TiB of content in frames of 4 MiB.
  static let tableByteLimit = 256 << 20
  /// Snapshots have tens of sections; a table that says more is damaged.
  static let sectionLimit = 4096

  /// A file smaller than this has no room for its fixed parts.
  static let smallestFileByteCount = headerByteCount + tableFixedByteCount + seekTableFixedByteCount + 16
}

/// Version of a file format: a higher minor only adds what old readers may pass over, a higher major does not.
struct FormatVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  let major: UInt16
  let minor: UInt16

  static func < (left: FormatVersion, right: FormatVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }

  var description: String { "\(major).\(minor)" }
}

/// Four ASCII characters that name a section, e.g. `UIDS`.
struct SectionID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The characters as a little-endian integer: they read forwards in the file.
  let rawValue: UInt32

  init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// - Parameter name: four ASCII characters.
  init(_ name: StaticString) {
    let characters = Array(name.description.utf8)
    precondition(characters.count == 4 && characters.allSatisfy { $0 < 0x80 }, "a section has four ASCII characters")
    rawValue = characters.reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  var description: String {
    let characters = (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }
    guard characters.allSatisfy({ 0x20 < $0 && $0 < 0x7F }) else { return "0x" + String(rawValue, radix: 16) }
    return String(decoding: characters, as: UTF8.self)
  }
}

/// A byte of a file.
struct FilePlace: Hashable, Sendable {
  let file: String
  let offset: Int64

  func corrupt(_ reason: String) -> KithError {
    .corrupt(file: file, offset: offset, reason: reason)
  }
}

/// What can be said of a section without its content.
struct SectionSummary: Hashable, Sendable {
  let id: SectionID
  let version: UInt16
  let encoding: ColumnEncoding
  let isCritical: Bool
  let elementCount: UInt64
  let frameCount: Int
  /// In the file, preamble and frame headers included.
  let compressedByteCount: Int64
  let contentByteCount: Int
  /// XXH64 of the content: equal content, equal hash.
  let contentHash: UInt64
}

/// What can be said of a snapshot file without its content.
struct SnapshotSummary: Hashable, Sendable {
  let path: String
  let fileByteCount: Int64
  let header: SnapshotHeader
  let sections: [SectionSummary]
}
