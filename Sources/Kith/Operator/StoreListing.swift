/// A listing of a store's files: what each is, and which changes it leads to.
///
/// Takes no lock. Reads the headers and tables of snapshots, and all frames of journals.
package struct StoreListing: Sendable {
  /// A snapshot.
  package struct Snapshot: Sendable {
    package let name: String
    package let path: String
    package let sequence: UInt64
    package let generation: UInt64
    /// The snapshot's own description; nil if it is damaged.
    package let report: SnapshotReport?
    /// The damage, if any.
    package let problem: SocialGraph.Violation?
    /// From its own change to the last change that the journals lead to from it.
    package internal(set) var restorable: ClosedRange<UInt64>?
    fileprivate let chainHash: UInt64
  }

  package let path: String
  /// The store's id, 32 hexadecimal digits; nil if no file has it.
  package private(set) var storeID: String?
  /// The durable watermark: the lower bound of the acknowledged changes in the file `ACK`; nil without that file.
  package let acknowledged: UInt64?
  /// The snapshots, oldest first.
  package private(set) var snapshots: [Snapshot] = []
  /// The journals, oldest first.
  package private(set) var journals: [JournalReport] = []
  /// For each journal, the changes that it leads to from earlier files; nil if no earlier file leads to it.
  package private(set) var restorableByJournal: [ClosedRange<UInt64>?] = []
  /// The names of files that a writer has not finished.
  package let temporaries: [String]
  /// The names of everything that no store has, and that is passed over.
  package let strays: [String]
  /// Where the clock of the writing machine went back.
  package private(set) var clockSteps = ClockSteps()
  /// Gaps in the journals: those that do not continue the previous one.
  private(set) var gaps: [SocialGraph.Violation] = []
  /// The problem of `ACK`: it is damaged, or contains changes that no file leads to.
  private var acknowledgementProblem: SocialGraph.Violation?

  /// The last change that the files lead to; nil if none of them can be used.
  package var lastSequence: UInt64? {
    (snapshots.compactMap(\.restorable) + restorableByJournal.compactMap(\.self)).map(\.upperBound).max()
  }

  /// All problems that were found.
  package var problems: [SocialGraph.Violation] {
    snapshots.compactMap(\.problem) + journals.compactMap(\.problem) + gaps
      + [acknowledgementProblem].compactMap(\.self)
  }

  /// - Throws: `noStore`, `notAStore`, `unsupportedVersion`, `system`.
  init<D: Disk>(_ directory: StoreDirectory<D>) throws(KithError) {
    _ = try directory.openForReading()
    var acknowledgement: DurableWatermark?
    do throws(KithError) {
      // Read before the listing: beside a writer, the files listed afterwards hold everything up to this bound.
      acknowledgement = try WatermarkFile.read(in: directory.path, disk: directory.disk, syncing: false)
    } catch {
      acknowledgementProblem = try SocialGraph.Violation(damage: error)
    }
    let contents = try directory.openForReading()
    path = directory.path
    acknowledged = acknowledgement?.sequence
    temporaries = contents.temporaries
    strays = contents.strays
    for name in contents.snapshots { snapshots.append(try Self.snapshot(name, in: directory)) }
    try readJournals(contents, in: directory)
    storeID =
      snapshots.lazy.compactMap(\.report?.storeID).last ?? journals.lazy.compactMap(\.header?.storeID).last
      ?? acknowledgement?.storeID.description
    findRestorable()
    findGaps()
    findClockSteps()
    if let acknowledged, acknowledged > lastSequence ?? 0 {
      acknowledgementProblem = SocialGraph.Violation(
        code: "corrupt", place: directory.path.appendingPathComponent(StoreNames.watermark),
        message: "changes up to \(acknowledged) were acknowledged, the files lead to \(lastSequence ?? 0)")
    }
  }

  private static func snapshot<D: Disk>(
    _ name: SnapshotName, in directory: StoreDirectory<D>
  ) throws(KithError) -> Snapshot {
    var summary: SnapshotSummary?
    var problem: SocialGraph.Violation?
    do throws(KithError) {
      summary = try directory.inspect(name)
    } catch {
      problem = try SocialGraph.Violation(damage: error)
    }
    return Snapshot(
      name: name.description, path: directory.path(of: name), sequence: name.sequence, generation: name.generation,
      report: summary.map(SnapshotReport.init), problem: problem, chainHash: summary?.header.chainHash ?? 0)
  }

  /// Newest first, because each journal ends where the next file begins.
  private mutating func readJournals<D: Disk>(
    _ contents: StoreDirectory<D>.Contents, in directory: StoreDirectory<D>
  ) throws(KithError) {
    for generation in contents.journals.reversed() {
      let later = journals.last { $0.header != nil && $0.generation > generation }
      let snapshot = snapshots.first { $0.generation > generation }
      var next = later.map { JournalReport.Next(sequence: $0.firstSequence, name: $0.name, mayReplace: false) }
      if let snapshot, snapshot.generation <= later?.generation ?? .max {
        // Where a snapshot replaced a failed journal, a generation is skipped.
        let mayReplace = snapshot.problem == nil && snapshot.generation > generation + 1
        // A file name may contain any number.
        let sequence = min(snapshot.sequence, JournalFormat.numberLimit) + 1
        next = .init(sequence: sequence, name: snapshot.name, mayReplace: mayReplace)
      }
      journals.append(try JournalReport(generation, in: directory, before: next))
    }
    journals.reverse()
  }

  // MARK: - Restorable ranges

  private mutating func findRestorable() {
    restorableByJournal = journals.map { _ in nil }
    for place in snapshots.indices where snapshots[place].report != nil {
      let snapshot = snapshots[place]
      let last = walk(from: snapshot.sequence, snapshot.chainHash, generation: snapshot.generation)
      snapshots[place].restorable = snapshot.sequence...last
    }
    _ = walk(from: 0, 0, generation: 0)
  }

  /// The last change that the journals of a generation and later ones lead to from a given change.
  private mutating func walk(from sequence: UInt64, _ chainHash: UInt64, generation: UInt64) -> UInt64 {
    var (sequence, chainHash) = (sequence, chainHash)
    for (place, journal) in journals.enumerated() where journal.generation >= generation {
      if journal.end == .incomplete { continue }
      guard journal.problem == nil, journal.firstSequence == sequence + 1, journal.header?.chainHash == chainHash
      else { break }
      (sequence, chainHash) = (journal.lastSequence, journal.chainHash)
      // A journal always has changes, unless a crash tore its first frame.
      restorableByJournal[place] = min(journal.firstSequence, sequence)...sequence
    }
    return sequence
  }

  /// In the order of the history. A snapshot has a time of its own only if no journal leads to its change.
  private mutating func findClockSteps() {
    var (rest, last) = (snapshots[...], UInt64(0))
    func pass(_ snapshot: Snapshot) {
      guard let report = snapshot.report, snapshot.sequence > last else { return }
      clockSteps.pass(snapshot.sequence, at: report.writtenAt)
      last = snapshot.sequence
    }
    for journal in journals {
      while let snapshot = rest.first, snapshot.generation <= journal.generation { pass(rest.removeFirst()) }
      clockSteps.append(journal.clockSteps)
      last = max(last, journal.lastSequence)
    }
    for snapshot in rest { pass(snapshot) }
  }

  /// Finds the journals that do not continue the previous one. A snapshot may be between them. Journals older than all
  /// snapshots are not needed, and may be partly pruned.
  private mutating func findGaps() {
    let oldest = snapshots.first?.generation ?? 0
    var before: JournalReport?
    for journal in journals where journal.generation >= oldest && journal.header != nil {
      defer { before = journal }
      guard let before, before.problem == nil, journal.problem == nil else { continue }
      let isBridged = snapshots.contains { before.generation < $0.generation && $0.generation <= journal.generation }
      if journal.firstSequence != before.lastSequence + 1 {
        let reason = "it begins with change \(journal.firstSequence), \(before.name) ends with \(before.lastSequence)"
        if !isBridged { gaps.append(SocialGraph.Violation(code: "corrupt", place: journal.path, message: reason)) }
      } else if journal.header?.chainHash != before.chainHash {
        let reason = "it continues other changes than those of \(before.name)"
        gaps.append(SocialGraph.Violation(code: "corrupt", place: journal.path, message: reason))
      }
    }
  }
}
