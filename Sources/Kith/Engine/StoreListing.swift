/// The files of a store: what each is, and to which changes it leads.
///
/// No lock is taken. Of snapshots the headers and tables are read, of journals all frames.
package struct StoreListing: Sendable {
  /// A snapshot.
  package struct Snapshot: Sendable {
    package let name: String
    package let path: String
    package let sequence: UInt64
    package let generation: UInt64
    /// What it says of itself; nil when it is damaged.
    package let report: SnapshotReport?
    /// What is wrong with it.
    package let problem: Problem?
    /// From its own change to the last to which the journals lead from it.
    package internal(set) var restorable: ClosedRange<UInt64>?
    fileprivate let chainHash: UInt64
  }

  package let path: String
  /// The store's id, 32 hexadecimal digits; nil when no file tells it.
  package private(set) var storeID: String?
  /// The lower bound of what was acknowledged, as the file `ACK` has it; nil without that file.
  package let acknowledged: UInt64?
  /// Oldest first.
  package private(set) var snapshots: [Snapshot] = []
  /// Oldest first.
  package private(set) var journals: [JournalReport] = []
  /// For each journal, the changes to which it leads from the files before it; nil when none of them leads to it.
  package private(set) var restorableByJournal: [ClosedRange<UInt64>?] = []
  /// Names of files that a writer did not finish, or has not yet.
  package let temporaries: [String]
  /// What is wrong with the journals' order: one that does not continue what precedes it.
  private(set) var gaps: [Problem] = []
  /// What is wrong with `ACK`: it is damaged, or tells of changes to which no file leads.
  private var acknowledgementProblem: Problem?

  /// The last change to which the files lead; nil when none of them can be used.
  package var lastSequence: UInt64? {
    (snapshots.compactMap(\.restorable) + restorableByJournal.compactMap(\.self)).map(\.upperBound).max()
  }

  /// Everything that was found to be wrong.
  package var problems: [Problem] {
    snapshots.compactMap(\.problem) + journals.compactMap(\.problem) + gaps
      + [acknowledgementProblem].compactMap(\.self)
  }

  /// Errors: `noStore`, `notAStore`, `unsupportedVersion`, `system`.
  init<D: Disk>(_ directory: StoreDirectory<D>) throws(KithError) {
    _ = try directory.openForReading()
    var acknowledgement: Acknowledgement?
    do throws(KithError) {
      // Before the names: beside a writer, the files listed later hold all that this bound tells of.
      acknowledgement = try AcknowledgementFile.read(in: directory.path, disk: directory.disk, syncing: false)
    } catch {
      acknowledgementProblem = try Problem(damage: error)
    }
    let contents = try directory.openForReading()
    path = directory.path
    acknowledged = acknowledgement?.sequence
    temporaries = contents.temporaries
    for name in contents.snapshots { snapshots.append(try Self.snapshot(name, in: directory)) }
    try readJournals(contents, in: directory)
    storeID =
      snapshots.lazy.compactMap(\.report?.storeID).last ?? journals.lazy.compactMap(\.header?.storeID).last
      ?? acknowledgement.map { SnapshotReport.text(ofStoreID: $0.storeID) }
    findRestorable()
    findGaps()
    if let acknowledged, acknowledged > lastSequence ?? 0 {
      acknowledgementProblem = Problem(
        code: "corrupt", place: directory.path.appendingPathComponent(StoreNames.acknowledgements),
        message: "changes up to \(acknowledged) were acknowledged, the files lead to \(lastSequence ?? 0)")
    }
  }

  private static func snapshot<D: Disk>(
    _ name: SnapshotName, in directory: StoreDirectory<D>
  ) throws(KithError) -> Snapshot {
    var summary: SnapshotSummary?
    var problem: Problem?
    do throws(KithError) {
      summary = try directory.inspect(name)
    } catch {
      problem = try Problem(damage: error)
    }
    return Snapshot(
      name: name.description, path: directory.path(of: name), sequence: name.sequence, generation: name.generation,
      report: summary.map(SnapshotReport.init), problem: problem, chainHash: summary?.header.chainHash ?? 0)
  }

  /// From the newest to the oldest, since each ends where the next file begins.
  private mutating func readJournals<D: Disk>(
    _ contents: StoreDirectory<D>.Contents, in directory: StoreDirectory<D>
  ) throws(KithError) {
    for generation in contents.journals.reversed() {
      let later = journals.last { $0.header != nil && $0.generation > generation }
      let snapshot = snapshots.first { $0.generation > generation }
      var next = later.map { JournalReport.Next(sequence: $0.firstSequence, name: $0.name, heals: false) }
      if let snapshot, snapshot.generation <= later?.generation ?? .max {
        // Where a snapshot healed a journal, a generation is passed over.
        let heals = snapshot.problem == nil && snapshot.generation > generation + 1
        next = .init(sequence: snapshot.sequence + 1, name: snapshot.name, heals: heals)
      }
      journals.append(try JournalReport(generation, in: directory, before: next))
    }
    journals.reverse()
  }

  // MARK: - What leads where

  private mutating func findRestorable() {
    restorableByJournal = journals.map { _ in nil }
    for place in snapshots.indices where snapshots[place].report != nil {
      let snapshot = snapshots[place]
      let last = walk(from: snapshot.sequence, snapshot.chainHash, generation: snapshot.generation)
      snapshots[place].restorable = snapshot.sequence...last
    }
    _ = walk(from: 0, 0, generation: 0)
  }

  /// The last change to which the journals of a generation and later ones lead from a change.
  private mutating func walk(from sequence: UInt64, _ chainHash: UInt64, generation: UInt64) -> UInt64 {
    var (sequence, chainHash) = (sequence, chainHash)
    for (place, journal) in journals.enumerated() where journal.generation >= generation {
      if journal.end == .unborn { continue }
      guard journal.problem == nil, journal.firstSequence == sequence + 1, journal.header?.chainHash == chainHash
      else { break }
      (sequence, chainHash) = (journal.lastSequence, journal.chainHash)
      // A journal is never without changes, unless a crash took its first frame.
      restorableByJournal[place] = min(journal.firstSequence, sequence)...sequence
    }
    return sequence
  }

  /// Where a journal does not continue the one before it. A snapshot may stand between them; and what is older than all
  /// snapshots is of no use any more, and may be pruned in part.
  private mutating func findGaps() {
    let oldest = snapshots.first?.generation ?? 0
    var before: JournalReport?
    for journal in journals where journal.generation >= oldest && journal.header != nil {
      defer { before = journal }
      guard let before, before.problem == nil, journal.problem == nil else { continue }
      let isBridged = snapshots.contains { before.generation < $0.generation && $0.generation <= journal.generation }
      if journal.firstSequence != before.lastSequence + 1 {
        let reason = "it begins with change \(journal.firstSequence), \(before.name) ends with \(before.lastSequence)"
        if !isBridged { gaps.append(Problem(code: "corrupt", place: journal.path, message: reason)) }
      } else if journal.header?.chainHash != before.chainHash {
        let reason = "it continues other changes than those of \(before.name)"
        gaps.append(Problem(code: "corrupt", place: journal.path, message: reason))
      }
    }
  }
}
