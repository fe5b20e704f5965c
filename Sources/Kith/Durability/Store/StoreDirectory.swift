/// A directory that holds one store: its files by name, and who may open it.
///
/// Readers take no lock and change nothing. Writers hold a `StoreLock`.
struct StoreDirectory<D: Disk>: Sendable {
  let path: String
  let disk: D
  /// Whether the next snapshot finishes the store: see `removeMark`.
  var isMarked = false

  /// The files in a store directory.
  struct Contents: Hashable, Sendable {
    /// The snapshots, oldest first.
    var snapshots: [SnapshotName] = []
    /// The generations of the journals, ascending.
    var journals: [UInt64] = []
    /// The names of files that a writer did not finish.
    var temporaries: [String] = []
    /// The names of everything that no store has. Systems, editors and backup programs leave such files.
    var strays: [String] = []
    var hasLock = false
    var hasAcknowledgements = false
    /// Whether the store is still being made: it is one from its first snapshot on. See `StoreNames.mark`.
    var isUnfinished = false

    /// Whether there is no file of a store.
    var isEmpty: Bool {
      var own = self
      own.strays = []
      return own == Contents()
    }

    /// Whether there are files that only a store has, or one that is being made. A lock and what a crash has left can
    /// be there without.
    var isStore: Bool {
      !snapshots.isEmpty || !journals.isEmpty || hasAcknowledgements || isUnfinished
    }

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
  /// Names that no store has are passed over, as `strays`. Where there is no store yet, they must be hidden or those of
  /// a system, so that a directory of other data does not become a store.
  /// - Parameter evenUnfinished: whether a store that is still being made is no error.
  /// - Throws: `notAStore` if the path is not a directory, or the directory holds other data, or a store that was not
  ///   finished; `corrupt` if a name is almost that of a store's file.
  func contents(evenUnfinished: Bool = false) throws(KithError) -> Contents? {
    guard let contents = try survey() else { return nil }
    if let name = contents.strays.first(where: StoreNames.isAlmostOwn) {
      throw .corrupt(
        file: path.appendingPathComponent(name), offset: 0,
        reason: "its name is not one that a store gives: numbers have \(StoreNames.digitCount) digits, and are at most "
          + "\(JournalFormat.numberLimit)")
    }
    if !contents.isStore, let name = contents.strays.first(where: { !StoreNames.isBystander($0) }) {
      throw .notAStore(path: path, reason: "it holds \(name.shownPath), which no store has")
    }
    if contents.isUnfinished, !evenUnfinished {
      throw .notAStore(
        path: path,
        reason: "the command that makes a store here has not ended; if it was interrupted, give it again, or remove "
          + "this directory")
    }
    return contents
  }

  /// Everything in the directory; nil if there is none.
  func survey() throws(KithError) -> Contents? {
    guard let status = try disk.status(of: path, followingLinks: true) else { return nil }
    guard status.kind == .directory else {
      throw .notAStore(path: path, reason: "it is \(status.kind.rawValue), not a directory")
    }
    var contents = Contents()
    var isMarked = false
    for name in try disk.list(path) {
      if name.hasSameBytes(as: StoreNames.lock) {
        contents.hasLock = true
      } else if name.hasSameBytes(as: StoreNames.watermark) {
        contents.hasAcknowledgements = true
      } else if name.hasSameBytes(as: StoreNames.mark) {
        isMarked = true
      } else if let snapshot = SnapshotName(name) {
        contents.snapshots.append(snapshot)
      } else if let generation = StoreNames.generation(ofJournal: name) {
        contents.journals.append(generation)
      } else if StoreNames.isTemporary(name), try isFile(name) {
        contents.temporaries.append(name)
      } else {
        contents.strays.append(name)
      }
    }
    contents.isUnfinished = isMarked && contents.snapshots.isEmpty
    // The snapshot has finished the store, and a crash came before the mark was removed.
    if isMarked && !contents.isUnfinished { contents.temporaries.append(StoreNames.mark) }
    return contents
  }

  /// Also if it is gone by now: a writer has just finished it.
  private func isFile(_ name: String) throws(KithError) -> Bool {
    let status = try disk.status(of: path.appendingPathComponent(name), followingLinks: false)
    return status.map { $0.kind == .file } ?? true
  }

  /// Opens a store for reading, without changing it.
  /// - Throws: `noStore` if there is none.
  func openForReading() throws(KithError) -> Contents {
    guard let contents = try contents(), !contents.isEmpty else { throw .noStore(path: path) }
    return contents
  }

  /// Opens a store for writing: takes the lock and removes the unfinished files of a crashed writer. If the store is
  /// absent or empty, and `creating` is set, creates it first.
  /// - Parameter marking: whether a new store is to count as unfinished until its first snapshot. What an interrupted
  ///   attempt has left is taken over.
  /// - Throws: `notAStore` also where directories cannot be synced.
  func openForWriting(
    creating: Bool, marking: Bool = false
  ) throws(KithError) -> (lock: StoreLock<D>, contents: Contents) {
    let found = try contents(evenUnfinished: marking)
    let isNew = found?.isEmpty != false
    if isNew, !creating { throw .noStore(path: path) }
    // Before anything is made.
    if isNew { try requireSync(of: path.parentPath) }
    if isNew, found != nil { try requireSync(of: path) }
    if marking, found?.isStore != true { try makeMark(inNewDirectory: found == nil) }
    if found == nil, !marking { try disk.makeDirectory(path) }
    // Also after a crash, or a failure of this very call, between the two: until now the name was not durable, and
    // nothing was lost.
    if isNew || found?.isUnfinished == true { try disk.syncDirectory(path.parentPath) }
    let lock = try StoreLock(directory: path, disk: disk)
    // The lock is held now, so the contents no longer change.
    guard var contents = try contents(evenUnfinished: marking) else { throw .noStore(path: path) }
    for name in contents.temporaries { try disk.remove(path.appendingPathComponent(name)) }
    contents.temporaries = []
    return (lock, contents)
  }

  /// Syncs a directory.
  /// - Throws: `notAStore` if that is impossible there.
  func requireSync(of directory: String) throws(KithError) {
    do throws(KithError) {
      try disk.syncDirectory(directory)
    } catch {
      throw KithError.unsyncable(directory, error) ?? error
    }
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
