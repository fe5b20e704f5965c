/// The forming journal frame: the encoded changes of the next group commit.
///
/// It forms while the previous frame is being synced. A writer commits a frame of `fullByteCount` before it begins
/// another change or batch, which has a limit of its own (`SocialGraph.Limits.batchByteCount`): so a frame cannot
/// exceed that of the format.
struct JournalFrame: Sendable {
  static let fullByteCount = 64 << 20

  /// The sequence number of its first change.
  private(set) var firstSequence: UInt64
  private(set) var count = 0
  /// The changes, encoded by `ChangeCoding`.
  private(set) var bytes: [UInt8] = []

  init(firstSequence: UInt64) {
    self.firstSequence = firstSequence
  }

  var isEmpty: Bool { count == 0 }
  var byteCount: Int { bytes.count }
  /// The sequence number of the next change.
  var nextSequence: UInt64 { firstSequence + UInt64(count) }

  /// Adds an applied change, with the number `nextSequence`.
  mutating func append(_ change: Change) {
    ChangeCoding.journal.append(change, to: &bytes)
    count += 1
    precondition(
      JournalFormat.frameByteCount(changeByteCount: bytes.count) <= JournalFormat.frameByteLimit,
      "a frame of \(Self.fullByteCount) bytes is committed before it grows")
  }

  /// Empties the frame. Keeps its memory unless that is large.
  mutating func reset(firstSequence: UInt64) {
    bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
    count = 0
    self.firstSequence = firstSequence
  }

  /// Writes the frame as stored in a file to `sealed`: header, changes, zeros up to a whole sector, hash. Returns the
  /// hash.
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
  /// Writes an integer, little-endian.
  fileprivate mutating func put<Value: FixedWidthInteger & UnsignedInteger>(_ value: Value, at offset: Int) {
    for index in 0..<Value.bitWidth / 8 { self[offset + index] = UInt8(truncatingIfNeeded: value >> Value(8 * index)) }
  }
}

/// A frame read from a journal whose hash was verified.
struct StoredFrame: Sendable {
  let place: FilePlace
  let count: Int
  let firstSequence: UInt64
  let journalID: UInt64
  /// The time of writing: after all of its changes were made, and before they were acknowledged.
  let writtenAt: Timestamp
  /// The last change that the writer knew to be synced when it wrote the frame.
  let syncedThrough: UInt64
  let byteCount: Int
  /// The bytes of the changes alone.
  let changeByteCount: Int
  private var bytes: [UInt8] = []
  /// The last eight bytes of the frame.
  private(set) var hash: UInt64 = 0

  var lastSequence: UInt64 { firstSequence + UInt64(count) - 1 }
  var endOffset: Int64 { place.offset + Int64(byteCount) }

  /// Rejects sequence numbers out of range. The hash is valid, so the frame was forged.
  func checkNumbers() throws(KithError) {
    if max(lastSequence, syncedThrough) <= JournalFormat.numberLimit { return }
    let (number, offset): (UInt64, Int64) =
      lastSequence > JournalFormat.numberLimit ? (lastSequence, 16) : (syncedThrough, 40)
    throw .corrupt(
      file: place.file, offset: place.offset + offset,
      reason: "the frame tells of change \(number), at most \(JournalFormat.numberLimit) is possible")
  }

  /// Parses a frame header; nil if the bytes are none.
  init?(header: ArraySlice<UInt8>, place: FilePlace) {
    guard header.count >= JournalFormat.frameHeaderByteCount else { return nil }
    func field<Value: FixedWidthInteger>(at offset: Int) -> Value {
      let start = header.startIndex + offset
      return header[start..<start + Value.bitWidth / 8].reversed().reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    }
    // Without a `ByteReader` and its errors, because every sector of a torn tail is tested this way.
    guard field(at: 0) == JournalFormat.frameMagic else { return nil }
    let (byteCount, count, changeByteCount): (UInt32, UInt32, UInt32) = (field(at: 4), field(at: 8), field(at: 12))
    let firstSequence: UInt64 = field(at: 16)
    guard byteCount <= JournalFormat.frameByteLimit,
      Int(byteCount) == JournalFormat.frameByteCount(changeByteCount: Int(changeByteCount)),
      count > 0, Int(count) <= Int(changeByteCount) / ChangeCoding.smallestByteCount,
      firstSequence > 0, firstSequence <= UInt64.max - UInt64(count)
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

  /// The frame with its content; nil if the hash does not match `bytes`, which must be the whole frame.
  func completed(with bytes: ArraySlice<UInt8>) -> StoredFrame? {
    guard bytes.count == byteCount else { return nil }
    var frame = self
    frame.bytes = Array(bytes)
    let hashed = byteCount - JournalFormat.checksumByteCount
    frame.hash = frame.bytes[hashed...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    guard frame.hash == XXH64.hash(frame.bytes.span.extracting(0..<hashed), seed: journalID) else { return nil }
    return frame
  }

  /// Calls `body` with each change and its location, in order.
  /// - Throws: `corrupt`, and the errors of `body`.
  func forEachChange(_ body: (Change, FilePlace) throws(KithError) -> Void) throws(KithError) {
    var reader = ByteReader(bytes, file: place.file, at: place.offset)
    try reader.skip(JournalFormat.frameHeaderByteCount)
    let end = reader.position + changeByteCount
    for _ in 0..<count {
      let start = reader.position
      let change = try ChangeCoding.journal.read(&reader)
      guard reader.position <= end else { throw reader.corrupt("a change goes on after the last", at: start) }
      try body(change, FilePlace(file: place.file, offset: place.offset + Int64(start)))
    }
    guard reader.position == end else {
      throw reader.corrupt("\(end - reader.position) bytes follow the last change", at: reader.position)
    }
  }
}
