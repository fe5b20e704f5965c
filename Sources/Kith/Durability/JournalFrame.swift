/// The changes that wait for the next write of the journal, as bytes: one frame, one group commit.
///
/// It forms while the frame before it is being synced. The limit of what a frame may hold cannot be reached by a writer
/// that commits a frame of `fullByteCount` before it begins another change or batch: the longest batch is 656 MB.
struct JournalFrame: Sendable {
  static let fullByteCount = 64 << 20

  /// The number of its first change.
  private(set) var firstSequence: UInt64
  private(set) var count = 0
  /// The changes, as `ChangeCoding` writes them.
  private(set) var bytes: [UInt8] = []

  init(firstSequence: UInt64) {
    self.firstSequence = firstSequence
  }

  var isEmpty: Bool { count == 0 }
  var byteCount: Int { bytes.count }
  /// The number that the next change will have.
  var nextSequence: UInt64 { firstSequence + UInt64(count) }

  /// Adds a change that was applied; its number is `nextSequence`.
  mutating func append(_ change: Change) {
    ChangeCoding.append(change, to: &bytes)
    count += 1
    precondition(
      JournalFormat.frameByteCount(changeByteCount: bytes.count) <= JournalFormat.frameByteLimit,
      "a frame of \(Self.fullByteCount) bytes is committed before it grows")
  }

  /// Empty again, with the memory it had if that is not much.
  mutating func reset(firstSequence: UInt64) {
    bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
    count = 0
    self.firstSequence = firstSequence
  }

  /// Puts the frame as it stands in a file into `sealed`: header, changes, zeros up to a whole sector, hash, which it
  /// returns.
  func seal(
    into sealed: inout [UInt8], journalID: UInt64, writtenAt: Timestamp, syncedThrough: UInt64
  ) -> UInt64 {
    let byteCount = JournalFormat.frameByteCount(changeByteCount: bytes.count)
    sealed.removeAll(keepingCapacity: true)
    sealed.reserveCapacity(byteCount)
    sealed.append(contentsOf: JournalFormat.zeros.prefix(JournalFormat.frameHeaderByteCount))
    sealed.append(contentsOf: bytes)
    sealed.append(contentsOf: JournalFormat.zeros.prefix(byteCount - sealed.count))
    var span = sealed.mutableSpan
    span.put(JournalFormat.frameMagic, at: 0)
    span.put(UInt32(byteCount), at: 4)
    span.put(UInt32(count), at: 8)
    span.put(UInt32(bytes.count), at: 12)
    span.put(firstSequence, at: 16)
    span.put(journalID, at: 24)
    span.put(UInt64(bitPattern: writtenAt.rawValue), at: 32)
    span.put(syncedThrough, at: 40)
    let hashed = byteCount - JournalFormat.checksumByteCount
    let hash = XXH64.hash(span.span.extracting(0..<hashed), seed: journalID)
    span.put(hash, at: hashed)
    return hash
  }
}

extension MutableSpan<UInt8> {
  /// An integer, little-endian.
  fileprivate mutating func put<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value, at offset: Int) {
    for index in 0..<Value.bitWidth / 8 { self[offset + index] = UInt8(truncatingIfNeeded: value >> Value(8 * index)) }
  }
}

/// A frame read from a journal: its hash was right.
struct StoredFrame: Sendable {
  let place: FilePlace
  let count: Int
  let firstSequence: UInt64
  let journalID: UInt64
  /// When it was written: after all of its changes were made, and before they were acknowledged.
  let writtenAt: Timestamp
  /// The last change that its writer knew to be on the disk when it wrote the frame.
  let syncedThrough: UInt64
  let byteCount: Int
  /// Bytes of the changes alone.
  let changeByteCount: Int
  private var bytes: [UInt8] = []
  /// The last eight bytes of the frame.
  private(set) var hash: UInt64 = 0

  var lastSequence: UInt64 { firstSequence + UInt64(count) - 1 }
  var endOffset: Int64 { place.offset + Int64(byteCount) }

  /// What a frame's first bytes say; nil when no frame begins with them.
  init?(header: ArraySlice<UInt8>, place: FilePlace) {
    guard header.count >= JournalFormat.frameHeaderByteCount else { return nil }
    func field<Value: FixedWidthInteger>(at offset: Int) -> Value {
      let start = header.startIndex + offset
      return header[start..<start + Value.bitWidth / 8].reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }
    // Without a reader and its errors: each sector of a torn tail is looked at in this way.
    guard field(at: 0) == JournalFormat.frameMagic else { return nil }
    let (byteCount, count, changeByteCount): (UInt32, UInt32, UInt32) = (field(at: 4), field(at: 8), field(at: 12))
    let firstSequence: UInt64 = field(at: 16)
    guard byteCount <= JournalFormat.frameByteLimit,
      Int(byteCount) == JournalFormat.frameByteCount(changeByteCount: Int(changeByteCount)),
      count > 0, Int(count) <= Int(changeByteCount) / ChangeCoding.smallestByteCount,
      firstSequence > 0, firstSequence <= JournalFormat.numberLimit - UInt64(count)
    else { return nil }
    self.place = place
    self.byteCount = Int(byteCount)
    self.count = Int(count)
    self.changeByteCount = Int(changeByteCount)
    self.firstSequence = firstSequence
    journalID = field(at: 24)
    writtenAt = Timestamp(field(at: 32))
    syncedThrough = field(at: 40)
  }

  /// The frame with its content; nil when the hash is not that of `bytes`, which are all of it.
  func completed(with bytes: ArraySlice<UInt8>) -> StoredFrame? {
    guard bytes.count == byteCount else { return nil }
    var frame = self
    frame.bytes = Array(bytes)
    let hashed = byteCount - JournalFormat.checksumByteCount
    frame.hash = frame.bytes[hashed...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    guard frame.hash == XXH64.hash(frame.bytes.span.extracting(0..<hashed), seed: journalID) else { return nil }
    return frame
  }

  /// Hands out the changes in order.
  ///
  /// - Parameter body: gets each change, and where it stands. Errors: `corrupt`, and those of `body`.
  func forEachChange(_ body: (Change, FilePlace) throws(KithError) -> Void) throws(KithError) {
    var reader = ByteReader(bytes, file: place.file, at: place.offset)
    try reader.skip(JournalFormat.frameHeaderByteCount)
    let end = reader.position + changeByteCount
    for _ in 0..<count {
      let start = reader.position
      let change = try ChangeCoding.read(&reader)
      guard reader.position <= end else { throw reader.corrupt("a change goes on after the last", at: start) }
      try body(change, FilePlace(file: place.file, offset: place.offset + Int64(start)))
    }
    guard reader.position == end else {
      throw reader.corrupt("\(end - reader.position) bytes follow the last change", at: reader.position)
    }
  }
}
