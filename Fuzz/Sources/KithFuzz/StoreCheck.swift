@testable import Kith

/// What must hold of the files of a store with any content.
enum StoreCheck {
  static let watermark = "\(MemoryDisk.directory)/\(StoreNames.watermark)"

  static func journal(_ generation: UInt64) -> String {
    "\(MemoryDisk.directory)/\(StoreNames.journal(generation: generation))"
  }

  /// A disk with a store that has these files besides its lock.
  static func disk(_ files: [String: [UInt8]]) -> MemoryDisk {
    let disk = MemoryDisk()
    disk["\(MemoryDisk.directory)/\(StoreNames.lock)"] = []
    for (path, content) in files.sorted(by: { $0.key < $1.key }) { disk[path] = content }
    return disk
  }

  /// Reads the store. If that succeeds, its graph is valid, and the store accepts and returns another change. If not,
  /// it cannot be opened for writing either.
  ///
  /// Returns the number of the last change and a hash of the graph.
  @discardableResult
  static func check(_ disk: MemoryDisk) -> (sequence: UInt64, digest: UInt64)? {
    checkSalvage(disk)
    guard let recovered = read(disk) else {
      require(write(disk) == nil, "a store that cannot be read was opened for writing")
      return nil
    }
    let sequence = recovered.state.sequence
    require(recovered.report.sequence == sequence, "the report tells of another state")
    require(sequence >= recovered.report.acknowledged ?? 0, "what was acknowledged is not there")
    let digest = RoundTrip.check(recovered.state)
    guard let written = write(disk) else {
      // A limit may forbid one change more.
      require(
        sequence >= JournalFormat.numberLimit - 1 || recovered.report.nextGeneration >= JournalFormat.numberLimit,
        "a store that can be read cannot be opened for writing")
      return (sequence, digest)
    }
    require(written.before == digest, "the writer sees another state than the reader")
    guard let again = read(disk) else { fatalError("a store cannot be read after a change") }
    require(again.state.sequence == sequence + written.changeCount, "the change that was made is not there")
    require(RoundTrip.digest(of: again.state) == written.after, "the state after a change is not the one in memory")
    return (sequence, digest)
  }

  /// With any files, the salvaged graph is valid.
  private static func checkSalvage(_ disk: MemoryDisk) {
    do throws(KithError) {
      let salvaged = try Salvage.run(StoreDirectory(MemoryDisk.directory, disk: disk))
      require(salvaged.report.sequence == salvaged.state.sequence, "the report of a salvage tells of another state")
      RoundTrip.check(salvaged.state)
    } catch {
      Refusal.check(error)
    }
  }

  /// Makes a new store of a graph, as restoring and salvaging do; it holds the same.
  static func checkCopy(_ state: consuming GraphState) {
    let digest = RoundTrip.check(state)
    let sequence = state.sequence
    let disk = MemoryDisk()
    succeeds("a store is made of a graph") { () throws(KithError) in
      let made = try Store.open(MemoryDisk.directory, mode: .memory, disk: disk, clock: { 1_800_000_000_000 })
      let pin = SocialGraph.Pin(GraphView(state.pin()))
      _ = try made.store.snapshot { () throws(KithError) -> SocialGraph.Pin in pin }
      try made.store.close()
    }
    guard let copy = read(disk) else { fatalError("a store that was made of a graph cannot be read") }
    require(copy.state.sequence == sequence, "a store that was made of a graph has another number")
    require(RoundTrip.digest(of: copy.state) == digest, "a store that was made of a graph holds another")
  }

  private static func read(_ disk: MemoryDisk) -> Recovered? {
    do throws(KithError) {
      return try Recovery.forReading(StoreDirectory(MemoryDisk.directory, disk: disk))
    } catch {
      Refusal.check(error)
      return nil
    }
  }

  /// Opens the store, adds a user, and closes it; nil when it cannot be opened.
  private static func write(_ disk: MemoryDisk) -> (before: UInt64, after: UInt64, changeCount: UInt64)? {
    do throws(KithError) {
      var opened = try Store.open(MemoryDisk.directory, mode: .synced, disk: disk, clock: { 1_800_000_000_000 })
      let store = opened.store
      var state = opened.state.pin()
      let before = RoundTrip.digest(of: state)
      var changeCount: UInt64 = 0
      let change = Change.addUser(id: nil, username: "somebody else")
      // The name may be taken, or the highest id used.
      if let complete = try? state.complete(change, now: { 0 }), (try? state.apply(complete)) == true {
        store.enqueue([complete])
        changeCount = 1
      }
      let sequence = state.sequence
      succeeds("a change is committed") { () throws(KithError) in
        try store.commit(sequence)
        try store.close()
      }
      return (before, RoundTrip.digest(of: state), changeCount)
    } catch {
      Refusal.check(error)
      return nil
    }
  }
}

/// The errors that may refuse files.
enum Refusal {
  private static let codes = ["corrupt", "unsupportedVersion", "notAStore", "limitExceeded"]

  static func check(_ error: KithError) {
    require(codes.contains(error.code), "bytes from outside are refused with \(error)")
  }
}
