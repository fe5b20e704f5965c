/// Iterates over the changes in a store's journals from a sequence number on, frame by frame. Works beside a writer
/// that appends: at the end it can be polled again.
///
/// Takes no lock and changes nothing.
struct JournalWalk<D: Disk> {
  enum Step {
    case frame(StoredFrame)
    /// No further frame yet.
    case end
    /// No journal holds these changes: a snapshot replaced them. The walk continues after them.
    case missed(ClosedRange<UInt64>)
  }

  private let directory: StoreDirectory<D>
  /// The sequence number of the next change.
  private(set) var nextSequence: UInt64
  private var journal: JournalReader<D>?

  init(_ directory: StoreDirectory<D>, from sequence: UInt64) {
    self.directory = directory
    nextSequence = sequence
  }

  /// The frame that contains the next change. Its first changes may be earlier ones.
  /// - Throws: `corrupt` if a journal is damaged; `noStore`, `unsupportedVersion`, `system`.
  mutating func next() throws(KithError) -> Step {
    while true {
      if journal == nil, let missed = try begin() { return missed }
      if let frame = try journal?.nextWritten() {
        if frame.lastSequence < nextSequence { continue }
        return take(frame)
      }
      let contents = try directory.openForReading()
      guard let current = journal, let later = try journals(contents, after: current.header.generation).first else {
        guard let snapshot = contents.snapshots.map(\.sequence).max(), snapshot >= nextSequence else { return .end }
        // An import's. Changes of a journal were written before the snapshot that has them.
        if let frame = try journal?.nextWritten() {
          if frame.lastSequence < nextSequence { continue }
          return take(frame)
        }
        defer { nextSequence = snapshot + 1 }
        return .missed(nextSequence...snapshot)
      }
      // The earlier journal is complete now: unless it is damaged, this reads all that is left of it.
      if let frame = try journal?.next() {
        if frame.lastSequence < nextSequence { continue }
        return take(frame)
      }
      if let missed = enter(later) { return missed }
    }
  }

  private mutating func take(_ frame: StoredFrame) -> Step {
    nextSequence = frame.lastSequence + 1
    return .frame(frame)
  }

  /// Finds the journal that contains the next change, or will contain it.
  private mutating func begin() throws(KithError) -> Step? {
    let journals = try journals(try directory.openForReading(), after: 0)
    guard let first = journals.first else { return nil }
    return enter(journals.last { $0.header.firstSequence <= nextSequence } ?? first)
  }

  /// Continues with a journal. Returns the gap before it, if any.
  private mutating func enter(_ journal: JournalReader<D>) -> Step? {
    self.journal = journal
    let first = journal.header.firstSequence
    guard first > nextSequence else { return nil }
    defer { nextSequence = first }
    return .missed(nextSequence...first - 1)
  }

  /// The journals that have a header, oldest first. The others hold no changes.
  private func journals(
    _ contents: StoreDirectory<D>.Contents, after earlier: UInt64
  ) throws(KithError) -> [JournalReader<D>] {
    var journals: [JournalReader<D>] = []
    for generation in contents.journals where generation > earlier {
      let path = directory.path.appendingPathComponent(StoreNames.journal(generation: generation))
      do throws(KithError) {
        journals.append(try JournalReader(path: path, disk: directory.disk, syncing: false))
      } catch {
        switch error {
        case .corrupt, .system(SystemError.noSuchFile, _, _): continue
        default: throw error
        }
      }
    }
    return journals
  }
}
