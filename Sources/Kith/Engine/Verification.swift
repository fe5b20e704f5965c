/// Whether a snapshot file or a store is sound: everything there is, read and checked.
///
/// Of a store: every snapshot by its hashes, every journal by its frames and what it continues, `ACK`, and that all of
/// it leads to a state. Deeply: also that state by its invariants: forward and backward lists, counters, indexes.
package struct Verification: Sendable {
  /// What is damaged, and where; empty when all is sound.
  package private(set) var problems: [Problem] = []
  /// What is worth knowing and no damage: what a crash had torn and nobody was promised.
  package private(set) var remarks: [String] = []
  /// The number of the last change; nil when the files lead to no state.
  package private(set) var sequence: UInt64?

  /// Tells what is being read: the name of a file or of a step, and how many bytes of it were read just now.
  package typealias Noting = (_ name: String, _ byteCount: Int) -> Void

  /// Errors: what keeps it from being opened at all, such as `noStore`, `notAStore`, `unsupportedVersion`, `system`.
  /// - Complexity: O(all files); memory: the graph.
  package init(of path: String, deep: Bool, noting: Noting = { _, _ in }) throws(KithError) {
    let disk = SystemDisk()
    if try Snapshots.isFile(path, disk) {
      try verify(try disk.open(path, writable: false), named: path, from: disk, deep: deep, noting)
    } else {
      try verify(store: StoreDirectory(path, disk: disk), deep: deep, noting)
    }
  }

  /// The same of the bytes of a snapshot, which `name` stands for.
  package init(
    ofSnapshot bytes: [UInt8], named name: String, deep: Bool, noting: Noting = { _, _ in }
  ) throws(KithError) {
    try verify(bytes, named: name, from: MemoryStorage(), deep: deep, noting)
  }

  private mutating func verify<Storage: ByteStorage>(
    _ file: Storage.File, named name: String, from storage: Storage, deep: Bool, _ noting: Noting
  ) throws(KithError) {
    do throws(KithError) {
      sequence = try SnapshotFile.verify(file, path: name, from: storage) { noting(name, $0) }.header.sequence
      if deep { problems = try SnapshotFile.read(file, path: name, from: storage).state.checkInvariants() }
    } catch {
      guard case .corrupt = error else { throw error }
      problems = [try Problem(damage: error)]
    }
  }

  private mutating func verify(
    store directory: StoreDirectory<SystemDisk>, deep: Bool, _ noting: Noting
  ) throws(KithError) {
    _ = try directory.openForReading()
    problems = try StoreDirectory<SystemDisk>.againWhilePruned { () throws(KithError) in
      try Self.damage(in: directory, noting)
    }
    noting(deep ? "the state and its invariants" : "the state", 0)
    do throws(KithError) {
      let recovered = try Recovery<SystemDisk>.forReading(directory)
      sequence = recovered.state.sequence
      remarks = recovered.report.remarks(onSnapshots: false)
      if deep { problems += recovered.state.checkInvariants() }
    } catch {
      // What keeps the files from leading to a state is often what was found in one of them.
      let problem = try Problem(damage: error)
      if !problems.contains(where: { $0.place == problem.place }) { problems.append(problem) }
    }
  }

  /// What is wrong with the files, each for itself and in their order.
  private static func damage(
    in directory: StoreDirectory<SystemDisk>, _ noting: Noting
  ) throws(KithError) -> [Problem] {
    var problems: [Problem] = []
    for name in try directory.openForReading().snapshots {
      do throws(KithError) {
        try directory.verify(name) { noting(name.description, $0) }
      } catch {
        problems.append(try Problem(damage: error))
      }
    }
    noting("the journals", 0)
    do throws(KithError) {
      let listing = try StoreListing(directory)
      problems += listing.journals.compactMap(\.problem) + listing.gaps
    } catch {
      problems.append(try Problem(damage: error))
    }
    return problems
  }
}
