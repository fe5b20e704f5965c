/// Where the bytes of a snapshot go: a file of a disk, or a stream.
protocol SnapshotOutput {
  /// Whether `write` may go back; otherwise each begins where the one before it ended.
  var isSeekable: Bool { get }
  func write(_ bytes: Span<UInt8>, at offset: Int64) throws(KithError)
}

/// Writes a snapshot, from its header to its tables: sections as they come, cut into frames.
///
/// Pieces are made and compressed on all cores and written in order. A section's preamble tells the hash of what
/// follows it: where the output is seekable, it is written last, over the room that was left for it; elsewhere every
/// piece is made twice, first only to be hashed, so that nothing need be kept. Memory: about six frames a worker.
final class SnapshotWriter<Output: SnapshotOutput>: SectionSink {
  private let output: Output
  private let headerHash: UInt64
  private let workers: Int
  private let noting: (SnapshotStep) -> Void
  private var entries: [SnapshotTable.Entry] = []
  /// Where the next frame will stand; in the end, the size of the snapshot.
  private(set) var offset: Int64 = 0
  /// The end of the snapshot as far as it is not yet handed to the output.
  private var pending: [UInt8] = []

  /// - Parameters:
  ///   - workers: how many threads make and compress pieces.
  ///   - noting: is told of every frame as it was written, in order; a slow answer slows the writing.
  init(
    header: SnapshotHeader, to output: Output, workers: Int = SystemDisk.coreCount,
    noting: @escaping (SnapshotStep) -> Void = { _ in }
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
      noting(.wrote(contentByteCount: packed.piece.content.count))
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

  /// Notes a section that was written, and writes its preamble, a stored frame, where there is still room for it.
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

  /// Writes the tables, with which the snapshot ends.
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
    // Whole megabytes: small frames do not each cost a call.
    if pending.count >= 1 << 20 { try flush() }
  }

  private func flush() throws(KithError) {
    let bytes = pending
    pending = []
    if bytes.isEmpty { return }
    try output.write(bytes.span, at: offset - Int64(bytes.count))
  }
}

/// What the writer of a snapshot does.
enum SnapshotStep: Sendable {
  /// A frame that holds so much was handed to the output.
  case wrote(contentByteCount: Int)
  /// All was written and synced, and is now read back.
  case verifying
}

/// The content of a section, summed up while its pieces go by: they come first, the headers of all of them last.
private struct SectionContent {
  /// What a preamble tells.
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

/// A frame ready to be written, and the content that it holds.
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
