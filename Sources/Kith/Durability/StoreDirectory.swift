/// A directory that holds one store: its files by name, and who may open it.
///
/// Readers take no lock and change nothing. Writers hold a `StoreLock`.
struct StoreDirectory<D: Disk>: Sendable {
  let path: String
  let disk: D

  /// What stands in a store directory.
  struct Contents: Hashable, Sendable {
    /// Oldest first.
    var snapshots: [SnapshotName] = []
    /// Generations, ascending.
    var journals: [UInt64] = []
    /// Names of files that a writer did not finish.
    var temporaries: [String] = []
    var hasLock = false
    var hasAcknowledgements = false

    /// Whether nothing of a store is here yet.
    var isEmpty: Bool { self == Contents() }

    /// A generation that no file here has had.
    var nextGeneration: UInt64 {
      let snapshot = snapshots.map(\.generation).max() ?? 0
      return max(snapshot, journals.last ?? 0) &+ 1
    }
  }

  init(_ path: String, disk: D) {
    self.path = path
    self.disk = disk
  }

  /// What is here; nil when there is no such directory.
  ///
  /// Whatever is not a store's is refused with `notAStore`: anything but a directory, and a directory with any file
  /// that no store has.
  func contents() throws(KithError) -> Contents? {
    guard let (contents, foreign) = try survey() else { return nil }
    if let name = foreign.first { throw .notAStore(path: path, reason: "it holds \(name), which no store has") }
    return contents
  }

  /// What is here, and the names of files that no store has; nil when there is no such directory.
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
      } else if name == StoreNames.acknowledgements {
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

  /// Opens a store to read its files, and leaves it as it is; `noStore` when there is none.
  func openForReading() throws(KithError) -> Contents {
    guard let contents = try contents(), !contents.isEmpty else { throw .noStore(path: path) }
    return contents
  }

  /// Takes the store for writing, makes it first when it is absent or empty and `creating` says so, and removes what a
  /// crashed writer left unfinished.
  func openForWriting(creating: Bool) throws(KithError) -> (lock: StoreLock<D>, contents: Contents) {
    let found = try contents()
    if found?.isEmpty != false, !creating { throw .noStore(path: path) }
    if found == nil { try disk.makeDirectory(path) }
    // Also where a crash, or a failure of this very call, came between the two: nothing was lost with the name so far.
    if found?.isEmpty != false { try disk.syncDirectory(path.parentPath) }
    let lock = try StoreLock(directory: path, disk: disk)
    // Only now does nobody else change it.
    guard var contents = try contents() else { throw .noStore(path: path) }
    for name in contents.temporaries { try disk.remove(path.appendingPathComponent(name)) }
    contents.temporaries = []
    return (lock, contents)
  }

  func path(of snapshot: SnapshotName) -> String {
    path.appendingPathComponent(snapshot.description)
  }

  /// How often a reader begins again at most; a writer that snapshots without a pause can come first many times.
  private static var attemptLimit: Int { 100 }

  /// Looks at the files of a store, and again when a writer pruned what was listed a moment ago.
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
