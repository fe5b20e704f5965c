import Testing

@testable import Kith

extension JournalFrame {
  /// The frame as in a file.
  func sealed(journalID: UInt64, writtenAt: Timestamp, syncedThrough: UInt64) -> [UInt8] {
    var sealed: [UInt8] = []
    _ = seal(into: &sealed, journalID: journalID, writtenAt: writtenAt, syncedThrough: syncedThrough)
    return sealed
  }
}

/// A small store, written by hand from the engine's parts.
final class JournalFixture {
  static let directory = MemoryDisk.directory
  static let storeID = StoreID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)

  let disk: MemoryDisk
  var state = GraphState()
  var journal: JournalWriter<MemoryDisk>
  var watermark: WatermarkFile<MemoryDisk>
  /// The digest of the state after each change that ended a frame, by its number.
  private(set) var digests: [UInt64: UInt64] = [:]
  private let store: StoreDirectory<MemoryDisk>

  init(disk: MemoryDisk = MemoryDisk(), growthLimit: Int = 1024, hasSchema: Bool = false) throws(KithError) {
    self.disk = disk
    store = StoreDirectory(Self.directory, disk: disk)
    disk[Self.directory + "/LOCK"] = []
    watermark = try WatermarkFile(
      directory: Self.directory, disk: disk, DurableWatermark(storeID: Self.storeID, sequence: 0, generation: 0))
    journal = JournalWriter(
      directory: Self.directory, storeID: Self.storeID, generation: 1, firstSequence: 1, chainHash: 0, disk: disk,
      growthLimit: growthLimit, hasSchema: hasSchema)
    digests[0] = Self.digest(of: state)
  }

  /// Applies changes and commits them as one frame.
  func commit(
    _ changes: [Change], syncing: Bool = true, acknowledging: Bool = true, replaying: Bool = false
  ) throws(KithError) {
    var frame = JournalFrame(firstSequence: state.sequence + 1)
    for change in changes where try state.apply(change, replaying: replaying) { frame.append(change) }
    try journal.append(frame, at: time, syncing: syncing)
    digests[state.sequence] = Self.digest(of: state)
    if acknowledging {
      watermark.record(sequence: journal.syncedThrough, generation: journal.generation)
    }
  }

  /// Three commits of one to three changes, seven in all.
  func commitThree() throws(KithError) {
    try commit([.addUser(id: 1, username: "ann"), .addUser(id: 7, username: "bøb")])
    try commit([.addPost(id: 1, by: 1, text: "hello 👋", createdAt: 1_700_000_000_123)])
    try commit([
      .follow(as: 7, target: 1, at: 1_700_000_001_000), .like(as: 7, post: 1, at: 1_700_000_002_000),
      .mute(as: 1, target: 7), .block(as: 1, target: 7),
    ])
  }

  /// The clock's time: unless it was set, a millisecond for each change.
  var time: Timestamp { clock ?? Timestamp(1_700_000_000_000 + Int64(state.sequence)) }
  var clock: Timestamp?

  /// Rotates the journal, and writes a snapshot.
  func snapshot(at time: Timestamp = 0) throws {
    try journal.rotate(to: journal.generation + 1)
    let header = SnapshotHeader(
      storeID: Self.storeID, sequence: state.sequence, generation: journal.generation, chainHash: journal.chainHash,
      writtenAt: time.rawValue, unicodeVersion: "17.0.0", hasSchema: state.relations.hasSchema)
    let name = SnapshotName(sequence: header.sequence, generation: header.generation)
    _ = try SnapshotFile.write(
      header, GraphSections.sections(of: state), to: Self.directory, name: name.description, disk: disk)
  }

  func close() throws(KithError) {
    try journal.close()
    watermark.record(sequence: journal.syncedThrough, generation: journal.generation)
    watermark.close()
  }

  static func recover(_ disk: MemoryDisk) throws(KithError) -> Recovered {
    try Recovery.forReading(StoreDirectory(directory, disk: disk))
  }

  func recover() throws(KithError) -> Recovered { try Self.recover(disk) }

  static func path(journal generation: UInt64 = 1) -> String {
    directory + "/" + StoreNames.journal(generation: generation)
  }

  /// Equal for states with the same users, posts and edges, in the same order.
  static func digest(of state: borrowing GraphState) -> UInt64 {
    var hash = XXH64(seed: state.sequence)
    for section in GraphSections.sections(of: state) { hash.update(section.content.span) }
    return hash.finalize()
  }
}

extension JournalFixture {
  /// The outcome of recovering a damaged store.
  enum Outcome: Hashable {
    case exact
    /// A torn tail, and the exact state before it.
    case torn(UInt64)
    case refused
  }

  /// Recovers damaged files of this store, and checks that the outcome is one that the format promises.
  func outcome(
    _ disk: MemoryDisk, _ what: @autoclosure () -> String,
    _ location: SourceLocation = #_sourceLocation
  ) throws -> Outcome {
    do throws(KithError) {
      let recovered = try Self.recover(disk)
      let sequence = recovered.state.sequence
      #expect(digests[sequence] == Self.digest(of: recovered.state), "\(what())", sourceLocation: location)
      if sequence == state.sequence {
        #expect(recovered.chainHash == journal.chainHash, "\(what())", sourceLocation: location)
        return .exact
      }
      #expect(sequence >= recovered.report.acknowledged ?? .max, "\(what())", sourceLocation: location)
      let end = recovered.report.journals.last?.end
      let isReported = if case .torn? = end { true } else { false }
      #expect(isReported, "\(what()): \(recovered.report)", sourceLocation: location)
      return .torn(sequence)
    } catch {
      let codes = ["corrupt", "unsupportedVersion", "notAStore"]
      #expect(codes.contains(error.code), "\(what()): \(error)", sourceLocation: location)
      return .refused
    }
  }
}
