/// A snapshot file as its header and tables describe it.
package struct SnapshotReport: Sendable {
  /// One column.
  package struct SectionReport: Sendable {
    /// Its four letters.
    package let id: String
    /// Its name for people: `follows.target`.
    package let name: String
    /// How the numbers are written.
    package let encoding: String
    /// How many elements.
    package let elementCount: UInt64
    /// How many zstd frames.
    package let frameCount: Int
    /// Bytes in the file.
    package let compressedByteCount: Int64
    /// Bytes unpacked.
    package let contentByteCount: Int
  }

  package var path: String
  package let fileByteCount: Int64
  package let formatVersion: String
  package let unicodeVersion: String
  /// The store's id, 32 hexadecimal digits.
  package let storeID: String
  package let sequence: UInt64
  package let generation: UInt64
  package let writtenAt: Timestamp
  package let sections: [SectionReport]

  init(_ summary: SnapshotSummary) {
    path = summary.path
    fileByteCount = summary.fileByteCount
    formatVersion = summary.header.formatVersion.description
    unicodeVersion = summary.header.unicodeVersion
    storeID = Self.text(ofStoreID: summary.header.storeID)
    sequence = summary.header.sequence
    generation = summary.header.generation
    writtenAt = Timestamp(summary.header.writtenAt)
    sections = summary.sections.map { section in
      SectionReport(
        id: section.id.description,
        name: GraphSections.names.first { $0.id == section.id }?.name ?? section.id.description,
        encoding: section.encoding.description, elementCount: section.elementCount, frameCount: section.frameCount,
        compressedByteCount: section.compressedByteCount, contentByteCount: section.contentByteCount)
    }
  }

  /// 32 hexadecimal digits.
  static func text(ofStoreID storeID: (high: UInt64, low: UInt64)) -> String {
    hexadecimal(storeID.high) + hexadecimal(storeID.low)
  }

  private static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
