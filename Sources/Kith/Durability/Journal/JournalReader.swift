/// Reads a journal that may be torn by a crash, damaged or malicious: its header, then frame by frame, then the tail.
///
/// A frame is valid if its hash, seeded with the journal's id, matches. Memory: one frame, whose bytes exist in the
/// file, and a megabyte.
struct JournalReader<D: Disk> {
  let header: JournalHeader
  /// The offset of the next frame.
  private(set) var offset = Int64(JournalFormat.headerByteCount)
  /// The sequence number of the first change of the next frame.
  private(set) var nextSequence: UInt64
  /// The chain hash of all changes before it.
  private(set) var chainHash: UInt64
  private var source: JournalSource<D>
  private let id: UInt64

  /// Opens the journal at `path`.
  /// - Throws: `corrupt` if the header is damaged or incomplete (see `holdsFrames`); `unsupportedVersion`.
  init(path: String, disk: D, syncing: Bool) throws(KithError) {
    try self.init(JournalSource(path: path, disk: disk, syncing: syncing))
  }

  init(_ source: JournalSource<D>) throws(KithError) {
    var source = source
    let bytes = Array(try source.bytes(JournalFormat.headerByteCount, at: 0))
    header = try JournalHeader(decoding: bytes, file: source.path)
    id = JournalHeader.journalID(bytes)
    nextSequence = header.firstSequence
    chainHash = header.chainHash
    self.source = source
  }

  /// Opens a journal; nil if a crash came before its first frame.
  static func begun(_ source: JournalSource<D>) throws(KithError) -> JournalReader? {
    do throws(KithError) {
      return try JournalReader(source)
    } catch {
      guard case .corrupt = error else { throw error }
      guard try holdsFrames(source) else { return nil }
      // Beside an active writer, the header may have been incomplete a moment ago.
      return try JournalReader(source)
    }
  }

  var path: String { source.path }

  /// The next frame; nil at the end of the readable frames, where `tailByteCount` describes the rest.
  /// - Throws: `corrupt` if frames are damaged that were certainly synced.
  mutating func next() throws(KithError) -> StoredFrame? {
    var frame = try source.frame(at: offset, journalID: id)
    if frame == nil, let later = try laterFrame() {
      // A concurrent writer may have written half of a frame when it was read, and completed it and added another a
      // moment later. Frames are written one at a time, so reading it again is enough.
      source.forgetWindow()
      frame = try source.frame(at: offset, journalID: id)
      if frame == nil { throw hole(before: later) }
    }
    return try frame.map { (frame) throws(KithError) in try pass(frame) }
  }

  /// The next frame if its writer has written it by now; otherwise nil, whatever follows.
  mutating func nextWritten() throws(KithError) -> StoredFrame? {
    var frame = try source.frame(at: offset, journalID: id)
    if frame == nil {
      try source.refresh()
      frame = try source.frame(at: offset, journalID: id)
    }
    return try frame.map { (frame) throws(KithError) in try pass(frame) }
  }

  /// Advances past a frame.
  private mutating func pass(_ frame: StoredFrame) throws(KithError) -> StoredFrame {
    try frame.checkNumbers()
    guard frame.firstSequence == nextSequence else {
      throw frame.place.corrupt("the frame begins with change \(frame.firstSequence), not \(nextSequence)")
    }
    offset = frame.endOffset
    nextSequence = frame.lastSequence + 1
    chainHash = JournalFormat.chain(chainHash, frame.hash)
    return frame
  }

  /// The number of bytes after the frames read so far, without trailing zeros; 0 after a clean end.
  mutating func tailByteCount() throws(KithError) -> Int64 {
    try source.endOfContent(from: offset) - offset
  }

  /// An estimate of the changes still to come: as many per byte as so far.
  var expectedChangeCount: Int {
    let (done, left) = (offset - Int64(JournalFormat.headerByteCount), source.byteCount - offset)
    return Int(Double(nextSequence - header.firstSequence) * Double(max(left, 0)) / Double(max(done, 1)))
  }

  /// Whether the file lacks the zeros that its writer always leaves at the end: its end was then cut off.
  var isCut: Bool { source.byteCount < offset + Int64(JournalFormat.sectorByteCount) }

  /// A later frame whose writer knew that the change expected at `offset` was synced.
  ///
  /// Frames written without a sync between them may be torn in any order by a crash. Such a frame proves that there was
  /// a sync.
  private mutating func laterFrame() throws(KithError) -> StoredFrame? {
    let (id, sequence) = (id, nextSequence)
    return try source.firstFrame(from: offset + Int64(JournalFormat.sectorByteCount)) { frame in
      frame.journalID == id && frame.syncedThrough >= sequence
    }
  }

  private func hole(before later: StoredFrame) -> KithError {
    .corrupt(
      file: path, offset: offset,
      reason: "bytes \(offset) to \(later.place.offset - 1) are damaged: changes \(nextSequence) to "
        + "\(later.firstSequence - 1) were on the disk, and intact ones follow")
  }

  /// Whether a journal without an intact header contains a frame. If so, it was damaged, because no frame is written
  /// before the header is synced. If not, a crash came before the first frame.
  static func holdsFrames(_ source: JournalSource<D>) throws(KithError) -> Bool {
    var source = source
    return try source.firstFrame(from: Int64(JournalFormat.headerByteCount)) { _ in true } != nil
  }
}

extension JournalSource {
  /// The frame at `offset`, of this journal (of any, if the id is nil); nil if there is none.
  mutating func frame(at offset: Int64, journalID: UInt64?) throws(KithError) -> StoredFrame? {
    let place = FilePlace(file: path, offset: offset)
    guard let frame = StoredFrame(header: try bytes(JournalFormat.sectorByteCount, at: offset), place: place),
      journalID == nil || frame.journalID == journalID, Int64(frame.byteCount) <= byteCount - offset
    else { return nil }
    return frame.completed(with: try bytes(frame.byteCount, at: offset))
  }

  /// The first valid frame from `offset` on, at any sector, that satisfies the predicate.
  /// - Throws: `corrupt` if so many bytes look like nested frames that the file must be forged.
  mutating func firstFrame(from offset: Int64, _ isWanted: (StoredFrame) -> Bool) throws(KithError) -> StoredFrame? {
    var position = offset
    // A regular file has one torn frame, and each byte is hashed once.
    var budget = 2 * byteCount
    while position < byteCount {
      let place = FilePlace(file: path, offset: position)
      let sector = try bytes(JournalFormat.sectorByteCount, at: position)
      if let frame = StoredFrame(header: sector, place: place), isWanted(frame),
        Int64(frame.byteCount) <= byteCount - position
      {
        budget -= Int64(frame.byteCount)
        guard budget >= 0 else { throw place.corrupt("too much here looks like frames and is none") }
        if let sound = frame.completed(with: try bytes(frame.byteCount, at: position)) { return sound }
      }
      position += Int64(JournalFormat.sectorByteCount)
    }
    return nil
  }
}
