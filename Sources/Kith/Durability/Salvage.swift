/// What was saved of a damaged store, and what is lost.
struct Salvaged: ~Copyable, Sendable {
  var state = GraphState()
  var report = SalvageReport()
}

/// From what a bad disk left of a store to a graph, where recovery refuses.
///
/// It begins with the newest snapshot that is sound; without one, with nothing if the journals hold the first change;
/// else with what is sound of the newest snapshot whose users are. Then it makes every change that a sound frame holds,
/// in order, over gaps too. Nothing is made up: every user, post and edge of the result was in the store at some time.
/// But what a lost change took away comes back, and so may what was removed.
///
/// - Complexity: O(all files). Memory: the state, the sections of a snapshot, 32 bytes for each frame.
struct Salvage<D: Disk> {
  private let directory: StoreDirectory<D>
  private let memoryLimit: Int
  private let contents: StoreDirectory<D>.Contents
  /// Names of files that no store has.
  private let foreign: [String]
  private var storeID: (high: UInt64, low: UInt64)?
  private var journals: [SalvagedJournal<D>] = []
  /// The highest change that the store is known to have reached, whether it can be read or not.
  private var reached: UInt64 = 0
  /// Hash over the chain of all changes up to the state; nil after a gap.
  private var chainHash: UInt64? = 0

  /// Reads a store without changing it. Nobody may write to it meanwhile.
  ///
  /// Errors: `noStore`; `unsupportedVersion`, since newer files are not damaged ones; `limitExceeded`, `system`.
  static func run(
    _ directory: StoreDirectory<D>, memoryLimit: Int = SnapshotFile.defaultMemoryLimit
  ) throws(KithError) -> Salvaged {
    var salvage = try Salvage(directory, memoryLimit)
    return try salvage.run()
  }

  /// What a damaged snapshot file holds by itself. Errors: also `corrupt` when none of it can be used.
  static func run(
    snapshot path: String, disk: D, memoryLimit: Int = SnapshotFile.defaultMemoryLimit
  ) throws(KithError) -> Salvaged {
    let file = try disk.open(path, writable: false)
    let sections = try SoundSections(file, path: path, from: disk, memoryLimit: memoryLimit)
    var salvaged = Salvaged()
    salvaged.state = try sections.state()
    salvaged.report.snapshot = path
    salvaged.report.snapshotSequence = sections.header.sequence
    salvaged.report.sequence = sections.header.sequence
    salvaged.report.tell(of: sections)
    return salvaged
  }

  private init(_ directory: StoreDirectory<D>, _ memoryLimit: Int) throws(KithError) {
    self.directory = directory
    self.memoryLimit = memoryLimit
    guard let found = try directory.survey(), !found.contents.isEmpty else { throw .noStore(path: directory.path) }
    contents = found.contents
    foreign = found.foreign
  }

  private mutating func run() throws(KithError) -> Salvaged {
    var salvaged = Salvaged()
    for name in foreign { salvaged.report.doubts.append("\(name) is no file of a store, and was passed over") }
    try begin(&salvaged)
    try readAcknowledgement(&salvaged.report)
    for place in journals.indices { try replay(place, into: &salvaged) }
    finish(&salvaged)
    return salvaged
  }

  // MARK: - What there is

  /// After the other files, which know better whose store it is.
  private mutating func readAcknowledgement(_ report: inout SalvageReport) throws(KithError) {
    var acknowledgement: Acknowledgement?
    do throws(KithError) {
      acknowledgement = try AcknowledgementFile.read(in: directory.path, disk: directory.disk, syncing: false)
    } catch {
      report.problems.append(try Problem(damage: error))
    }
    if let acknowledgement, belongs(acknowledgement.storeID) {
      reached = max(reached, acknowledgement.sequence)
    } else {
      report.doubts.append("there is no \(StoreNames.acknowledgements) that tells how far the store reached")
    }
  }

  /// Chooses what to begin with, and reads which frames the journals hold.
  private mutating func begin(_ salvaged: inout Salvaged) throws(KithError) {
    var damaged: [SnapshotName] = []
    for name in contents.snapshots.reversed() {
      do throws(KithError) {
        let snapshot = try directory.readSnapshot(name, memoryLimit: memoryLimit)
        try adopt(snapshot.header, name, &salvaged)
        salvaged.state = snapshot.state
        break
      } catch {
        salvaged.report.problems.append(try Problem(damage: error))
        damaged.append(name)
      }
    }
    // A snapshot has its name only once it is on the disk, all of it.
    reached = max(reached, contents.snapshots.last?.sequence ?? 0)
    for generation in contents.journals { try readJournal(generation, &salvaged.report) }
    if salvaged.report.snapshot == nil && !journals.contains(where: { $0.spans.first?.changes.lowerBound == 1 }) {
      try beginWithParts(of: damaged, &salvaged)
    }
    let base = salvaged.report.snapshot.flatMap { SnapshotName($0) }
    journals.removeAll { $0.generation < base?.generation ?? 0 }
  }

  private mutating func adopt(
    _ header: SnapshotHeader, _ name: SnapshotName, _ salvaged: inout Salvaged
  ) throws(KithError) {
    guard belongs(header.storeID) else {
      throw .corrupt(file: directory.path(of: name), offset: 24, reason: "it belongs to another store")
    }
    chainHash = header.chainHash
    salvaged.report.snapshot = name.description
    salvaged.report.snapshotSequence = header.sequence
  }

  /// - Parameter damaged: snapshots, the newest first.
  private mutating func beginWithParts(of damaged: [SnapshotName], _ salvaged: inout Salvaged) throws(KithError) {
    for name in damaged {
      do throws(KithError) {
        let path = directory.path(of: name)
        let file = try directory.disk.open(path, writable: false)
        let sections = try SoundSections(file, path: path, from: directory.disk, memoryLimit: memoryLimit)
        try directory.check(sections.header, is: name)
        let state = try sections.state()
        try adopt(sections.header, name, &salvaged)
        salvaged.report.tell(of: sections)
        salvaged.state = state
        return
      } catch {
        // What is wrong with it was told.
        _ = try Problem(damage: error)
      }
    }
  }

  private mutating func readJournal(_ generation: UInt64, _ report: inout SalvageReport) throws(KithError) {
    let journal: SalvagedJournal<D>
    do throws(KithError) {
      journal = try SalvagedJournal(generation, in: directory)
    } catch {
      return report.problems.append(try Problem(damage: error))
    }
    report.problems += journal.problems
    if let header = journal.header {
      guard belongs(header.storeID) else { return report.leaveOut(journal.path, "it belongs to another store") }
      guard header.generation == generation else {
        return report.leaveOut(journal.path, "it is the journal of generation \(header.generation)")
      }
      reached = max(reached, header.firstSequence - 1)
    }
    journals.append(journal)
  }

  /// Whether a file with this id is of the store, which the first file tells.
  private mutating func belongs(_ id: (high: UInt64, low: UInt64)) -> Bool {
    let known = storeID ?? id
    storeID = known
    return known == id
  }

  // MARK: - Changes

  /// Makes the changes of a journal that come after the state, as far as no later file begins again before them.
  private mutating func replay(_ place: Int, into salvaged: inout Salvaged) throws(KithError) {
    let later = journals[(place + 1)...].compactMap(\.firstSequence).min() ?? .max
    let bridges = contents.snapshots.filter { $0.generation > journals[place].generation }
    // A name may say any number.
    let limit = min(later, bridges.map { $0.sequence &+ 1 }.filter { $0 > 0 }.min() ?? .max)
    if let header = journals[place].header, header.firstSequence == salvaged.state.sequence + 1 {
      guard header.chainHash == chainHash ?? header.chainHash else {
        reached = max(reached, journals[place].spans.last?.changes.upperBound ?? 0)
        return salvaged.report.leaveOut(journals[place].path, "it continues other changes than those before it")
      }
      chainHash = header.chainHash
    }
    for span in journals[place].spans where span.changes.upperBound < limit {
      guard span.changes.upperBound > salvaged.state.sequence, let frame = try journals[place].frame(span) else {
        continue
      }
      skip(to: span.changes.lowerBound, &salvaged)
      Self.replay(frame, &salvaged)
      chainHash = chainHash.map { JournalFormat.chain($0, frame.hash) }
    }
    if limit == .max { doubtTheEnd(of: journals[place], &salvaged.report) }
  }

  /// Notes the changes before `next` as lost.
  private mutating func skip(to next: UInt64, _ salvaged: inout Salvaged) {
    let sequence = salvaged.state.sequence
    guard next > sequence + 1 else { return }
    salvaged.report.lose(sequence + 1...next - 1)
    salvaged.state.sequence = next - 1
    chainHash = nil
  }

  private static func replay(_ frame: StoredFrame, _ salvaged: inout Salvaged) {
    do throws(KithError) {
      var number = frame.firstSequence
      try frame.forEachChange { (change, _) throws(KithError) in
        if number > salvaged.state.sequence { make(change, number, &salvaged) }
        number += 1
      }
    } catch {
      // Its hash was right, so it was made to look like one.
      if let problem = try? Problem(damage: error) { salvaged.report.problems.append(problem) }
    }
  }

  private static func make(_ change: Change, _ number: UInt64, _ salvaged: inout Salvaged) {
    do throws(KithError) {
      if try !salvaged.state.apply(change) { salvaged.report.refuse(number, "it changes nothing") }
    } catch {
      salvaged.report.refuse(number, error.description)
    }
    salvaged.state.sequence = number
  }

  // MARK: - The end

  private func doubtTheEnd(of journal: SalvagedJournal<D>, _ report: inout SalvageReport) {
    let name = StoreNames.journal(generation: journal.generation)
    if journal.tailByteCount > 0 {
      let byteCount = journal.tailByteCount
      report.doubts.append("\(name) ends with \(byteCount) bytes that are no frame: changes may be lost there")
    } else if journal.isCut {
      report.doubts.append("the end of \(name) is cut off: changes may be lost there")
    }
  }

  private func finish(_ salvaged: inout Salvaged) {
    salvaged.state.users.settleSearch()
    salvaged.report.sequence = salvaged.state.sequence
    if reached > salvaged.state.sequence { salvaged.report.lose(salvaged.state.sequence + 1...reached) }
  }
}
