/// Finds the change that a time leads to: the last one of the history that was not written later, by the clock of the
/// writing machine. What was written later comes in between if the clock was once ahead.
///
/// Reads the frames of all journals and the headers of all snapshots, in the order of the history. The time of a change
/// is that of its frame. A snapshot has a time of its own only if no journal leads to its change, as after a bulk load.
///
/// - Complexity: O(journals). Memory: one frame and a megabyte.
struct TimeSearch<D: Disk> {
  private struct Place {
    let sequence: UInt64
    let time: Timestamp
  }

  private let directory: StoreDirectory<D>
  private let time: Timestamp
  /// The last change that is not later than the time.
  private var found: Place?
  private var newest: Place?
  private var steps = ClockSteps()
  /// What could not be read after the found change, and whether nothing in between was written later than the time:
  /// then what it hides may belong to the time.
  private var damage: (error: KithError, follows: Bool)?

  /// - Throws: `invalidRequest` for a time later than now.
  init(_ directory: StoreDirectory<D>, for time: Timestamp, now: Timestamp) throws(KithError) {
    guard time <= now else { throw .invalidRequest(.futureTime(time, now: now)) }
    self.directory = directory
    self.time = time
  }

  /// The end of the recovery, and what the operator should know about it.
  /// - Throws: `invalidRequest` if nothing was written at the time or before; `corrupt` if what follows the found
  ///   change cannot be read, and no change in between was written later.
  mutating func end(in contents: StoreDirectory<D>.Contents) throws(KithError) -> (RecoveryEnd, remarks: [String]) {
    var snapshots = contents.snapshots[...]
    for (place, generation) in contents.journals.enumerated() {
      while let name = snapshots.first, name.generation <= generation { try pass(snapshots.removeFirst()) }
      try pass(journal: generation, before: contents.journals[(place + 1)...])
    }
    for name in snapshots { try pass(name) }
    if let damage, damage.follows { throw damage.error }
    guard let found else { throw RecoveryTarget.time(time).unreachable(in: directory.path) }
    let isNewest = found.sequence == newest?.sequence
    var remarks: [String] = []
    if let remark = steps.remark {
      remarks.append(
        "\(remark); the restored state is the one after change \(found.sequence), the last that was not written later "
          + "than \(time.exactText)")
    }
    if isNewest, time > found.time {
      remarks.append(
        "\(time.exactText) is later than the newest change, \(found.sequence), of \(found.time.exactText)")
    }
    if let damage {
      remarks.append("what is damaged may hide changes that were not written later: \(damage.error.description)")
    }
    return (RecoveryEnd(sequence: found.sequence, isNewest: isNewest), remarks)
  }

  private mutating func pass(_ name: SnapshotName) throws(KithError) {
    if name.sequence <= newest?.sequence ?? 0 { return }
    do throws(KithError) {
      let header = try directory.inspect(name).header
      pass(first: name.sequence, last: name.sequence, at: Timestamp(header.writtenAt))
    } catch {
      try note(damage: error)
    }
  }

  /// Passes over a journal, up to where the next one begins.
  private mutating func pass(journal generation: UInt64, before later: ArraySlice<UInt64>) throws(KithError) {
    do throws(KithError) {
      guard var journal = try reader(of: generation) else { return }
      let end = try firstSequence(of: later)
      while journal.nextSequence < end, let frame = try journal.next() {
        if frame.lastSequence <= newest?.sequence ?? 0 { continue }
        pass(first: frame.firstSequence, last: frame.lastSequence, at: frame.writtenAt)
      }
    } catch {
      try note(damage: error)
    }
  }

  private mutating func pass(first: UInt64, last: UInt64, at written: Timestamp) {
    let place = Place(sequence: last, time: written)
    newest = place
    steps.pass(first, at: written)
    if written <= time { (found, damage) = (place, nil) }
  }

  private mutating func note(damage error: KithError) throws(KithError) {
    switch error {
    case .corrupt, .notAStore: damage = damage ?? (error, found?.sequence == newest?.sequence)
    default: throw error
    }
  }

  /// Nil if a crash came before the journal's first frame.
  private func reader(of generation: UInt64) throws(KithError) -> JournalReader<D>? {
    let path = directory.path.appendingPathComponent(StoreNames.journal(generation: generation))
    return try JournalReader.begun(try JournalSource(path: path, disk: directory.disk, syncing: false))
  }

  /// The number of the first change of the first of these journals that has a header that can be read.
  private func firstSequence(of generations: ArraySlice<UInt64>) throws(KithError) -> UInt64 {
    for generation in generations {
      do throws(KithError) {
        if let journal = try reader(of: generation) { return journal.header.firstSequence }
      } catch {
        guard case .corrupt = error else { throw error }
      }
    }
    return .max
  }
}
