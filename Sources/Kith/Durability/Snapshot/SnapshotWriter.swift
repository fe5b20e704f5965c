/// Writes a snapshot, from its header to its tables: sections in the order of the calls, cut into frames.
///
/// Pieces are encoded and compressed on all cores and written in order. A section's preamble contains the hash of the
/// content that follows. If the output is seekable, the preamble is written last, into space left for it. Otherwise
/// every piece is encoded twice, first only to be hashed, so that no content need be buffered. Memory: about six frames
/// per worker.
final class SnapshotWriter<Output: SnapshotOutput>: SectionSink {
  private let output: Output
  private let headerHash: UInt64
  private let workers: Int
  private let noting: (SnapshotStep) throws(KithError) -> Void
  private var entries: [SnapshotTable.Entry] = []
  /// The offset of the next frame; in the end, the size of the snapshot.
  private(set) var offset: Int64 = 0
  /// The bytes not yet passed to the output.
  private var pending: [UInt8] = []

  /// - Parameters:
  ///   - workers: the number of threads that encode and compress pieces.
  ///   - noting: called for every frame written, in order. The writer waits for it; an error ends the writing.
  init(
    header: SnapshotHeader, to output: Output, workers: Int = SystemDisk.coreCount,
    noting: @escaping (SnapshotStep) throws(KithError) -> Void = { _ in }
  ) throws(KithError) {
    self.output = output
    self.workers = workers
    self.noting = noting
    let headerBytes = header.encoded()
    headerHash = XXH64.hash(headerBytes.span)
    try append(headerBytes)
  }

  var summaries: [SectionSummary] { entries.map(\.summary) }

  /// Compresses one section into frames and writes them.
  func append(
    _ head: SectionHead, level: Int32, pieceCount: Int, _ piece: @Sendable (Int) -> ColumnPiece
  ) throws(KithError) {
    let start = offset
    if output.isSeekable {
      try append([UInt8](repeating: 0, count: Zstd.storedByteCount(SnapshotFormat.preambleByteCount)))
    } else {
      var content = SectionContent()
      try Parallel.inOrder(pieceCount, workers: workers) { (index) throws(KithError) in
        piece(index)
      } take: { (_, made) throws(KithError) in
        content.add(made)
      }
      let preamble = SnapshotTable.Entry(head: head, content.finish(), fileOffset: start, frames: []).preamble()
      try append(Zstd.stored(preamble))
    }
    var content = SectionContent()
    var frames: [SnapshotTable.Frame] = []
    func take(_ packed: Packed) throws(KithError) {
      frames.append(
        .init(
          compressedByteCount: packed.frame.count, contentByteCount: packed.piece.content.count, hash: packed.hash))
      try append(packed.frame)
      try noting(.wrote(contentByteCount: packed.piece.content.count))
    }
    try Parallel.inOrder(pieceCount, workers: workers) { (index) throws(KithError) in
      try Packed(piece(index), level)
    } take: { (_, packed) throws(KithError) in
      content.add(packed.piece)
      try take(packed)
    }
    for piece in content.headerPieces { try take(try Packed(piece, level)) }
    try appendEntry(head, content.finish(), at: start, frames)
  }

  /// Records a written section, and writes its preamble, a stored frame, into the space left for it.
  private func appendEntry(
    _ head: SectionHead, _ content: SectionContent.Sum, at start: Int64, _ frames: [SnapshotTable.Frame]
  ) throws(KithError) {
    let preamble = SnapshotTable.Entry(head: head, content, fileOffset: start, frames: []).preamble()
    let frame = Zstd.stored(preamble)
    if output.isSeekable {
      try flush()
      try output.write(frame.span, at: start)
    }
    let first = SnapshotTable.Frame(
      compressedByteCount: frame.count, contentByteCount: preamble.count, hash: XXH64.hash(frame.span))
    entries.append(SnapshotTable.Entry(head: head, content, fileOffset: start, frames: [first] + frames))
  }

  /// Writes the tables at the end of the snapshot.
  func finish() throws(KithError) -> SnapshotTable {
    let table = SnapshotTable(headerHash: headerHash, entries: entries)
    try append(table.encoded())
    try append(table.encodedSeekTable())
    try flush()
    return table
  }

  private func append(_ bytes: [UInt8]) throws(KithError) {
    offset += Int64(bytes.count)
    pending += bytes
    // Writes whole megabytes, so that small frames do not each cost a call.
    if pending.count >= 1 << 20 { try flush() }
  }

  private func flush() throws(KithError) {
    let bytes = pending
    pending = []
    if bytes.isEmpty { return }
    try output.write(bytes.span, at: offset - Int64(bytes.count))
  }
}

/// A step of writing a snapshot.
enum SnapshotStep: Sendable {
  /// A frame with this much content was passed to the output.
  case wrote(contentByteCount: Int)
  /// All was written and synced, and is now read back.
  case verifying
  /// A frame with this much content was read back.
  case verified(contentByteCount: Int)
}

/// Sums up the content of a section while its pieces pass: first the pieces, then the headers of all of them.
struct SectionContent {
  /// The values stored in a preamble.
  typealias Sum = (byteCount: Int, hash: UInt64)

  private var hash = XXH64()
  private var headers: [UInt8] = []
  private var byteCount = 0

  mutating func add(_ piece: ColumnPiece) {
    hash.update(piece.content.span)
    byteCount += piece.content.count
    headers += piece.headers
  }

  /// The headers, in pieces of a frame each.
  var headerPieces: [ColumnPiece] {
    stride(from: 0, to: headers.count, by: SnapshotFormat.frameContentByteCount).map { first in
      ColumnPiece(content: Array(headers[first...].prefix(SnapshotFormat.frameContentByteCount)))
    }
  }

  mutating func finish() -> Sum {
    let headers = headers
    hash.update(headers.span)
    return (byteCount + headers.count, hash.finalize())
  }
}

extension SnapshotTable.Entry {
  fileprivate init(
    head: SectionHead, _ content: SectionContent.Sum, fileOffset: Int64, frames: [SnapshotTable.Frame]
  ) {
    self.init(
      head: head, contentByteCount: content.byteCount, contentHash: content.hash, fileOffset: fileOffset,
      frames: frames)
  }
}

/// A compressed frame with its uncompressed content.
private struct Packed: Sendable {
  let piece: ColumnPiece
  let frame: [UInt8]
  let hash: UInt64

  init(_ piece: ColumnPiece, _ level: Int32) throws(KithError) {
    let frame = try ZstdCompressor.pool.lend { () throws(KithError) in
      try ZstdCompressor()
    } _: { (compressor) throws(KithError) in
      try compressor.compress(piece.content.span, level: level)
    }
    self.piece = piece
    self.frame = frame
    hash = XXH64.hash(frame.span)
  }
}
