#if canImport(Darwin)
  import Darwin
#else
  import Glibc
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
  // Safe because a path becomes a C string that is valid for the call; likewise in all calls that take one.

  func rename(_ path: String, to newPath: String) throws(KithError)
  /// Renames a file to a name that is free; fails if the name exists.
  func renameToFree(_ path: String, to newPath: String) throws(KithError)
  func remove(_ path: String) throws(KithError)
  /// Creates a directory (0700) in an existing one.
  func makeDirectory(_ path: String) throws(KithError)
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

/// The numbers of system errors that callers distinguish. Defined here because libc is imported only in this file.
enum SystemError {
  static let fileExists = EEXIST
  static let noSuchFile = ENOENT
  static let outOfMemory = ENOMEM
}

/// A file of the real disk. It is closed when the last reference is released, which also releases its lock.
final class SystemFile: Sendable {
  fileprivate let descriptor: Int32
  let path: String
  /// The process that opened it.
  private let owner: Int32

  fileprivate init(descriptor: Int32, path: String, owner: Int32) {
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
  private let owner = getpid()
  /// Counts what is read, and cancels the work; nil for work that is not cancelled.
  private let control: ReadControl?

  init(control: ReadControl? = nil) { self.control = control }

  private func checkProcess(_ path: String) throws(KithError) {
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

extension SystemDisk {
  func status(of path: String, followingLinks: Bool) throws(KithError) -> FileStatus? {
    var status = stat()
    // Safe because the address is that of a local that outlives the call; likewise in all calls of stat here.
    let result = unsafe fstatat(AT_FDCWD, path, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW)
    guard result == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw Self.failure("stat", path)
    }
    return FileStatus(status)
  }

  func status(of file: SystemFile) throws(KithError) -> FileStatus { FileStatus(try Self.status(of: file)) }

  // Safe because a path becomes a C string that is valid for the call; likewise in all calls that take one.

  func rename(_ path: String, to newPath: String) throws(KithError) {
    try checkProcess(newPath)
    #if canImport(Darwin)
      try Self.call("rename", newPath) { unsafe Darwin.rename(path, newPath) }
    #else
      try Self.call("rename", newPath) { unsafe Glibc.rename(path, newPath) }
    #endif
  }

  /// Uses a hard link, which fails if the name exists. A crash in between leaves both names.
  func renameToFree(_ path: String, to newPath: String) throws(KithError) {
    try checkProcess(newPath)
    guard unsafe link(path, newPath) != 0 else { return try remove(path) }
    switch errno {
    // The file system does not support hard links.
    case EPERM, ENOTSUP, ENOSYS: try checkAndRename(path, to: newPath)
    default: throw Self.failure("link", newPath)
    }
  }

  func remove(_ path: String) throws(KithError) {
    try checkProcess(path)
    try Self.call("unlink", path) { unsafe unlink(path) }
  }

  func makeDirectory(_ path: String) throws(KithError) {
    try checkProcess(path)
    try Self.call("mkdir", path) { unsafe mkdir(path, 0o700) }
    // The umask may have removed permissions of the owner too. A file system without permissions fails here, and needs
    // none.
    _ = unsafe chmod(path, 0o700)
  }

  func syncDirectory(_ path: String) throws(KithError) {
    let descriptor = try openDescriptor(path, O_RDONLY | O_DIRECTORY)
    defer { _ = close(descriptor) }
    try Self.call("fsync", path) { fsync(descriptor) }
  }

  func list(_ path: String) throws(KithError) -> [String] {
    // Safe because the stream is owned here and closed on every exit, and an entry is copied before the next call.
    guard let stream = unsafe opendir(path) else { throw Self.failure("opendir", path) }
    defer { _ = unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    guard errno == 0 else { throw Self.failure("readdir", path) }
    return names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }

  /// Duplicates the host's descriptor of a regular file, so that the host may close its own at any time. Nil for any
  /// other kind of file. The position is neither used nor moved.
  func openRegular(descriptor: Int32) throws(KithError) -> SystemFile? {
    let path = SystemStream(descriptor: descriptor).name
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, Self.leastDescriptor)
    guard own >= 0 else { throw Self.failure("fcntl", path) }
    let file = SystemFile(descriptor: own, path: path, owner: owner)
    return try status(of: file).kind == .file ? file : nil
  }

  func freeByteCount(at path: String) -> Int64? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    return Int64(clamping: UInt64(status.f_bavail)).multipliedReportingOverflow(by: Int64(status.f_frsize)).partialValue
  }

  /// The cores that this process may use; at least one.
  static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// The bytes of memory of this machine. Snapshots may declare half of it by default.
  static var physicalMemoryByteCount: Int {
    #if canImport(Darwin)
      var bytes: UInt64 = 0
      var size = MemoryLayout<UInt64>.size
      return unsafe sysctlbyname("hw.memsize", &bytes, &size, nil, 0) == 0 ? Int(clamping: bytes) : 4 << 30
    #else
      let pages = sysconf(Int32(_SC_PHYS_PAGES)), pageByteCount = sysconf(Int32(_SC_PAGESIZE))
      return pages > 0 && pageByteCount > 0 ? pages * pageByteCount : 4 << 30
    #endif
  }

  /// Opens first and checks then: a name may change between two calls, a descriptor does not.
  private func openRegular(_ path: String, _ flags: Int32) throws(KithError) -> SystemFile {
    // O_NONBLOCK, because opening a FIFO would wait for a writer.
    let descriptor = try openDescriptor(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    let file = SystemFile(descriptor: descriptor, path: path, owner: owner)
    let kind = try status(of: file).kind
    guard kind == .file else { throw Self.notRegular(path, kind) }
    return file
  }

  /// Files stay clear of 0 to 2: a host may have closed its standard streams, and what is printed must not enter them.
  private static let leastDescriptor = STDERR_FILENO + 1

  private func openDescriptor(_ path: String, _ flags: Int32) throws(KithError) -> Int32 {
    while true {
      let descriptor = Self.openCall(path, flags | O_CLOEXEC)
      if descriptor >= Self.leastDescriptor { return descriptor }
      if descriptor >= 0 {
        defer { _ = close(descriptor) }
        let own = fcntl(descriptor, F_DUPFD_CLOEXEC, Self.leastDescriptor)
        guard own >= 0 else { throw Self.failure("fcntl", path) }
        return own
      }
      switch errno {
      case EINTR: continue
      case ELOOP: throw Self.notRegular(path, .symbolicLink)
      case EISDIR: throw Self.notRegular(path, .directory)
      // A FIFO without reader, a socket, or a device without driver.
      case ENXIO: throw Self.notRegular(path, .other)
      default: throw Self.failure("open", path)
      }
    }
  }

  /// Declared here because the methods named `open` would hide the C function.
  private static func openCall(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Darwin)
      unsafe Darwin.open(path, flags, 0o600)
    #else
      unsafe Glibc.open(path, flags, 0o600)
    #endif
  }

  private static func notRegular(_ path: String, _ kind: FileStatus.Kind) -> KithError {
    .notAStore(path: path, reason: "it is \(kind.rawValue), not a regular file")
  }

  private static func status(of file: SystemFile) throws(KithError) -> stat {
    var status = stat()
    guard unsafe fstat(file.descriptor, &status) == 0 else { throw failure("fstat", file.path) }
    return status
  }

  /// Makes a call that returns 0 or sets errno. Retries after EINTR.
  private static func call(_ name: String, _ path: String, _ body: () -> Int32) throws(KithError) {
    while body() != 0 {
      guard errno == EINTR else { throw failure(name, path) }
    }
  }

  private static func failure(_ call: String, _ path: String) -> KithError {
    .system(errno: errno, call: call, path: path)
  }
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    let kind: Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      default: .other
      }
    self.init(
      kind: kind, device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino),
      linkCount: Int(status.st_nlink))
  }
}
