import Testing

@testable import Kith

/// Salvage of damaged stores: nothing is invented, and the report names exactly what is lost.
///
/// `KITH_SALVAGES` sets how many damaged stores, `KITH_SALVAGE_SEED` the first of them.
@Suite struct SalvageTests {
  private static let storeCount =
    CrashEnvironment.number("KITH_SALVAGES") ?? (CrashEnvironment.isOptimized ? 2_000 : 150)
  private static let firstSeed = UInt64(CrashEnvironment.number("KITH_SALVAGE_SEED") ?? 0)

  /// A history, and every line of the model at any time.
  private struct Case {
    let history: StoreHistory
    let facts: Set<[UInt8]>

    /// - Parameter pruned: whether its oldest journals and snapshots were removed, as by a store.
    init(seed: UInt64, pruned: Bool) throws {
      history = try StoreHistory(seed: seed, frameCount: 60, snapshotOdds: 15)
      facts = Set(history.models.flatMap(\.rows))
      if pruned {
        let directory = StoreDirectory(MemoryDisk.directory, disk: history.fixture.disk)
        try directory.prune(holding: try StoreLock(directory: directory.path, disk: directory.disk))
      }
    }

    /// Salvages, and compares the report with the model. Returns the report and the differences.
    func salvage(_ disk: MemoryDisk) throws(KithError) -> (report: SalvageReport, objection: String?) {
      var salvaged = try Salvage.run(StoreDirectory(MemoryDisk.directory, disk: disk))
      let report = salvaged.report
      return (report, objection(to: SocialGraph.Pin(GraphView(salvaged.state.pin())).view, report))
    }

    private func objection(to view: borrowing GraphView, _ report: SalvageReport) -> String? {
      if let invented = view.rows.first(where: { !facts.contains($0) }) {
        return "\(String(decoding: invented, as: UTF8.self)) never was"
      }
      var model = history.models[Int(report.snapshotSequence)]
      model.keep(Set(GraphComponent.allCases).subtracting(report.lostParts.map(\.part)))
      if report.sequence > history.last { return "change \(report.sequence) never was" }
      for number in 0..<report.sequence where number >= report.snapshotSequence {
        if report.lost.contains(where: { $0.contains(number + 1) }) { continue }
        let outcome = try? model.outcome(of: history.changes[Int(number)]).get()
        let isRefused = report.refused.contains { $0.contains(number + 1) }
        if isRefused == (outcome?.didChange ?? false) { return "change \(number + 1): refused is \(isRefused)" }
      }
      if let difference = view.difference(from: model) { return difference }
      let isTold = report.sequence == history.last || !report.lost.isEmpty || !report.unknowns.isEmpty
      return isTold ? nil : "changes after \(report.sequence) are missing, and nothing is said"
    }
  }

  @Test("Salvage of a valid store loses nothing")
  func validStore() throws {
    for pruned in [false, true] {
      let whole = try Case(seed: 5, pruned: pruned)
      let (report, objection) = try whole.salvage(whole.history.fixture.disk)
      #expect(objection == nil)
      #expect(report.isWhole && report.problems.isEmpty && report.unknowns.isEmpty, "\(report)")
      #expect(report.sequence == whole.history.last)
    }
  }

  @Test("Salvage of any damaged store gives what the report says, and nothing that never existed")
  func damagedStore() throws {
    let cases = try (0..<6).map { (index: UInt64) in try Case(seed: 20 + index, pruned: index % 3 > 0) }
    var (wholeCount, partCount, emptyCount) = (0, 0, 0)
    for seed in Self.firstSeed..<Self.firstSeed + UInt64(Self.storeCount) {
      var random = SeededRandom(seed: seed)
      let damaged = cases[random.below(cases.count)]
      let disk = MemoryDisk(copying: damaged.history.fixture.disk)
      // Often so much that no snapshot is whole.
      let strikes = (0..<1 + random.below(random.below(3) == 0 ? 25 : 5)).map { _ in
        StoreDamage.strike(disk, &random)
      }
      do throws(KithError) {
        let (report, objection) = try damaged.salvage(disk)
        #expect(objection == nil, "seed \(seed): \(strikes)")
        if report.isWhole { wholeCount += 1 }
        if !report.lostParts.isEmpty { partCount += 1 }
        if report.snapshot == nil { emptyCount += 1 }
      } catch {
        #expect(error.code == "noStore" && disk.paths == ["/store/LOCK"], "seed \(seed): \(error), \(strikes)")
      }
    }
    print("Salvage: \(Self.storeCount) stores, \(wholeCount) whole, \(partCount) in parts, \(emptyCount) from journals")
    #expect(wholeCount > 0 && partCount > 0 && emptyCount > 0)
  }

  @Test("Every damaged section is reported, and costs only its component and what depends on it")
  func damagedSections() throws {
    let source = try Case(seed: 3, pruned: true)
    let disk = source.history.fixture.disk
    let directory = StoreDirectory(MemoryDisk.directory, disk: disk)
    let names = try #require(try directory.contents()).snapshots
    let (oldest, newest) = (try #require(names.first), try #require(names.last))
    let path = directory.path(of: newest)
    let reader = try SnapshotFileReader(path: path, disk: disk, memoryLimit: .max, knownSections: nil)
    for name in names.dropLast() { disk[directory.path(of: name)] = nil }
    let sound = try #require(disk[path])
    for entry in reader.table.entries {
      disk[path] = sound.flipped(1, at: Int(entry.fileOffset) + 20)
      let (report, objection) = try source.salvage(disk)
      let part = try #require(GraphComponent.allCases.first { $0.sections.contains(entry.id) })
      let lost: Set<GraphComponent> = part == .posts ? [.posts, .likes] : [part]
      #expect(objection == nil, "\(entry.id)")
      if part == .users {
        #expect(report.snapshot == nil && report.lost == [1...oldest.sequence], "\(entry.id): \(report)")
      } else {
        #expect(Set(report.lostParts.map(\.part)) == lost && report.snapshot != nil, "\(entry.id): \(report)")
        #expect(report.problems.count == 1, "\(report)")
      }
    }
  }

  @Test("Of a truncated snapshot every component before the cut is restored")
  func truncatedSnapshot() throws {
    let source = try Case(seed: 3, pruned: true)
    let disk = source.history.fixture.disk
    let names = try #require(try StoreDirectory(MemoryDisk.directory, disk: disk).contents()).snapshots
    let name = try #require(names.last)
    let path = "\(MemoryDisk.directory)/\(name)"
    let whole = try #require(disk[path])
    let table = try SnapshotFileReader(path: path, disk: disk, memoryLimit: .max, knownSections: nil).table
    func end(_ part: GraphComponent) -> Int {
      let entries = table.entries.filter { part.sections.contains($0.id) }
      return entries.map { Int($0.fileOffset + $0.compressedByteCount) }.max() ?? 0
    }
    for byteCount in Array(stride(from: 300, to: whole.count, by: 7)) + GraphComponent.allCases.map(end) {
      disk[path] = Array(whole[..<byteCount])
      guard byteCount >= end(.users) else {
        #expect(throws: KithError.self, "cut to \(byteCount)") { try Self.salvage(path, disk) }
        continue
      }
      let (report, pin) = try Self.salvage(path, disk)
      var lost = Set(GraphComponent.allCases.filter { byteCount < end($0) })
      if lost.contains(.posts) { lost.insert(.likes) }
      #expect(Set(report.lostParts.map(\.part)) == lost, "cut to \(byteCount): \(report)")
      #expect(report.unknowns.count == 1 && report.snapshotSequence == name.sequence)
      var model = source.history.models[Int(name.sequence)]
      model.keep(Set(GraphComponent.allCases).subtracting(lost))
      #expect(pin.view.difference(from: model) == nil, "cut to \(byteCount)")
    }
    // A damaged table loses only certainty.
    disk[path] = whole.flipped(1, at: Int(table.fileOffset) + 60)
    let (report, pin) = try Self.salvage(path, disk)
    #expect(report.isWhole && report.unknowns.count == 1)
    #expect(pin.view.difference(from: source.history.models[Int(name.sequence)]) == nil)
    // And a preamble of a section that exists already ends what can be followed.
    let first = table.entries[0]
    let section = whole[Int(first.fileOffset)..<Int(first.fileOffset + first.compressedByteCount)]
    disk[path] = Array(whole[..<end(.users)]) + section + whole[end(.users)...]
    #expect(try Self.salvage(path, disk).report.lostParts.count == GraphComponent.allCases.count - 1)
  }

  private static func salvage(
    _ snapshot: String, _ disk: MemoryDisk
  ) throws(KithError) -> (report: SalvageReport, pin: SocialGraph.Pin) {
    var salvaged = try Salvage.run(snapshot: snapshot, disk: disk)
    return (salvaged.report, SocialGraph.Pin(GraphView(salvaged.state.pin())))
  }

  @Test("A gap is reported by its numbers, and later changes are applied where possible")
  func gap() throws {
    let fixture = try JournalFixture()
    try fixture.commitThree()
    try fixture.commit([.addUser(id: 9, username: "cy"), .follow(as: 9, target: 1, at: 0)])
    try fixture.close()
    // The post, which a later change likes.
    fixture.disk[JournalFixture.path()]?[4096 + 512 + 60] ^= 1
    let salvaged = try Salvage.run(StoreDirectory(MemoryDisk.directory, disk: fixture.disk))
    let report = salvaged.report
    #expect(report.lost == [3...3] && report.refused == [5...5] && report.sequence == 9 && !report.isWhole)
    #expect(report.rejectedChanges == ["change 5: no post 1"])
    #expect(salvaged.state.counts == SocialGraph.Counts(users: 3, posts: 0, follows: 1, likes: 0, blocks: 1, mutes: 1))
  }

  @Test("A watermark of another store does not change the identity of this one")
  func watermarkOfAnotherStore() throws {
    let fixture = try JournalFixture()
    try fixture.commitThree()
    try fixture.close()
    let path = JournalFixture.directory + "/ACK"
    fixture.disk[path] = nil
    _ = try WatermarkFile(
      directory: JournalFixture.directory, disk: fixture.disk,
      DurableWatermark(storeID: StoreID(high: 1, low: 2), sequence: 900, generation: 1))
    let salvaged = try Salvage.run(StoreDirectory(MemoryDisk.directory, disk: fixture.disk))
    #expect(salvaged.report.isWhole && salvaged.report.sequence == 7 && salvaged.report.unknowns.count == 1)
  }

  @Test("Files of another store, or of another history of this one, are ignored")
  func foreignFiles() throws {
    let fixture = try JournalFixture()
    try fixture.commitThree()
    try fixture.journal.rotate(to: 2)
    try fixture.commit([.unmute(as: 1, target: 7)])
    try fixture.close()
    let path = JournalFixture.path(journal: 2)
    let bytes = try #require(fixture.disk[path])
    let header = try JournalReader(path: path, disk: fixture.disk, syncing: false).header
    for (storeID, chainHash) in [(StoreID(high: 1, low: 2), header.chainHash), (header.storeID, header.chainHash ^ 1)] {
      let disk = MemoryDisk(copying: fixture.disk)
      let forged = JournalHeader(
        storeID: storeID, generation: 2, firstSequence: 8, chainHash: chainHash, writtenAt: 0, hasSchema: false)
      disk[path] = forged.encoded() + bytes.dropFirst(4096)
      let salvaged = try Salvage.run(StoreDirectory(MemoryDisk.directory, disk: disk))
      #expect(salvaged.report.lost == [8...8] && salvaged.report.sequence == 7, "\(salvaged.report)")
      #expect(salvaged.report.problems.map(\.place) == [path])
    }
  }

  @Test("A store that a writer has open is not salvaged: what was not finished would count as lost")
  func inUse() throws {
    let directory = try TemporaryDirectory()
    let (store, target) = (directory.file("store"), directory.file("target"))
    let graph = try SocialGraph.open(store)
    try graph.addUser("ann")
    let error = #expect(throws: KithError.self) { try StoreTools.salvage(from: store, to: target) }
    guard case .storeInUse(_, store) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    try graph.close()
    let salvaged = try StoreTools.salvage(from: store, to: target)
    #expect(salvaged.report.isWhole && salvaged.counts.users == 1)
    try SocialGraph.open(store).close()
  }
}
