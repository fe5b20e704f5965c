#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The interface to the operating system: everything that durable code needs of a disk.
///
/// It is a protocol so that tests can substitute a simulated disk. Durable code is generic over it and specialised,
/// never existential. Every failure is `KithError.system` with errno, call and path. A path always comes from the host
/// or from a fixed pattern, never from the content of a file.
protocol Disk: ByteStorage {
  /// Creates a regular file (0600) open for reading and writing. Fails if the name exists.
  func create(_ path: String) throws(KithError) -> File
  /// Opens an existing regular file. Symbolic links, directories, FIFOs and devices are rejected with `notAStore`.
  func open(_ path: String, writable: Bool) throws(KithError) -> File
  /// Writes all of `bytes`, or throws after any part of them.
  func write(_ file: File, at offset: Int64, _ bytes: Span<UInt8>) throws(KithError)
  /// Returns when the file's content is on the disk. After a failure the content on disk is unknown: never call it
  /// again.
  func sync(_ file: File) throws(KithError)
  /// Asks that the next read come from the disk, not from the page cache. A hint: ignoring it is no error.
  func dropCache(_ file: File)
  func truncate(_ file: File, to byteCount: Int64) throws(KithError)
  /// Takes the file's lock for as long as it is open, unless another opener holds it.
  func tryLock(_ file: File) throws(KithError) -> Bool
  /// The status of the file at `path`; nil if there is none.
  func status(of path: String, followingLinks: Bool) throws(KithError) -> FileStatus?
  /// The status of an open file, even if its name now denotes another file.
  func status(of file: File) throws(KithError) -> FileStatus
  func rename(_ path: String, to newPath: String) throws(KithError)
  /// Renames a file to a name that is free; fails if the name exists.
  func renameToFree(_ path: String, to newPath: String) throws(KithError)
  func remove(_ path: String) throws(KithError)
  /// Creates a directory (0700) in an existing one.
  func makeDirectory(_ path: String) throws(KithError)
  /// Removes an empty directory.
  func removeDirectory(_ path: String) throws(KithError)
  /// Returns when the names in the directory are on the disk.
  func syncDirectory(_ path: String) throws(KithError)
  /// The names in the directory, sorted by their bytes, without `.` and `..`.
  func list(_ path: String) throws(KithError) -> [String]
  /// The id of this process. It changes in the child of a fork.
  var processID: Int32 { get }
  /// The bytes that this process may still write to the disk of `path`; nil if unknown.
  func freeByteCount(at path: String) -> Int64?
}

extension Disk {
  func removeDirectory(_ path: String) throws(KithError) { try remove(path) }

  func freeByteCount(at path: String) -> Int64? { nil }

  func renameToFree(_ path: String, to newPath: String) throws(KithError) { try checkAndRename(path, to: newPath) }

  /// Not atomic: another process may create `newPath` between the two steps.
  func checkAndRename(_ path: String, to newPath: String) throws(KithError) {
    guard try status(of: newPath, followingLinks: false) == nil else {
      throw .system(errno: SystemError.fileExists, call: "rename", path: newPath)
    }
    try rename(path, to: newPath)
  }
}

/// The properties of a file, and its identity, which survives a rename.
struct FileStatus: Hashable, Sendable {
  enum Kind: String, Sendable {
    case file = "a regular file"
    case directory = "a directory"
    case symbolicLink = "a symbolic link"
    case other = "a FIFO, socket or device"
  }
  let kind: Kind
  let device: UInt64
  let inode: UInt64
  /// The number of hard links.
  var linkCount = 1
}

/// The numbers of system errors that callers distinguish. Defined here because libc is imported for the disk alone.
enum SystemError {
  static let fileExists = EEXIST
  static let noSuchFile = ENOENT
  static let outOfMemory = ENOMEM

  /// Whether syncing a directory fails with this number because the file system cannot do it: some of FUSE, CIFS and
  /// VirtualBox.
  static func isUnsyncable(_ number: Int32) -> Bool { [EINVAL, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(number) }
}

/// A file of the real disk. It is closed when the last reference is released, which also releases its lock.
final class SystemFile: Sendable {
  let descriptor: Int32
  let path: String
  /// The process that opened it.
  private let owner: Int32

  init(descriptor: Int32, path: String, owner: Int32) {
    self.descriptor = descriptor
    self.path = path
    self.owner = owner
  }

  deinit {
    // Not retried on EINTR: Linux has released the descriptor by then. Errors of close report nothing that sync did
    // not. A child of fork has a copy of the descriptor, and with it the lock: closing ours does not release it, and
    // the child must not release it.
    if getpid() == owner { _ = flock(descriptor, LOCK_UN) }
    _ = close(descriptor)
  }
}

/// The real disk, for the process that created the value. In the child of a fork it can still read, and every call that
/// changes anything throws `storeInUse` with the id of the parent.
struct SystemDisk: Disk {
  let owner = getpid()
  /// Counts what is read, and cancels the work; nil for work that is not cancelled.
  private let control: ReadControl?
  /// Takes note of directories that cannot be synced; nil where that is an error.
  let unsynced: UnsyncedDirectories?

  init(control: ReadControl? = nil, unsynced: UnsyncedDirectories? = nil) {
    self.control = control
    self.unsynced = unsynced
  }

  func checkProcess(_ path: String) throws(KithError) {
    guard getpid() == owner else { throw .storeInUse(by: owner, path: path) }
  }

  func create(_ path: String) throws(KithError) -> SystemFile {
    try checkProcess(path)
    let file = try openRegular(path, O_RDWR | O_CREAT | O_EXCL)
    // As for a directory: the umask may have removed permissions of the owner too.
    _ = fchmod(file.descriptor, 0o600)
    return file
  }

  func open(_ path: String, writable: Bool) throws(KithError) -> SystemFile {
    try openRegular(path, writable ? O_RDWR : O_RDONLY)
  }

  func byteCount(of file: SystemFile) throws(KithError) -> Int64 {
    Int64(try Self.status(of: file).st_size)
  }

  func read(_ file: SystemFile, at offset: Int64, into buffer: inout MutableSpan<UInt8>) throws(KithError) -> Int {
    let wanted = buffer.count
    // Safe because the buffer is valid for the call, and no more than its length is requested.
    let done = try unsafe buffer.withUnsafeMutableBytes { (bytes) throws(KithError) -> Int in
      var done = 0
      while done < wanted {
        let count = unsafe pread(
          file.descriptor, bytes.baseAddress?.advanced(by: done), wanted - done, off_t(offset) + off_t(done))
        if count < 0 {
          if errno == EINTR { continue }
          throw Self.failure("pread", file.path)
        }
        if count == 0 { break }
        done += count
      }
      return done
    }
    DiskActivity.noteRead(done)
    try control?.note(done)
    return done
  }

  func write(_ file: SystemFile, at offset: Int64, _ bytes: Span<UInt8>) throws(KithError) {
    try checkProcess(file.path)
    let wanted = bytes.count
    try ProcessLimits.checkFile(endingAt: offset + Int64(wanted), "pwrite", file.path)
    // Safe for the same reason as in `read`.
    try unsafe bytes.withUnsafeBytes { (bytes) throws(KithError) in
      var done = 0
      while done < wanted {
        let count = unsafe pwrite(
          file.descriptor, bytes.baseAddress?.advanced(by: done), wanted - done, off_t(offset) + off_t(done))
        if count < 0 {
          if errno == EINTR { continue }
          throw Self.failure("pwrite", file.path)
        }
        // After a short write, the next call reports the reason: a full disk, or a limit.
        if count == 0 { throw .system(errno: ENOSPC, call: "pwrite", path: file.path) }
        done += count
      }
    }
    DiskActivity.noteWritten(wanted)
  }

  func sync(_ file: SystemFile) throws(KithError) {
    #if canImport(Darwin)
      // fsync on Darwin leaves the bytes in the drive's own cache.
      let result = fcntl(file.descriptor, F_FULLFSYNC)
    #else
      let result = fdatasync(file.descriptor)
    #endif
    guard result == 0 else { throw Self.failure("sync", file.path) }
  }

  func dropCache(_ file: SystemFile) {
    #if canImport(Darwin)
      _ = fcntl(file.descriptor, F_NOCACHE, 1)
    #else
      _ = posix_fadvise(file.descriptor, 0, 0, Int32(POSIX_FADV_DONTNEED))
    #endif
  }

  func truncate(_ file: SystemFile, to byteCount: Int64) throws(KithError) {
    try checkProcess(file.path)
    if try self.byteCount(of: file) < byteCount {
      try ProcessLimits.checkFile(endingAt: byteCount, "ftruncate", file.path)
    }
    try Self.call("ftruncate", file.path) { ftruncate(file.descriptor, off_t(byteCount)) }
  }

  func tryLock(_ file: SystemFile) throws(KithError) -> Bool {
    while flock(file.descriptor, LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw Self.failure("flock", file.path) }
    }
    return true
  }

  var processID: Int32 { getpid() }
}
