/// What the files of a store hold.
struct Recovered: ~Copyable, Sendable {
  var state = GraphState()
  /// Nil when no file says it: the store is new.
  var storeID: (high: UInt64, low: UInt64)?
  /// Hash over the chain of all changes.
  fileprivate(set) var chainHash: UInt64 = 0
  var report = RecoveryReport()
  /// Whether the state is the one that was asked for, and the files may hold more.
  fileprivate(set) var hasArrived = false
  /// Whether a whole file was left out because it is beyond the instant.
  fileprivate(set) var isCut = false
  /// The change before which followers and likers are not deferred again.
  fileprivate var nextDeferral: UInt64 = 0

  fileprivate init() {}
}

/// From the files of a store to its state: the newest sound snapshot, and every journal since.
///
/// Either the state is exact up to its sequence number, and that is not below anything acknowledged, or an error is
/// thrown. A store is empty only when none of its files says otherwise. An error of reading is not damage: it is
/// thrown.
///
/// - Complexity: O(snapshot + journals since). Memory: the state, the sections of the snapshot, the longest frame.
struct Recovery<D: Disk> {
  let directory: StoreDirectory<D>
  let point: RestorePoint
  let acknowledgement: Acknowledgement?
  let contents: StoreDirectory<D>.Contents
  private let isWriter: Bool
  private let memoryLimit: Int

  /// For whoever will write: what memory holds of the journals is brought to the disk first, and then read from there.
  static func forWriting(
    _ directory: StoreDirectory<D>, holding lock: StoreLock<D>, memoryLimit: Int = SnapshotFile.defaultMemoryLimit
  ) throws(KithError) -> Recovered {
    try lock.checkProcess()
    // Names that a crashed process gave may not be on the disk yet.
    try directory.disk.syncDirectory(directory.path)
    return try Recovery(directory, isWriter: true, to: .newest, memoryLimit).run()
  }

  /// Without a lock, changing nothing; also beside a writer at work, of which it sees an instant not before the call.
  ///
  /// Of an earlier instant: the newest sound snapshot that is not beyond it, and the journals since, up to there.
  /// Errors: also `invalidRequest` for an instant to which no files lead.
  static func forReading(
    _ directory: StoreDirectory<D>, to point: RestorePoint = .newest,
    memoryLimit: Int = SnapshotFile.defaultMemoryLimit
  ) throws(KithError) -> Recovered {
    try StoreDirectory<D>.againWhilePruned { () throws(KithError) in
      try Recovery(directory, isWriter: false, to: point, memoryLimit).run()
    }
  }

  private init(
    _ directory: StoreDirectory<D>, isWriter: Bool, to point: RestorePoint, _ memoryLimit: Int
  ) throws(KithError) {
    self.directory = directory
    self.isWriter = isWriter
    self.point = point
    self.memoryLimit = memoryLimit
    // Before the names: beside a writer, the files listed later hold all that this bound tells of.
    acknowledgement = try AcknowledgementFile.read(in: directory.path, disk: directory.disk, syncing: isWriter)
    guard let contents = try directory.contents(), !contents.isEmpty else { throw .noStore(path: directory.path) }
    self.contents = contents
  }

  private func run() throws(KithError) -> Recovered {
    var recovered = Recovered()
    let damage = try loadSnapshot(into: &recovered)
    try replayJournals(into: &recovered, damage)
    recovered.state.users.settleSearch()
    recovered.report.sequence = recovered.state.sequence
    recovered.report.journals.sort { $0.name < $1.name }
    try checkBounds(&recovered, damage)
    recovered.report.nextGeneration = try nextGeneration()
    return recovered
  }

  // MARK: - The snapshot

  /// What is known of damaged snapshots: the error of the newest.
  struct Damage {
    let name: SnapshotName
    let error: KithError
  }

  /// Takes the newest snapshot that is sound, from its bytes to what they mean.
  private func loadSnapshot(into recovered: inout Recovered) throws(KithError) -> Damage? {
    var damage: Damage?
    for name in contents.snapshots.reversed() {
      do throws(KithError) {
        if try isBeyond(name) {
          recovered.isCut = true
          continue
        }
        let snapshot = try directory.readSnapshot(name, memoryLimit: memoryLimit)
        let header = snapshot.header
        recovered.state = snapshot.state
        recovered.storeID = header.storeID
        recovered.chainHash = header.chainHash
        recovered.report.snapshot = name.description
        return damage
      } catch {
        switch error {
        case .corrupt(_, _, let reason), .notAStore(_, let reason):
          damage = damage ?? Damage(name: name, error: error)
          recovered.report.skippedSnapshots.append(.init(name: name.description, reason: reason))
        // A later version, a disk that cannot be read, too little memory: no damage, so nothing may make up for it.
        default: throw error
        }
      }
    }
    return damage
  }

  /// Whether a snapshot holds changes beyond the instant; of a time, its header tells.
  private func isBeyond(_ name: SnapshotName) throws(KithError) -> Bool {
    if case .time = point { return point.precedes(name, try directory.inspect(name).header) }
    return point.precedes(name)
  }

  // MARK: - The journals

  /// Replays, in order, the journals since the snapshot; without one, all of them.
  private func replayJournals(into recovered: inout Recovered, _ damage: Damage?) throws(KithError) {
    let base = recovered.report.snapshot.flatMap { SnapshotName($0) }
    recovered.hasArrived = point.isReached(at: recovered.state.sequence)
    if recovered.hasArrived { return }
    var generations = contents.journals.filter { $0 >= base?.generation ?? 0 }[...]
    var next = try openNext(of: &generations, &recovered)
    while let journal = next, !recovered.hasArrived {
      if point.precedes(journal.header) {
        recovered.isCut = true
        break
      }
      next = try openNext(of: &generations, &recovered)
      let first = journal.header.firstSequence
      guard first == recovered.state.sequence + 1 else {
        if base == nil, let damage { throw directory.advised(damage.error, about: damage.name) }
        if base == nil, point != .newest { throw point.unreachable(in: directory.path) }
        throw .corrupt(
          file: journal.path, offset: 40,
          reason: "it begins with change \(first), but what precedes it ends with \(recovered.state.sequence)")
      }
      guard journal.header.chainHash == recovered.chainHash else {
        throw .corrupt(file: journal.path, offset: 48, reason: "it continues other changes than those that precede it")
      }
      try replay(journal, before: next?.header, into: &recovered)
    }
    recovered.state.buildBackward()
  }

  /// The next journal that has a header; those without one, and so without changes, are passed over.
  private func openNext(
    of generations: inout ArraySlice<UInt64>, _ recovered: inout Recovered
  ) throws(KithError) -> JournalReader<D>? {
    while let generation = generations.popFirst() {
      let name = StoreNames.journal(generation: generation)
      let source = try JournalSource(
        path: directory.path.appendingPathComponent(name), disk: directory.disk, syncing: isWriter)
      guard let journal = try open(source) else {
        let end = RecoveryReport.Journal.End.unborn(byteCount: source.byteCount)
        recovered.report.journals.append(
          .init(name: name, firstSequence: 0, changeCount: 0, frameCount: 0, end: end))
        continue
      }
      guard journal.header.generation == generation else {
        throw .corrupt(
          file: journal.path, offset: 32, reason: "it is the journal of generation \(journal.header.generation)")
      }
      let storeID = recovered.storeID ?? journal.header.storeID
      guard storeID == journal.header.storeID else {
        throw .corrupt(file: journal.path, offset: 16, reason: "it belongs to another store")
      }
      recovered.storeID = storeID
      return journal
    }
    return nil
  }

  /// Nil when a crash came before the journal's first frame.
  private func open(_ source: JournalSource<D>) throws(KithError) -> JournalReader<D>? {
    do throws(KithError) {
      return try JournalReader(source)
    } catch {
      guard case .corrupt = error else { throw error }
      guard try JournalReader.holdsFrames(source) else { return nil }
      // Beside a writer at work, the header may have been half there a moment ago.
      return try JournalReader(path: source.path, disk: directory.disk, syncing: isWriter)
    }
  }

  /// Applies the changes of a journal, as far as the next one, if there is one, does not begin again.
  private func replay(
    _ journal: JournalReader<D>, before next: JournalHeader?, into recovered: inout Recovered
  ) throws(KithError) {
    var journal = journal
    var frameCount = 0
    let limit = next?.firstSequence
    while journal.nextSequence < limit ?? .max, !recovered.hasArrived, let frame = try journal.next() {
      if point.precedes(endOf: frame) {
        recovered.hasArrived = true
        break
      }
      try frame.forEachChange { (change, place) throws(KithError) in
        try Self.replay(change, at: place, on: &recovered.state)
      }
      frameCount += 1
      recovered.hasArrived = point.isReached(at: recovered.state.sequence)
      deferBackward(before: journal.expectedChangeCount, on: &recovered)
    }
    if recovered.hasArrived { return note(journal, frameCount, .clean, &recovered) }
    let (offset, byteCount) = (journal.offset, try journal.tailByteCount())
    // Changes in bulk come without a journal; what lies beyond the instant need not follow.
    if let next, let limit, journal.nextSequence != limit, !point.precedes(next) {
      throw .corrupt(
        file: journal.path, offset: offset,
        reason: "it ends with change \(journal.nextSequence - 1), but the next journal begins with \(limit)")
    }
    recovered.chainHash = journal.chainHash
    let end: RecoveryReport.Journal.End =
      if limit == nil {
        byteCount > 0 || journal.isCut ? .torn(offset: offset, byteCount: byteCount) : .clean
      } else {
        byteCount > 0 ? .superseded(offset: offset, byteCount: byteCount) : .clean
      }
    note(journal, frameCount, end, &recovered)
  }

  /// Adds a journal, replayed up to the state, to the report.
  private func note(
    _ journal: JournalReader<D>, _ frameCount: Int, _ end: RecoveryReport.Journal.End, _ recovered: inout Recovered
  ) {
    let first = journal.header.firstSequence
    recovered.report.journals.append(
      .init(
        name: StoreNames.journal(generation: journal.header.generation), firstSequence: first,
        changeCount: recovered.state.sequence + 1 - first, frameCount: frameCount, end: end))
  }

  /// Lets followers and likers wait for the end where that pays: to make all of them anew takes an eighth, at most, of
  /// what it takes to keep them up to date for as many changes as there are rows and edges.
  ///
  /// Some removals need them, and so make them meanwhile: then they wait again only after as many changes.
  private func deferBackward(before changeCount: Int, on recovered: inout Recovered) {
    let counts = recovered.state.counts
    let price = (counts.users + counts.posts + counts.follows + counts.likes) / 8
    guard changeCount > price, recovered.state.sequence >= recovered.nextDeferral else { return }
    recovered.state.deferBackward()
    recovered.nextDeferral = recovered.state.sequence + UInt64(price)
  }

  /// Makes a change again. It was made once, on the same state: if it fails now, or changes nothing, this is not that
  /// state.
  private static func replay(
    _ change: Change, at place: FilePlace, on state: inout GraphState
  ) throws(KithError) {
    let number = state.sequence + 1
    let changed: Bool
    do throws(KithError) {
      changed = try state.apply(change)
    } catch {
      throw place.corrupt("change \(number) cannot be made again: \(error.description)")
    }
    guard changed else { throw place.corrupt("change \(number) changes nothing") }
  }
}
