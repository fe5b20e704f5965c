/// Reads a journal that may have been torn by a crash, damaged, or made to do harm: its header, then frame by frame,
/// then what follows the last.
///
/// A frame counts when its hash is right, seeded with the id of this journal. Memory: one frame, which is part of the
/// file, and a megabyte.
struct JournalReader<D: Disk> {
  let header: JournalHeader
  /// Where the next frame stands.
  private(set) var offset = Int64(JournalFormat.headerByteCount)
  /// The number of the next frame's first change.
  private(set) var nextSequence: UInt64
  /// Hash over the chain of all changes before it.
  private(set) var chainHash: UInt64
  private var source: JournalSource<D>
  private let id: UInt64

  /// Opens the journal at `path`.
  ///
  /// Errors: `corrupt` for a damaged header, or one that was never finished (see `holdsFrames`); `unsupportedVersion`.
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

  var path: String { source.path }

  /// The next frame; nil at the end of what can be read, which `tail` then describes.
  ///
  /// Errors: `corrupt` when frames are damaged that were on the disk for certain.
  mutating func next() throws(KithError) -> StoredFrame? {
    var frame = try source.frame(at: offset, journalID: id)
    if frame == nil, let later = try laterFrame() {
      // Beside a writer at work, a frame can be half there when it is read, and whole with another after it a moment
      // later: frames are written one by one.
      source.forgetWindow()
      frame = try source.frame(at: offset, journalID: id)
      if frame == nil { throw hole(before: later) }
    }
    return try frame.map { (frame) throws(KithError) in try pass(frame) }
  }

  /// The next frame if its writer has written it by now; nil when not, whatever follows.
  mutating func nextWritten() throws(KithError) -> StoredFrame? {
    var frame = try source.frame(at: offset, journalID: id)
    if frame == nil {
      try source.lookAgain()
      frame = try source.frame(at: offset, journalID: id)
    }
    return try frame.map { (frame) throws(KithError) in try pass(frame) }
  }

  /// Goes behind a frame.
  private mutating func pass(_ frame: StoredFrame) throws(KithError) -> StoredFrame {
    guard frame.firstSequence == nextSequence else {
      throw frame.place.corrupt("the frame begins with change \(frame.firstSequence), not \(nextSequence)")
    }
    offset = frame.endOffset
    nextSequence = frame.lastSequence + 1
    chainHash = JournalFormat.chain(chainHash, frame.hash)
    return frame
  }

  /// How many bytes follow the frames read so far, without the zeros at the end of the file; 0 after a clean end.
  mutating func tailByteCount() throws(KithError) -> Int64 {
    try source.endOfContent(from: offset) - offset
  }

  /// About how many changes are still to come: as many for each byte as so far.
  var expectedChangeCount: Int {
    let (done, left) = (offset - Int64(JournalFormat.headerByteCount), source.byteCount - offset)
    return Int(Double(nextSequence - header.firstSequence) * Double(max(left, 0)) / Double(max(done, 1)))
  }

  /// Whether the file ends where its writer always leaves room: then its end was cut off, with whatever stood there.
  var isCut: Bool { source.byteCount < offset + Int64(JournalFormat.sectorByteCount) }

  /// A frame further on whose writer knew that the change which should stand at `offset` was on the disk.
  ///
  /// Frames written without a sync between them may be torn in any order by a crash; this one tells that there was a
  /// sync.
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

  /// Whether a journal without a sound header holds any frame: then it was damaged, since no frame is written before
  /// the header is on the disk. Without any, a crash came before the first.
  static func holdsFrames(_ source: JournalSource<D>) throws(KithError) -> Bool {
    var source = source
    return try source.firstFrame(from: Int64(JournalFormat.headerByteCount)) { _ in true } != nil
  }
}

extension JournalSource {
  /// The frame at `offset`, of this journal (of any, when the id is nil); nil when none stands there.
  mutating func frame(at offset: Int64, journalID: UInt64?) throws(KithError) -> StoredFrame? {
    let place = FilePlace(file: path, offset: offset)
    guard let frame = StoredFrame(header: try bytes(JournalFormat.sectorByteCount, at: offset), place: place),
      journalID == nil || frame.journalID == journalID, Int64(frame.byteCount) <= byteCount - offset
    else { return nil }
    return frame.completed(with: try bytes(frame.byteCount, at: offset))
  }

  /// The first frame from `offset` on, at any sector, that is sound and wanted.
  ///
  /// Errors: `corrupt` when so much looks like frames, one inside the other, that a forger must have made it.
  mutating func firstFrame(from offset: Int64, _ isWanted: (StoredFrame) -> Bool) throws(KithError) -> StoredFrame? {
    var position = offset
    // Honest files have one torn frame, and hash each byte once.
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
