/// The changes that a store's journals hold from one number on, frame by frame; also beside a writer that adds to them:
/// at their end it can be asked again later.
///
/// No lock is taken, and nothing is changed.
struct JournalWalk<D: Disk> {
  enum Step {
    case frame(StoredFrame)
    /// Nothing yet.
    case end
    /// No journal holds these (any more): a snapshot took their place. The walk goes on behind them.
    case missed(ClosedRange<UInt64>)
  }

  private let directory: StoreDirectory<D>
  /// The number of the change that comes next.
  private(set) var nextSequence: UInt64
  private var journal: JournalReader<D>?

  init(_ directory: StoreDirectory<D>, from sequence: UInt64) {
    self.directory = directory
    nextSequence = sequence
  }

  /// The next frame that holds the next change; its first changes may be from before it.
  ///
  /// Errors: `corrupt` for a journal that is damaged, `noStore`, `unsupportedVersion`, `system`.
  mutating func next() throws(KithError) -> Step {
    while true {
      if journal == nil, let missed = try begin() { return missed }
      guard let current = journal else { return .end }
      if let frame = try journal?.nextWritten() {
        if frame.lastSequence < nextSequence { continue }
        return take(frame)
      }
      guard let later = try journals(after: current.header.generation).first else { return .end }
      // Whatever the earlier one was still to get, it has: unless it is damaged, all that can be read is read now.
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

  /// Finds the journal that holds the next change, or will.
  private mutating func begin() throws(KithError) -> Step? {
    let journals = try journals(after: 0)
    guard let first = journals.first else { return nil }
    return enter(journals.last { $0.header.firstSequence <= nextSequence } ?? first)
  }

  /// Goes on with a journal; says what is missing before it.
  private mutating func enter(_ journal: JournalReader<D>) -> Step? {
    self.journal = journal
    let first = journal.header.firstSequence
    guard first > nextSequence else { return nil }
    defer { nextSequence = first }
    return .missed(nextSequence...first - 1)
  }

  /// The journals that have a header, oldest first; the others hold no changes.
  private func journals(after earlier: UInt64) throws(KithError) -> [JournalReader<D>] {
    var journals: [JournalReader<D>] = []
    for generation in try directory.openForReading().journals where generation > earlier {
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
