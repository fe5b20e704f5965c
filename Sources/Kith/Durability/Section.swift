/// What is said of a column of a snapshot before its content.
struct SectionHead: Hashable, Sendable {
  let id: SectionID
  /// Raised when the meaning of the content changes; readers say which versions they know.
  var version: UInt16 = 1
  var encoding: ColumnEncoding
  /// Whether a reader that does not know this section must refuse the file.
  var isCritical = true
  var elementCount: UInt64
}

/// One column of a snapshot with all of its content.
struct Section: Sendable {
  var head: SectionHead
  var content: [UInt8]
  /// Where it was read from, for errors about its content; empty for a section not yet written.
  var place = FilePlace(file: "", offset: 0)

  var id: SectionID { head.id }
  var encoding: ColumnEncoding { head.encoding }
  var elementCount: UInt64 { head.elementCount }
}

/// Where a graph's columns go: a snapshot file.
protocol SectionSink {
  /// Takes a column piece by piece.
  ///
  /// - Parameters:
  ///   - level: zstd's compression level; it is not stored.
  ///   - piece: makes a piece of at most `SnapshotFormat.frameContentByteCount`; it is called from many threads, in any
  ///     order.
  func append(
    _ head: SectionHead, level: Int32, pieceCount: Int, _ piece: @Sendable (Int) -> ColumnPiece
  ) throws(KithError)
}

/// Where a graph's columns come from: a snapshot file.
///
/// What it hands over has been compared with its hashes. It may be asked from many threads.
protocol SectionSource {
  /// The file, for errors.
  var path: String { get }
  /// A column with all of its content; `corrupt` when there is none of that name.
  func section(_ id: SectionID) throws(KithError) -> Section
  /// What is said of a column, and where it stands, before its content is read.
  func find(_ id: SectionID) throws(KithError) -> (head: SectionHead, contentByteCount: Int, place: FilePlace)
  /// A column's content in order, a frame at a time. Its hash is compared at the end: only then is it known to be
  /// right.
  func forEachFrame(of id: SectionID, _ body: ([UInt8]) throws(KithError) -> Void) throws(KithError)
}
