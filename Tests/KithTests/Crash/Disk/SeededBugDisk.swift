import Synchronization

@testable import Kith

/// A bug that durable code could have, made by the disk under it instead: the code above is the real one.
enum SeededBug: String, Sendable, CaseIterable {
  case noDirectorySync = "directories are never synced"
  case noSync = "files are never synced"
  case lateSync = "a change is acknowledged before its sync: each sync comes one call late"
  case ignoredSyncError = "errors of a sync are ignored"
  case retriedSync = "a sync that failed is tried again"
  case trustedCache = "recovery trusts the page cache after a failed sync"
  case noSyncAtRecovery = "recovery reads what was never synced"
  case noSyncBeforeRename = "a file is renamed before it is synced"
  case earlyPruning = "a snapshot's predecessors are removed before it is durable"
  case oneSnapshot = "only the newest snapshot is kept"
  case ignoredWriteError = "a write that stopped in its middle counts as done"
  case readErrorAsEnd = "a read error is taken for the end of the file"
  case emptyStart = "a store with a damaged file begins empty"
  case noFrameHash = "the hash of a frame is not checked"
  case skippedHole = "a journal ends at a hole, whatever comes after it"
  case noAcknowledgements = "the watermark is not recorded"
  case earlyAcknowledgements = "a change is recorded as acknowledged before its sync"
  case bothSlots = "both slots of the acknowledgements are written at once"
  case recycledJournal = "a new journal takes over the file of an old one"
  case noJournals = "recovery is content with a snapshot"
}

/// A simulated disk under code with one bug. It serves one session of a store.
final class SeededBugDisk: Disk {
  let bug: SeededBug
  let disk: SimulatedDisk
  private let late = Mutex<SimulatedFile?>(nil)

  init(_ bug: SeededBug, _ disk: SimulatedDisk) {
    self.bug = bug
    self.disk = disk
  }

  var processID: Int32 { disk.processID }

  /// Whether an error passes (EIO, ENOSPC), unlike that of a crash.
  private func isPassing(_ error: KithError) -> Bool {
    guard case .system(SimulatedDisk.inputOutputError, _, _) = error else {
      guard case .system(SimulatedDisk.noSpace, _, _) = error else { return false }
      return true
    }
    return true
  }

  // MARK: - Files

  func create(_ path: String) throws(KithError) -> SimulatedFile {
    if bug == .recycledJournal, path.isJournal, let old = files(path.parentPath).first(where: \.isJournal) {
      try disk.rename(old, to: path)
      return try disk.open(path, writable: true)
    }
    return try disk.create(path)
  }

  func open(_ path: String, writable: Bool) throws(KithError) -> SimulatedFile {
    try disk.open(path, writable: writable)
  }

  func byteCount(of file: SimulatedFile) throws(KithError) -> Int64 { try disk.byteCount(of: file) }

  func read(_ file: SimulatedFile, at offset: Int64, into buffer: inout MutableSpan<UInt8>) throws(KithError) -> Int {
    do throws(KithError) {
      let count = try disk.read(file, at: offset, into: &buffer)
      if bug == .noFrameHash && file.path.isJournal { mendFrames(&buffer, count, at: offset) }
      if bug == .skippedHole && file.path.isJournal { cutHole(&buffer, count, at: offset) }
      return count
    } catch {
      if bug == .readErrorAsEnd && isPassing(error) { return 0 }
      throw error
    }
  }

  func write(_ file: SimulatedFile, at offset: Int64, _ bytes: Span<UInt8>) throws(KithError) {
    if file.path.isAcknowledgements {
      if bug == .noAcknowledgements { return }
      if bug == .bothSlots { try disk.write(file, at: offset == 0 ? 512 : 0, bytes) }
    }
    if bug == .earlyAcknowledgements && file.path.isJournal { try acknowledge(bytes, file.path) }
    do throws(KithError) {
      try disk.write(file, at: offset, bytes)
    } catch {
      if bug == .ignoredWriteError && isPassing(error) { return }
      throw error
    }
  }

  func sync(_ file: SimulatedFile) throws(KithError) {
    switch bug {
    case .noSync: return
    case .noSyncAtRecovery where !file.isWritable: return
    case .noSyncBeforeRename where file.path.hasSuffix(StoreNames.temporarySuffix): return
    case .lateSync:
      let before = late.withLock { late in
        defer { late = file }
        return late
      }
      if let before { try disk.sync(before) }
      return
    default: break
    }
    do throws(KithError) {
      try disk.sync(file)
    } catch {
      if bug == .ignoredSyncError && isPassing(error) { return }
      guard bug == .retriedSync && isPassing(error) else { throw error }
      try disk.sync(file)
    }
  }

  func dropCache(_ file: SimulatedFile) {
    if bug != .trustedCache { disk.dropCache(file) }
  }

  func truncate(_ file: SimulatedFile, to byteCount: Int64) throws(KithError) {
    try disk.truncate(file, to: byteCount)
  }

  func tryLock(_ file: SimulatedFile) throws(KithError) -> Bool { try disk.tryLock(file) }

  func status(of file: SimulatedFile) throws(KithError) -> FileStatus { try disk.status(of: file) }

  // MARK: - Names

  func status(of path: String, followingLinks: Bool) throws(KithError) -> FileStatus? {
    if bug == .emptyStart, path.isAcknowledgements, holdsDamage(path.parentPath) { return nil }
    return try disk.status(of: path, followingLinks: followingLinks)
  }

  func rename(_ path: String, to newPath: String) throws(KithError) {
    if bug == .earlyPruning && newPath.isSnapshot { prune(before: newPath) }
    try disk.rename(path, to: newPath)
  }

  func remove(_ path: String) throws(KithError) { try disk.remove(path) }
  func makeDirectory(_ path: String) throws(KithError) { try disk.makeDirectory(path) }

  func syncDirectory(_ path: String) throws(KithError) {
    if bug == .noDirectorySync { return }
    try disk.syncDirectory(path)
    if bug == .oneSnapshot, let newest = files(path).last(where: \.isSnapshot) { prune(before: newest) }
  }

  func list(_ path: String) throws(KithError) -> [String] {
    let names = try disk.list(path)
    if bug == .emptyStart, holdsDamage(path) { return names.filter { $0 == StoreNames.lock } }
    if bug == .noJournals, names.contains(where: \.isSnapshot) { return names.filter { !("/" + $0).isJournal } }
    return names
  }
}
