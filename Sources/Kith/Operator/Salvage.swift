/// What was salvaged from a damaged store, and what is lost.
struct Salvaged: ~Copyable, Sendable {
  var state = GraphState()
  var report = SalvageReport()
}

/// Salvages a graph from the files of a damaged store that recovery rejects.
///
/// It begins with the newest intact snapshot. Without one, it begins with an empty graph if the journals hold the first
/// change; else with the intact components of the newest snapshot whose users are intact. Then it applies the changes
/// of every valid frame, in order, across gaps. Nothing is invented: every user, post and edge of the result was in the
/// store at some time. But anything that a lost change removed may reappear.
///
/// - Complexity: O(all files). Memory: the state, the sections of a snapshot, 32 bytes per frame.
struct Salvage<D: Disk> {
  private let directory: StoreDirectory<D>
  private let memoryLimit: Int
  private let limit: RestoreLimit
  private let contents: StoreDirectory<D>.Contents
  private var storeID: StoreID?
  private var journals: [SalvagedJournal<D>] = []
  /// The highest change that the store is known to have reached, readable or not.
  private var reached: UInt64 = 0
  /// The chain hash of all changes up to the state; nil after a gap.
  private var chainHash: UInt64? = 0

  /// Salvages a store without changing it. No process may write to it meanwhile.
  ///
  /// - Throws: `noStore`; `unsupportedVersion`, because newer files are not damaged; `limitExceeded`, `system`.
  static func run(
    _ directory: StoreDirectory<D>, memoryLimit: Int = SnapshotFile.defaultMemoryLimit,
    limit: RestoreLimit = .outside(allowedByteCount: nil)
  ) throws(KithError) -> Salvaged {
    var salvage = try Salvage(directory, memoryLimit, limit)
    return try salvage.run()
  }

  /// Salvages a damaged snapshot file.
  /// - Throws: also `corrupt` if nothing of it can be used.
  static func run(
    snapshot path: String, disk: D, memoryLimit: Int = SnapshotFile.defaultMemoryLimit,
    limit: RestoreLimit = .outside(allowedByteCount: nil)
  ) throws(KithError) -> Salvaged {
    let file = try disk.open(path, writable: false)
    let sections = try IntactSections(file, path: path, from: disk, memoryLimit: memoryLimit, limit: limit)
    var salvaged = Salvaged()
    salvaged.state = try sections.state()
    salvaged.report.snapshot = path
    salvaged.report.snapshotSequence = sections.header.sequence
    salvaged.report.sequence = sections.header.sequence
    salvaged.report.notify(of: sections)
    return salvaged
  }

  private init(
    _ directory: StoreDirectory<D>, _ memoryLimit: Int, _ limit: RestoreLimit
  ) throws(KithError) {
    self.directory = directory
    self.memoryLimit = memoryLimit
    self.limit = limit
    guard let contents = try directory.survey(), !contents.isEmpty, !contents.isUnfinished else {
      throw .noStore(path: directory.path)
    }
    self.contents = contents
  }

  private mutating func run() throws(KithError) -> Salvaged {
    var salvaged = Salvaged()
    for name in contents.strays {
      salvaged.report.unknowns.append("\(name.shownPath) is no file of a store, and was passed over")
    }
    try begin(&salvaged)
    try readAcknowledgement(&salvaged.report)
    for place in journals.indices { try replay(place, into: &salvaged) }
    finish(&salvaged)
    return salvaged
  }

  // MARK: - Input

  /// Read after the other files, whose store id takes precedence.
  private mutating func readAcknowledgement(_ report: inout SalvageReport) throws(KithError) {
    var acknowledgement: DurableWatermark?
    do throws(KithError) {
      acknowledgement = try WatermarkFile.read(in: directory.path, disk: directory.disk, syncing: false)
    } catch {
      report.problems.append(try SocialGraph.Violation(damage: error))
    }
    if let acknowledgement, belongs(acknowledgement.storeID) {
      reached = max(reached, acknowledgement.sequence)
    } else {
      report.unknowns.append("there is no \(StoreNames.watermark) that tells how far the store reached")
    }
  }

  /// Chooses the base state, and reads which frames the journals hold.
  private mutating func begin(_ salvaged: inout Salvaged) throws(KithError) {
    var damaged: [SnapshotName] = []
    for name in contents.snapshots.reversed() {
      do throws(KithError) {
        let snapshot = try directory.readSnapshot(name, memoryLimit: memoryLimit, limit: limit)
        try install(snapshot.header, name, &salvaged)
        salvaged.state = snapshot.state
        break
      } catch {
        salvaged.report.problems.append(try SocialGraph.Violation(damage: error))
        damaged.append(name)
      }
    }
    // A snapshot gets its name only once it is completely synced.
    reached = max(reached, contents.snapshots.last?.sequence ?? 0)
    for generation in contents.journals { try readJournal(generation, &salvaged.report) }
    if salvaged.report.snapshot == nil && !journals.contains(where: { $0.spans.first?.changes.lowerBound == 1 }) {
      try beginWithParts(of: damaged, &salvaged)
    }
    let base = salvaged.report.snapshot.flatMap { SnapshotName($0) }
    journals.removeAll { $0.generation < base?.generation ?? 0 }
  }

  private mutating func install(
    _ header: SnapshotHeader, _ name: SnapshotName, _ salvaged: inout Salvaged
  ) throws(KithError) {
    guard belongs(header.storeID) else {
      throw .corrupt(file: directory.path(of: name), offset: 24, reason: "it belongs to another store")
    }
    chainHash = header.chainHash
    salvaged.report.snapshot = name.description
    salvaged.report.snapshotSequence = header.sequence
  }

  /// - Parameter damaged: snapshots, newest first.
  private mutating func beginWithParts(of damaged: [SnapshotName], _ salvaged: inout Salvaged) throws(KithError) {
    for name in damaged {
      do throws(KithError) {
        let path = directory.path(of: name)
        let file = try directory.disk.open(path, writable: false)
        let sections = try IntactSections(
          file, path: path, from: directory.disk, memoryLimit: memoryLimit, limit: limit)
        try directory.check(sections.header, is: name)
        let state = try sections.state()
        try install(sections.header, name, &salvaged)
        salvaged.report.notify(of: sections)
        salvaged.state = state
        return
      } catch {
        // The damage was already reported.
        _ = try SocialGraph.Violation(damage: error)
      }
    }
  }

  private mutating func readJournal(_ generation: UInt64, _ report: inout SalvageReport) throws(KithError) {
    let journal: SalvagedJournal<D>
    do throws(KithError) {
      journal = try SalvagedJournal(generation, in: directory)
    } catch {
      return report.problems.append(try SocialGraph.Violation(damage: error))
    }
    report.problems += journal.problems
    if let header = journal.header {
      guard belongs(header.storeID) else { return report.skip(journal.path, "it belongs to another store") }
      guard header.generation == generation else {
        return report.skip(journal.path, "it is the journal of generation \(header.generation)")
      }
      reached = max(reached, header.firstSequence - 1)
    }
    journals.append(journal)
  }

  /// Whether a file with this id belongs to the store. The first file read determines the store.
  private mutating func belongs(_ id: StoreID) -> Bool {
    let known = storeID ?? id
    storeID = known
    return known == id
  }

  // MARK: - Changes

  /// Applies the changes of a journal that follow the state, up to where a later file begins.
  private mutating func replay(_ place: Int, into salvaged: inout Salvaged) throws(KithError) {
    let later = journals[(place + 1)...].compactMap(\.firstSequence).min() ?? .max
    let bridges = contents.snapshots.filter { $0.generation > journals[place].generation }
    // A file name may contain any number.
    let limit = min(later, bridges.map { $0.sequence &+ 1 }.filter { $0 > 0 }.min() ?? .max)
    if let header = journals[place].header, header.firstSequence == salvaged.state.sequence + 1 {
      guard header.chainHash == chainHash ?? header.chainHash else {
        reached = max(reached, journals[place].spans.last?.changes.upperBound ?? 0)
        return salvaged.report.skip(journals[place].path, "it continues other changes than those before it")
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
    if limit == .max { checkEnd(of: journals[place], &salvaged.report) }
  }

  /// Records the changes before `next` as lost.
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
      // Its hash was correct, so the frame was forged.
      if let problem = try? SocialGraph.Violation(damage: error) { salvaged.report.problems.append(problem) }
    }
  }

  private static func make(_ change: Change, _ number: UInt64, _ salvaged: inout Salvaged) {
    do throws(KithError) {
      if try !salvaged.state.apply(change, replaying: true) { salvaged.report.refuse(number, "it changes nothing") }
    } catch {
      salvaged.report.refuse(number, error.description)
    }
    salvaged.state.sequence = number
  }

  // MARK: - End of the journals

  private func checkEnd(of journal: SalvagedJournal<D>, _ report: inout SalvageReport) {
    let name = StoreNames.journal(generation: journal.generation)
    if journal.tailByteCount > 0 {
      let byteCount = journal.tailByteCount
      report.unknowns.append("\(name) ends with \(byteCount) bytes that are no frame: changes may be lost there")
    } else if journal.isCut {
      report.unknowns.append("the end of \(name) is cut off: changes may be lost there")
    }
  }

  private func finish(_ salvaged: inout Salvaged) {
    salvaged.state.users.settleSearch()
    salvaged.report.sequence = salvaged.state.sequence
    if reached > salvaged.state.sequence { salvaged.report.lose(salvaged.state.sequence + 1...reached) }
  }
}
