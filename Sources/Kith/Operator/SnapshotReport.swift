/// A snapshot file as described by its header and tables.
package struct SnapshotReport: Sendable {
  /// One column.
  package struct SectionReport: Sendable {
    /// The four-letter id.
    package let id: String
    /// The readable name, e.g. `follows.target`.
    package let name: String
    /// The encoding of the numbers.
    package let encoding: String
    /// The number of elements.
    package let elementCount: UInt64
    /// The number of zstd frames.
    package let frameCount: Int
    /// The bytes in the file.
    package let compressedByteCount: Int64
    /// The decompressed bytes.
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
    storeID = summary.header.storeID.description
    sequence = summary.header.sequence
    generation = summary.header.generation
    writtenAt = Timestamp(summary.header.writtenAt)
    sections = summary.sections.map { section in
      SectionReport(
        id: section.id.description,
        name: (GraphSections.names + GraphSections.namesOfSchema).first { $0.id == section.id }?.name
          ?? section.id.description,
        encoding: section.encoding.description, elementCount: section.elementCount, frameCount: section.frameCount,
        compressedByteCount: section.compressedByteCount, contentByteCount: section.contentByteCount)
    }
  }
}
