/// The valid frames of a journal, wherever they are. Damage between them is skipped.
///
/// A frame is verified by its hash, which is seeded with the id of its journal. So it is valid even if the header is
/// damaged.
struct SalvagedJournal<D: Disk> {
  /// The location of a frame, and its changes.
  struct Span {
    let offset: Int64
    let changes: ClosedRange<UInt64>
  }

  let generation: UInt64
  let path: String
  /// Nil if it is damaged.
  let header: JournalHeader?
  /// Sorted by the numbers of their first changes, each number once.
  private(set) var spans: [Span] = []
  /// The nonzero bytes after the last frame.
  private(set) var tailByteCount: Int64 = 0
  /// Whether the zeros that a writer leaves at the end are missing.
  private(set) var isCut = false
  /// The damage that was found.
  private(set) var problems: [SocialGraph.Violation] = []
  private var source: JournalSource<D>
  private var id: UInt64?

  /// The most times that all bytes of the file may be hashed in search of frames. Only a forged file reaches this
  /// limit.
  private static var hashingLimit: Int64 { 8 }

  init(_ generation: UInt64, in directory: StoreDirectory<D>) throws(KithError) {
    self.generation = generation
    path = directory.path.appendingPathComponent(StoreNames.journal(generation: generation))
    source = try JournalSource(path: path, disk: directory.disk, syncing: false)
    let bytes = Array(try source.bytes(JournalFormat.headerByteCount, at: 0))
    do throws(KithError) {
      header = try JournalHeader(decoding: bytes, file: path)
      id = JournalHeader.journalID(bytes)
    } catch {
      header = nil
      problems.append(try SocialGraph.Violation(damage: error))
    }
    try scan()
  }

  /// The number of its first change, as far as known.
  var firstSequence: UInt64? { header?.firstSequence ?? spans.first?.changes.lowerBound }

  /// A frame that was found; nil if it has disappeared since.
  mutating func frame(_ span: Span) throws(KithError) -> StoredFrame? {
    try source.frame(at: span.offset, journalID: id)
  }

  /// Records a range of bytes without valid frames.
  private mutating func note(_ start: Int64, _ end: Int64, _ reason: String) {
    let message = "bytes \(start) to \(end - 1): \(reason)"
    problems.append(SocialGraph.Violation(code: "corrupt", place: "\(path), byte \(start)", message: message))
  }

  private mutating func scan() throws(KithError) {
    var found: [UInt64: [Span]] = [:]
    var position = Int64(JournalFormat.headerByteCount)
    var (end, budget) = (position, Self.hashingLimit * source.byteCount)
    while position < source.byteCount {
      let place = FilePlace(file: path, offset: position)
      let sector = try source.bytes(JournalFormat.sectorByteCount, at: position)
      position += Int64(JournalFormat.sectorByteCount)
      guard let claimed = StoredFrame(header: sector, place: place), id == nil || claimed.journalID == id,
        Int64(claimed.byteCount) <= source.byteCount - place.offset
      else { continue }
      budget -= Int64(claimed.byteCount)
      guard budget >= 0 else {
        note(place.offset, source.byteCount, "too much here looks like frames and is none")
        break
      }
      guard let frame = claimed.completed(with: try source.bytes(claimed.byteCount, at: place.offset)) else { continue }
      do throws(KithError) {
        try frame.checkNumbers()
      } catch {
        problems.append(try SocialGraph.Violation(damage: error))
        continue
      }
      found[frame.journalID, default: []].append(
        Span(offset: place.offset, changes: frame.firstSequence...frame.lastSequence))
      if place.offset > end { note(end, place.offset, "no frame") }
      position = frame.endOffset
      end = position
    }
    // Without a header: the journal to which most frames belong.
    let own = found.max { ($0.value.count, $1.key) < ($1.value.count, $0.key) }
    id = id ?? own?.key
    spans = Self.inOrder(own?.value ?? [])
    tailByteCount = try source.endOfContent(from: end) - end
    isCut = source.byteCount < end + Int64(JournalFormat.sectorByteCount)
  }

  private static func inOrder(_ found: [Span]) -> [Span] {
    var spans: [Span] = []
    for span in found.sorted(by: { ($0.changes.lowerBound, $0.offset) < ($1.changes.lowerBound, $1.offset) })
    where spans.last.map({ $0.changes.upperBound < span.changes.lowerBound }) ?? true {
      spans.append(span)
    }
    return spans
  }
}
