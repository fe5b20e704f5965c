/// The state recovered from the files of a store.
struct Recovered: ~Copyable, Sendable {
  var state: GraphState
  /// Nil if no file has it: the store is new.
  var storeID: StoreID?
  /// The chain hash of all changes.
  fileprivate(set) var chainHash: UInt64 = 0
  var report = RecoveryReport()
  /// Whether the recovery target was reached, and the files may hold later changes.
  fileprivate(set) var hasReachedTarget = false
  /// Whether a whole file was skipped because it is beyond the recovery target.
  fileprivate(set) var isCut = false
  /// The number of the change before which backward lists are not deferred again.
  fileprivate var nextDeferral: UInt64 = 0

  fileprivate init(_ form: GraphForm) { state = GraphState(form: form.lists) }
}

/// Recovers the state of a store from its files: the newest intact snapshot, and every journal since.
///
/// Either the state is exact up to its sequence number, which is not below anything acknowledged, or an error is
/// thrown. A store is treated as empty only if no file contradicts it. A read error is not damage: it is thrown.
///
/// - Complexity: O(snapshot + journals since). Memory: the state, the sections of the snapshot, the longest frame.
struct Recovery<D: Disk> {
  let directory: StoreDirectory<D>
  let point: RecoveryTarget
  /// Where it ends.
  let bound: RecoveryEnd
  let acknowledgement: DurableWatermark?
  let contents: StoreDirectory<D>.Contents
  let isWriter: Bool
  private let memoryLimit: Int
  private let limit: RestoreLimit
  private let form: GraphForm
  /// What the operator should know about the way to the target.
  private let remarks: [String]

  /// Recovery for a writer: cached data of the journals is synced first, and then read from the disk.
  static func forWriting(
    _ directory: StoreDirectory<D>, holding lock: StoreLock<D>, memoryLimit: Int = SnapshotFile.defaultMemoryLimit,
    limit: RestoreLimit = .ownStore(maximumByteCount: nil), form: GraphForm = .plain
  ) throws(KithError) -> Recovered {
    try lock.checkProcess()
    // Names created by a crashed process may not be on the disk yet.
    try directory.requireSync(of: directory.path)
    return try Recovery(directory, isWriter: true, to: .newest, now: .now(), memoryLimit, limit, form).run()
  }

  /// Recovery for a reader: takes no lock and changes nothing. Beside an active writer, it yields a state not older
  /// than the call.
  ///
  /// For an earlier target: the newest intact snapshot that is not beyond it, and the journals since, up to the target.
  /// - Throws: also `invalidRequest` if no files lead to the target, or it is later than now.
  static func forReading(
    _ directory: StoreDirectory<D>, to point: RecoveryTarget = .newest, now: Timestamp = .now(),
    memoryLimit: Int = SnapshotFile.defaultMemoryLimit, limit: RestoreLimit = .ownStore(maximumByteCount: nil),
    form: GraphForm = .plain
  ) throws(KithError) -> Recovered {
    try StoreDirectory<D>.againWhilePruned { () throws(KithError) in
      try Recovery(directory, isWriter: false, to: point, now: now, memoryLimit, limit, form).run()
    }
  }

  private init(
    _ directory: StoreDirectory<D>, isWriter: Bool, to point: RecoveryTarget, now: Timestamp, _ memoryLimit: Int,
    _ limit: RestoreLimit, _ form: GraphForm
  ) throws(KithError) {
    self.directory = directory
    self.isWriter = isWriter
    self.point = point
    self.memoryLimit = memoryLimit
    self.limit = limit
    self.form = form
    // Read before the listing: beside a writer, the files listed afterwards hold everything up to this bound.
    acknowledgement = try WatermarkFile.read(in: directory.path, disk: directory.disk, syncing: isWriter)
    guard let contents = try directory.contents(evenUnfinished: isWriter), !contents.isEmpty else {
      throw .noStore(path: directory.path)
    }
    self.contents = contents
    switch point {
    case .newest: (bound, remarks) = (RecoveryEnd(sequence: nil, isNewest: true), [])
    case .sequence(let sequence): (bound, remarks) = (RecoveryEnd(sequence: sequence), [])
    case .time(let time):
      var search = try TimeSearch(directory, for: time, now: now)
      (bound, remarks) = try search.end(in: contents)
    }
  }

  private func run() throws(KithError) -> Recovered {
    var recovered = Recovered(form)
    let damage = try loadSnapshot(into: &recovered)
    try replayJournals(into: &recovered, damage)
    recovered.state.users.settleSearch()
    recovered.report.sequence = recovered.state.sequence
    recovered.report.targetRemarks = remarks
    recovered.report.sharedNames = recovered.state.users.sharedNames
    recovered.report.journals.sort { $0.name < $1.name }
    try checkBounds(&recovered, damage)
    recovered.report.nextGeneration = try nextGeneration()
    return recovered
  }

  // MARK: - The snapshot

  /// Damaged snapshots: the error of the newest.
  struct Damage {
    let name: SnapshotName
    let error: KithError
  }

  /// Loads the newest intact snapshot.
  private func loadSnapshot(into recovered: inout Recovered) throws(KithError) -> Damage? {
    var damage: Damage?
    for name in contents.snapshots.reversed() {
      do throws(KithError) {
        if bound.precedes(name) {
          recovered.isCut = true
          continue
        }
        let snapshot = try directory.readSnapshot(name, memoryLimit: memoryLimit, limit: limit, form: form)
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
        // A newer version, an unreadable disk or too little memory is no damage, so an older snapshot must not replace
        // it.
        default: throw error
        }
      }
    }
    return damage
  }

  // MARK: - The journals

  /// Replays, in order, the journals since the snapshot; without a snapshot, all of them.
  private func replayJournals(into recovered: inout Recovered, _ damage: Damage?) throws(KithError) {
    let base = recovered.report.snapshot.flatMap { SnapshotName($0) }
    recovered.hasReachedTarget = bound.isReached(at: recovered.state.sequence)
    if recovered.hasReachedTarget { return }
    var generations = contents.journals.filter { $0 >= base?.generation ?? 0 }[...]
    var next = try openNext(of: &generations, &recovered)
    while let journal = next, !recovered.hasReachedTarget {
      if bound.precedes(journal.header) {
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

  /// The next journal that has a header. Those without a header hold no changes and are skipped.
  private func openNext(
    of generations: inout ArraySlice<UInt64>, _ recovered: inout Recovered
  ) throws(KithError) -> JournalReader<D>? {
    while let generation = generations.popFirst() {
      let name = StoreNames.journal(generation: generation)
      let source = try JournalSource(
        path: directory.path.appendingPathComponent(name), disk: directory.disk, syncing: isWriter)
      guard let journal = try open(source) else {
        let end = RecoveryReport.Journal.End.incomplete(byteCount: source.byteCount)
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

  /// Nil if a crash came before the journal's first frame.
  private func open(_ source: JournalSource<D>) throws(KithError) -> JournalReader<D>? {
    do throws(KithError) {
      return try JournalReader(source)
    } catch {
      guard case .corrupt = error else { throw error }
      guard try JournalReader.holdsFrames(source) else { return nil }
      // Beside an active writer, the header may have been incomplete a moment ago.
      return try JournalReader(path: source.path, disk: directory.disk, syncing: isWriter)
    }
  }

  /// Applies the changes of a journal, up to where the next journal, if any, begins.
  private func replay(
    _ journal: JournalReader<D>, before next: JournalHeader?, into recovered: inout Recovered
  ) throws(KithError) {
    var journal = journal
    var frameCount = 0
    let limit = next?.firstSequence
    while journal.nextSequence < limit ?? .max, !recovered.hasReachedTarget, let frame = try journal.next() {
      if bound.precedes(endOf: frame) {
        recovered.hasReachedTarget = true
        break
      }
      try frame.forEachChange { (change, place) throws(KithError) in
        try Self.replay(change, at: place, on: &recovered.state)
      }
      frameCount += 1
      recovered.hasReachedTarget = bound.isReached(at: recovered.state.sequence)
      deferBackward(before: journal.expectedChangeCount, on: &recovered)
    }
    if recovered.hasReachedTarget { return note(journal, frameCount, .clean, &recovered) }
    let (offset, byteCount) = (journal.offset, try journal.tailByteCount())
    // Bulk changes are in no journal. Changes beyond the target need not follow.
    if let next, let limit, journal.nextSequence != limit, !bound.precedes(next) {
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

  /// Defers building the backward lists (followers and likers) to the end if that pays: building all of them takes at
  /// most an eighth of the time of maintaining them during as many changes as there are rows and edges.
  ///
  /// Some removals need the lists and so build them in between. They are deferred again only after that many changes.
  private func deferBackward(before changeCount: Int, on recovered: inout Recovered) {
    let counts = recovered.state.counts
    let edges = RelationKind.allCases.reduce(0) { $1.facts.isPrivate ? $0 : $0 + counts[$1] }
    let price = (counts.users + counts.posts + edges) / 8
    guard changeCount > price, recovered.state.sequence >= recovered.nextDeferral else { return }
    recovered.state.deferBackward()
    recovered.nextDeferral = recovered.state.sequence + UInt64(price)
  }

  /// Replays a change. It was applied once to the same state; if it fails now, or has no effect, this is not that
  /// state.
  private static func replay(
    _ change: Change, at place: FilePlace, on state: inout GraphState
  ) throws(KithError) {
    let number = state.sequence + 1
    let changed: Bool
    do throws(KithError) {
      changed = try state.apply(change, replaying: true)
    } catch {
      throw place.corrupt("change \(number) cannot be made again: \(error.description)")
    }
    guard changed else { throw place.corrupt("change \(number) changes nothing") }
  }
}
