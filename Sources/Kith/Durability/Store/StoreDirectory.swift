/// A directory that holds one store: its files by name, and who may open it.
///
/// Readers take no lock and change nothing. Writers hold a `StoreLock`.
struct StoreDirectory<D: Disk>: Sendable {
  let path: String
  let disk: D

  /// The files in a store directory.
  struct Contents: Hashable, Sendable {
    /// The snapshots, oldest first.
    var snapshots: [SnapshotName] = []
    /// The generations of the journals, ascending.
    var journals: [UInt64] = []
    /// The names of files that a writer did not finish.
    var temporaries: [String] = []
    var hasLock = false
    var hasAcknowledgements = false

    /// Whether there is no file of a store.
    var isEmpty: Bool { self == Contents() }

    /// A generation that no file has used.
    var nextGeneration: UInt64 {
      let snapshot = snapshots.map(\.generation).max() ?? 0
      return max(snapshot, journals.last ?? 0) + 1
    }
  }

  init(_ path: String, disk: D) {
    self.path = path
    self.disk = disk
  }

  /// The files of the store; nil if there is no such directory.
  ///
  /// - Throws: `notAStore` if the path is not a directory, or the directory has a file that does not belong to a store;
  ///   `corrupt` if a name has a number out of range.
  func contents() throws(KithError) -> Contents? {
    guard let (contents, foreign) = try survey() else { return nil }
    if let name = foreign.first(where: StoreNames.isBeyondLimit) {
      throw .corrupt(
        file: path.appendingPathComponent(name), offset: 0,
        reason: "its name has a number above \(JournalFormat.numberLimit), which is the greatest")
    }
    if let name = foreign.first { throw .notAStore(path: path, reason: "it holds \(name), which no store has") }
    return contents
  }

  /// The files of the store, and the names of files that do not belong to one; nil if there is no such directory.
  func survey() throws(KithError) -> (contents: Contents, foreign: [String])? {
    guard let status = try disk.status(of: path, followingLinks: true) else { return nil }
    guard status.kind == .directory else {
      throw .notAStore(path: path, reason: "it is \(status.kind.rawValue), not a directory")
    }
    var contents = Contents()
    var foreign: [String] = []
    for name in try disk.list(path) {
      if name == StoreNames.lock {
        contents.hasLock = true
      } else if name == StoreNames.watermark {
        contents.hasAcknowledgements = true
      } else if let snapshot = SnapshotName(name) {
        contents.snapshots.append(snapshot)
      } else if let generation = StoreNames.generation(ofJournal: name) {
        contents.journals.append(generation)
      } else if StoreNames.isTemporary(name) {
        contents.temporaries.append(name)
      } else if !StoreNames.isTolerated(name) {
        foreign.append(name)
      }
    }
    return (contents, foreign)
  }

  /// Opens a store for reading, without changing it.
  /// - Throws: `noStore` if there is none.
  func openForReading() throws(KithError) -> Contents {
    guard let contents = try contents(), !contents.isEmpty else { throw .noStore(path: path) }
    return contents
  }

  /// Opens a store for writing: takes the lock and removes the unfinished files of a crashed writer. If the store is
  /// absent or empty, and `creating` is set, creates it first.
  func openForWriting(creating: Bool) throws(KithError) -> (lock: StoreLock<D>, contents: Contents) {
    let found = try contents()
    if found?.isEmpty != false, !creating { throw .noStore(path: path) }
    if found == nil { try disk.makeDirectory(path) }
    // Also after a crash, or a failure of this very call, between the two: until now the name was not durable, and
    // nothing was lost.
    if found?.isEmpty != false { try disk.syncDirectory(path.parentPath) }
    let lock = try StoreLock(directory: path, disk: disk)
    // The lock is held now, so the contents no longer change.
    guard var contents = try contents() else { throw .noStore(path: path) }
    for name in contents.temporaries { try disk.remove(path.appendingPathComponent(name)) }
    contents.temporaries = []
    return (lock, contents)
  }

  func path(of snapshot: SnapshotName) -> String {
    path.appendingPathComponent(snapshot.description)
  }

  /// The most retries of a reader. A writer that snapshots continuously may prune its files many times.
  private static var attemptLimit: Int { 100 }

  /// Reads the files of a store, and retries if a writer pruned a file that was just listed.
  static func againWhilePruned<R: ~Copyable>(_ body: () throws(KithError) -> R) throws(KithError) -> R {
    var attempt = 1
    while true {
      do throws(KithError) {
        return try body()
      } catch {
        guard case .system(SystemError.noSuchFile, _, _) = error, attempt < attemptLimit else { throw error }
        attempt += 1
      }
    }
  }
}
