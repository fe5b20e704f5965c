import Synchronization

/// The exclusive write lock of a store directory, held by one opener in one process until it is released.
///
/// It combines three guards, because each alone has a gap. flock on `LOCK` excludes other processes; the kernel
/// releases it when the holder exits. A registry by device and inode excludes a second opener in this process, where
/// some file systems grant the lock again. The process id excludes the child of a fork, which inherits the lock with
/// the descriptor, but must not use it.
final class StoreLock<D: Disk>: Sendable {
  /// The path of the locked directory.
  let path: String
  private let disk: D
  // Destroyed in this order: the kernel's lock is released before this process may take it again.
  private let file: D.File
  private let registration: StoreRegistration

  /// The id of the process that holds it.
  var owner: Int32 { registration.holder.processID }

  /// Takes the lock of the store in `directory`. Creates the `LOCK` file if it is missing.
  ///
  /// - Throws: `storeInUse` with the holder's process id (0 if unreadable) if the lock is held; `notAStore` unless
  ///   `LOCK` is a regular file with a single name, because its content is overwritten.
  init(directory: String, disk: D) throws(KithError) {
    let lockPath = directory.appendingPathComponent(StoreNames.lock)
    let status = try Self.makeLockFile(at: lockPath, in: directory, disk)
    try Self.check(status, lockPath)
    let holder = StoreHolder(device: status.device, inode: status.inode, processID: disk.processID)
    guard let registration = StoreRegistration(holder) else {
      throw .storeInUse(by: disk.processID, path: directory)
    }
    let file = try disk.open(lockPath, writable: true)
    // A name may change between two calls, a descriptor does not.
    let opened = try disk.status(of: file)
    try Self.check(opened, lockPath)
    guard opened == status else {
      throw .notAStore(path: lockPath, reason: "it was replaced while it was opened; open the store again")
    }
    guard try disk.tryLock(file) else { throw .storeInUse(by: Self.holderID(in: file, disk), path: directory) }
    // Informational, and for the error message above: the lock itself is the kernel's.
    try disk.truncate(file, to: 0)
    try disk.write(file, at: 0, Array("\(disk.processID)\n".utf8).span)
    path = directory
    self.disk = disk
    self.file = file
    self.registration = registration
  }

  /// Keeps writers away from a store that is read, while the file is open; nil if there is no lock file to open.
  /// - Throws: `storeInUse`, if a writer has the store open.
  static func excludingWriters(of directory: String, _ disk: D) throws(KithError) -> D.File? {
    guard let file = try? disk.open(directory.appendingPathComponent(StoreNames.lock), writable: false),
      let isFree = try? disk.tryLock(file)
    else { return nil }
    if !isFree { throw .storeInUse(by: holderID(in: file, disk), path: directory) }
    return file
  }

  /// Called before each write: in the child of a fork the store is still its parent's.
  func checkProcess() throws(KithError) {
    guard disk.processID == owner else { throw .storeInUse(by: owner, path: path) }
  }

  private static func makeLockFile(at lockPath: String, in directory: String, _ disk: D) throws(KithError) -> FileStatus
  {
    if let status = try disk.status(of: lockPath, followingLinks: false) { return status }
    do throws(KithError) {
      _ = try disk.create(lockPath)
      try disk.syncDirectory(directory)
    } catch KithError.system(errno: SystemError.fileExists, _, _) {
      // Another opener was faster: the lock decides.
    }
    guard let status = try disk.status(of: lockPath, followingLinks: false) else {
      throw .system(errno: SystemError.noSuchFile, call: "create", path: lockPath)
    }
    return status
  }

  private static func check(_ status: FileStatus, _ lockPath: String) throws(KithError) {
    let found: String
    switch status.kind {
    case .file where status.linkCount == 1: return
    case .file where status.linkCount == 0: found = "a file that was removed meanwhile"
    case .file: found = "a file with \(status.linkCount) names (hard links)"
    default: found = status.kind.rawValue
    }
    throw .notAStore(
      path: lockPath,
      reason: "it is \(found), and must be a regular file with this name alone; if no process has the store open, "
        + "remove this name, and the next to write makes a new one")
  }

  private static func holderID(in file: D.File, _ disk: D) -> Int32 {
    var bytes = [UInt8](repeating: 0, count: 16)
    var span = bytes.mutableSpan
    guard let count = try? disk.read(file, at: 0, into: &span) else { return 0 }
    return Int32(String(decoding: bytes.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)) ?? 0
  }
}

/// The identity of a `LOCK` file, and the process that holds it.
private struct StoreHolder: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
  let processID: Int32
}

/// An entry in this process's registry of held locks; removed when its last reference is released. After a fork the
/// child ignores the entries of its parent.
private final class StoreRegistration: Sendable {
  private static let holders = Mutex<Set<StoreHolder>>([])

  let holder: StoreHolder

  /// Nil if this process already holds the lock.
  init?(_ holder: StoreHolder) {
    guard Self.holders.withLock({ $0.insert(holder).inserted }) else { return nil }
    self.holder = holder
  }

  private let mark = ProcessMark()

  deinit {
    // The entry of a parent excludes no process here.
    if !mark.isOwn { return }
    Self.holders.withLock { _ = $0.remove(holder) }
  }
}
