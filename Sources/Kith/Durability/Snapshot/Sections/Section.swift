/// The header of a column of a snapshot.
struct SectionHead: Hashable, Sendable {
  let id: SectionID
  /// Raised when the meaning of the content changes. Readers declare the versions they know.
  var version: UInt16 = 1
  var encoding: ColumnEncoding
  /// Whether a reader that does not know this section must reject the file.
  var isCritical = true
  var elementCount: UInt64
}

/// One column of a snapshot with all of its content.
struct Section: Sendable {
  var head: SectionHead
  var content: [UInt8]
  /// The location it was read from, for errors about its content; empty for a section not yet written.
  var place = FilePlace(file: "", offset: 0)

  var id: SectionID { head.id }
  var encoding: ColumnEncoding { head.encoding }
  var elementCount: UInt64 { head.elementCount }
}

/// The destination of a graph's columns: a snapshot file.
protocol SectionSink {
  /// Writes a column piece by piece.
  ///
  /// - Parameters:
  ///   - level: zstd's compression level; it is not stored.
  ///   - piece: creates a piece of at most `SnapshotFormat.frameContentByteCount`. Called on many threads, in any
  ///     order.
  func append(
    _ head: SectionHead, level: Int32, pieceCount: Int, _ piece: @Sendable (Int) -> ColumnPiece
  ) throws(KithError)
}

/// The source of a graph's columns: a snapshot file.
///
/// It verifies hashes before it returns content. Thread-safe.
protocol SectionSource {
  /// The file, for errors.
  var path: String { get }
  /// A column with all of its content.
  /// - Throws: `corrupt` if there is none of that name.
  func section(_ id: SectionID) throws(KithError) -> Section
  /// The header and location of a column, without its content.
  func find(_ id: SectionID) throws(KithError) -> (head: SectionHead, contentByteCount: Int, place: FilePlace)
  /// The content of a column, decompressed where it is read. Each frame is verified by its own hash, all of them by
  /// `hasItsHash` at the end.
  func framed(_ id: SectionID) throws(KithError) -> FramedContent
  /// Calls `body` with a column's content in order, frame by frame. Its hash is compared at the end; only then is the
  /// content verified.
  func forEachFrame(of id: SectionID, _ body: ([UInt8]) throws(KithError) -> Void) throws(KithError)
}

extension SectionSource {
  /// Whether there is a column of that name.
  func has(_ id: SectionID) -> Bool { (try? find(id)) != nil }

  func framed(_ id: SectionID) throws(KithError) -> FramedContent { FramedContent(try section(id).content) }
}
