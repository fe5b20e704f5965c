import Synchronization

/// The right to write in a store directory, held by one opener in one process, until it is dropped.
///
/// Three guards, since each alone has a hole: flock on `LOCK` (other processes; released by the kernel when the holder
/// dies), a register by device and inode (a second opener in this process, where some file systems grant the lock
/// again), and the process id (the child of a fork inherits the lock with the descriptor, but not the right).
final class StoreLock<D: Disk>: Sendable {
  /// The directory that is locked.
  let path: String
  private let disk: D
  // Destroyed in this order: the kernel's lock is free before this process may ask for it again.
  private let file: D.File
  private let registration: StoreRegistration

  /// Takes the lock of the store in `directory`, whose `LOCK` file is made when it is not there.
  ///
  /// A lock that somebody holds is refused with `storeInUse` and the holder's process id (0 when it cannot be read).
  init(directory: String, disk: D) throws(KithError) {
    let lockPath = directory.appendingPathComponent(StoreNames.lock)
    let status = try Self.makeLockFile(at: lockPath, in: directory, disk)
    let holder = StoreHolder(device: status.device, inode: status.inode, processID: disk.processID)
    guard let registration = StoreRegistration(holder) else {
      throw .storeInUse(by: disk.processID, path: directory)
    }
    let file = try disk.open(lockPath, writable: true)
    guard try disk.tryLock(file) else { throw .storeInUse(by: Self.holderID(in: file, disk), path: directory) }
    // For people and for the message above: the lock itself is the kernel's.
    try disk.truncate(file, to: 0)
    try disk.write(file, at: 0, Array("\(disk.processID)\n".utf8).span)
    path = directory
    self.disk = disk
    self.file = file
    self.registration = registration
  }

  /// To be asked before each write: in the child of a fork the store is still its parent's.
  func checkProcess() throws(KithError) {
    let owner = registration.holder.processID
    guard disk.processID == owner else { throw .storeInUse(by: owner, path: path) }
  }

  private static func makeLockFile(at lockPath: String, in directory: String, _ disk: D) throws(KithError) -> FileStatus
  {
    if let status = try disk.status(of: lockPath, followingLinks: false) { return status }
    do throws(KithError) {
      _ = try disk.create(lockPath)
      try disk.syncDirectory(directory)
    } catch KithError.system(errno: SystemError.fileExists, _, _) {
      // Another opener was quicker: the lock decides.
    }
    guard let status = try disk.status(of: lockPath, followingLinks: false) else {
      throw .system(errno: SystemError.noSuchFile, call: "create", path: lockPath)
    }
    return status
  }

  private static func holderID(in file: D.File, _ disk: D) -> Int32 {
    var bytes = [UInt8](repeating: 0, count: 16)
    var span = bytes.mutableSpan
    guard let count = try? disk.read(file, at: 0, into: &span) else { return 0 }
    return Int32(String(decoding: bytes.prefix(count).prefix { $0 != 0x0A }, as: UTF8.self)) ?? 0
  }
}

/// Who holds which `LOCK`.
private struct StoreHolder: Hashable, Sendable {
  let device: UInt64
  let inode: UInt64
  let processID: Int32
}

/// An entry of this process's register of held locks; it goes with its last reference. After a fork the child sees its
/// parent's entries, which do not count for it.
private final class StoreRegistration: Sendable {
  private static let holders = Mutex<Set<StoreHolder>>([])

  let holder: StoreHolder

  /// Nil when this process holds the lock already.
  init?(_ holder: StoreHolder) {
    guard Self.holders.withLock({ $0.insert(holder).inserted }) else { return nil }
    self.holder = holder
  }

  deinit {
    Self.holders.withLock { _ = $0.remove(holder) }
  }
}
