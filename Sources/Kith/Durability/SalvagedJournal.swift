/// The frames of a journal that are sound, wherever they stand: what is damaged between them is passed over.
///
/// A frame proves itself by its hash, which the id of its journal seeds; so it counts even where the header is damaged.
struct SalvagedJournal<D: Disk> {
  /// Where a frame stands, and what it holds.
  struct Span {
    let offset: Int64
    let changes: ClosedRange<UInt64>
  }

  let generation: UInt64
  let path: String
  /// Nil when it is damaged.
  let header: JournalHeader?
  /// By the number of their first changes, each number once.
  private(set) var spans: [Span] = []
  /// Bytes after the last of them that are not zero.
  private(set) var tailByteCount: Int64 = 0
  /// Whether its end, where a writer leaves room, is cut off.
  private(set) var isCut = false
  /// What is wrong with it.
  private(set) var problems: [Problem] = []
  private var source: JournalSource<D>
  private var id: UInt64?

  /// Bytes that look like frames may be hashed so many times over, all told; only a forger makes that necessary.
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
      problems.append(try Problem(damage: error))
    }
    try scan()
  }

  /// The number with which its changes begin, as far as it can be told.
  var firstSequence: UInt64? { header?.firstSequence ?? spans.first?.changes.lowerBound }

  /// A frame that was found; nil when it has gone since.
  mutating func frame(_ span: Span) throws(KithError) -> StoredFrame? {
    try source.frame(at: span.offset, journalID: id)
  }

  /// Notes bytes that hold nothing that counts.
  private mutating func note(_ start: Int64, _ end: Int64, _ reason: String) {
    let message = "bytes \(start) to \(end - 1): \(reason)"
    problems.append(Problem(code: "corrupt", place: "\(path), byte \(start)", message: message))
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
      found[frame.journalID, default: []].append(
        Span(offset: place.offset, changes: frame.firstSequence...frame.lastSequence))
      if place.offset > end { note(end, place.offset, "no frame") }
      position = frame.endOffset
      end = position
    }
    // Without a header: the journal to which most of them belong.
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
