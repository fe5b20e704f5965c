#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The seam between Kith and the operating system: everything that durable code asks of a disk.
///
/// It is a protocol so that tests can put a simulated disk in its place; durable code is generic over it and is
/// specialised, never existential. Every failure is `KithError.system` with errno, call and path. A path always comes
/// from the host or from a fixed pattern, never from the content of a file.
protocol Disk: ByteStorage {
  /// A new regular file (0600) open for reading and writing; fails when anything of that name exists.
  func create(_ path: String) throws(KithError) -> File
  /// An existing regular file; symbolic links, directories, FIFOs and devices are refused with `notAStore`.
  func open(_ path: String, writable: Bool) throws(KithError) -> File
  /// Writes all of `bytes`, or throws after any part of them.
  func write(_ file: File, at offset: Int64, _ bytes: Span<UInt8>) throws(KithError)
  /// Returns when the file's content is on the disk. After a failure nobody knows what is there: never call it again.
  func sync(_ file: File) throws(KithError)
  /// Asks that the next read come from the disk, not from memory. A wish: no error when it is not granted.
  func dropCache(_ file: File)
  func truncate(_ file: File, to byteCount: Int64) throws(KithError)
  /// Takes the file's lock for as long as it is open, unless another opener holds it.
  func tryLock(_ file: File) throws(KithError) -> Bool
  /// What stands at `path`; nil when nothing does.
  func status(of path: String, followingLinks: Bool) throws(KithError) -> FileStatus?
  // Unsafe: a path becomes a C string that lives for the call; so in all calls that take one.

  func rename(_ path: String, to newPath: String) throws(KithError)
  /// Gives a file a name that nothing has; fails when anything has it.
  func renameToFree(_ path: String, to newPath: String) throws(KithError)
  func remove(_ path: String) throws(KithError)
  /// A new directory (0700) in an existing one.
  func makeDirectory(_ path: String) throws(KithError)
  /// Returns when the names in the directory are on the disk.
  func syncDirectory(_ path: String) throws(KithError)
  /// The names in the directory, sorted by their bytes, without `.` and `..`.
  func list(_ path: String) throws(KithError) -> [String]
  /// Id of this process: it changes in the child of a fork.
  var processID: Int32 { get }
  /// How many bytes this process may still write to the disk that holds `path`; nil when nobody knows.
  func freeByteCount(at path: String) -> Int64?
}

extension Disk {
  func freeByteCount(at path: String) -> Int64? { nil }

  func renameToFree(_ path: String, to newPath: String) throws(KithError) { try lookAndRename(path, to: newPath) }

  /// In two steps, between which somebody else may come.
  func lookAndRename(_ path: String, to newPath: String) throws(KithError) {
    guard try status(of: newPath, followingLinks: false) == nil else {
      throw .system(errno: SystemError.fileExists, call: "rename", path: newPath)
    }
    try rename(path, to: newPath)
  }
}

/// What a name stands for, and the identity that survives a rename.
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
}

/// The numbers of system errors that callers tell apart, since libc stays in this file.
enum SystemError {
  static let fileExists = EEXIST
  static let noSuchFile = ENOENT
  static let outOfMemory = ENOMEM
}

/// A file of the real disk; it is closed when the last reference goes, which also gives up its lock.
final class SystemFile: Sendable {
  fileprivate let descriptor: Int32
  let path: String

  fileprivate init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
  }

  deinit {
    // Not retried on EINTR: Linux has released the descriptor by then. Errors of close say nothing that sync did not.
    // A child between fork and exec has a copy of the descriptor, and with it the lock: closing ours does not end it.
    _ = flock(descriptor, LOCK_UN)
    _ = close(descriptor)
  }
}

/// The real disk.
struct SystemDisk: Disk {
  func create(_ path: String) throws(KithError) -> SystemFile {
    try openRegular(path, O_RDWR | O_CREAT | O_EXCL)
  }

  func open(_ path: String, writable: Bool) throws(KithError) -> SystemFile {
    try openRegular(path, writable ? O_RDWR : O_RDONLY)
  }

  func byteCount(of file: SystemFile) throws(KithError) -> Int64 {
    Int64(try Self.status(of: file).st_size)
  }

  func read(_ file: SystemFile, at offset: Int64, into buffer: inout MutableSpan<UInt8>) throws(KithError) -> Int {
    let wanted = buffer.count
    // Unsafe: the buffer is alive for the call, and never more than its length is asked for.
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
    return done
  }

  func write(_ file: SystemFile, at offset: Int64, _ bytes: Span<UInt8>) throws(KithError) {
    let wanted = bytes.count
    // Unsafe: as in read.
    try unsafe bytes.withUnsafeBytes { (bytes) throws(KithError) in
      var done = 0
      while done < wanted {
        let count = unsafe pwrite(
          file.descriptor, bytes.baseAddress?.advanced(by: done), wanted - done, off_t(offset) + off_t(done))
        if count < 0 {
          if errno == EINTR { continue }
          throw Self.failure("pwrite", file.path)
        }
        // A short write means that the next one will say why: a full disk, a limit.
        if count == 0 { throw .system(errno: ENOSPC, call: "pwrite", path: file.path) }
        done += count
      }
    }
  }

  func sync(_ file: SystemFile) throws(KithError) {
    #if canImport(Darwin)
      // fsync on Darwin leaves the bytes in the drive's own memory.
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
    // Unsafe: the address of a local that outlives the call; so in all calls of stat here.
    let result = unsafe fstatat(AT_FDCWD, path, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW)
    guard result == 0 else {
      if errno == ENOENT { return nil }
      throw Self.failure("stat", path)
    }
    return FileStatus(
      kind: Self.kind(of: status), device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino))
  }

  // Unsafe: a path becomes a C string that lives for the call; so in all calls that take one.

  func rename(_ path: String, to newPath: String) throws(KithError) {
    #if canImport(Darwin)
      try Self.call("rename", newPath) { unsafe Darwin.rename(path, newPath) }
    #else
      try Self.call("rename", newPath) { unsafe Glibc.rename(path, newPath) }
    #endif
  }

  /// By a second name, which is refused where anything has it. A crash in between leaves both.
  func renameToFree(_ path: String, to newPath: String) throws(KithError) {
    guard unsafe link(path, newPath) != 0 else { return try remove(path) }
    switch errno {
    // A file system without second names.
    case EPERM, ENOTSUP, ENOSYS: try lookAndRename(path, to: newPath)
    default: throw Self.failure("link", newPath)
    }
  }

  func remove(_ path: String) throws(KithError) {
    try Self.call("unlink", path) { unsafe unlink(path) }
  }

  func makeDirectory(_ path: String) throws(KithError) {
    try Self.call("mkdir", path) { unsafe mkdir(path, 0o700) }
  }

  func syncDirectory(_ path: String) throws(KithError) {
    let descriptor = try openDescriptor(path, O_RDONLY | O_DIRECTORY)
    defer { _ = close(descriptor) }
    try Self.call("fsync", path) { fsync(descriptor) }
  }

  func list(_ path: String) throws(KithError) -> [String] {
    // Unsafe: the stream is owned here and closed on every way out; an entry is copied before the next call.
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

  /// A regular file that the host has open: a descriptor of its own for it, so that the host may close that one at any
  /// time. Nil for anything else. Its position is neither used nor moved.
  func openRegular(descriptor: Int32) throws(KithError) -> SystemFile? {
    let path = SystemStream(descriptor: descriptor).name
    let own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard own >= 0 else { throw Self.failure("fcntl", path) }
    let file = SystemFile(descriptor: own, path: path)
    return Self.kind(of: try Self.status(of: file)) == .file ? file : nil
  }

  func freeByteCount(at path: String) -> Int64? {
    var status = statvfs()
    guard unsafe statvfs(path, &status) == 0 else { return nil }
    return Int64(clamping: UInt64(status.f_bavail)).multipliedReportingOverflow(by: Int64(status.f_frsize)).partialValue
  }

  /// Cores that this process may use, at least one.
  static var coreCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

  /// Bytes of memory that this machine has; snapshots may declare half of it by default.
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

  /// Opens and then looks: a name may change between two calls, a descriptor does not.
  private func openRegular(_ path: String, _ flags: Int32) throws(KithError) -> SystemFile {
    // O_NONBLOCK: opening a FIFO would wait for a writer.
    let descriptor = try openDescriptor(path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    let file = SystemFile(descriptor: descriptor, path: path)
    let kind = Self.kind(of: try Self.status(of: file))
    guard kind == .file else { throw Self.notRegular(path, kind) }
    return file
  }

  private func openDescriptor(_ path: String, _ flags: Int32) throws(KithError) -> Int32 {
    while true {
      let descriptor = Self.openCall(path, flags | O_CLOEXEC)
      if descriptor >= 0 { return descriptor }
      switch errno {
      case EINTR: continue
      case ELOOP: throw Self.notRegular(path, .symbolicLink)
      case EISDIR: throw Self.notRegular(path, .directory)
      // A FIFO without reader, a socket, a device without driver.
      case ENXIO: throw Self.notRegular(path, .other)
      default: throw Self.failure("open", path)
      }
    }
  }

  /// Outside of the methods named `open`, which would hide the call.
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

  private static func kind(of status: stat) -> FileStatus.Kind {
    switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .directory
    case S_IFLNK: .symbolicLink
    default: .other
    }
  }

  /// Makes a call that answers 0 or sets errno, again after EINTR.
  private static func call(_ name: String, _ path: String, _ body: () -> Int32) throws(KithError) {
    while body() != 0 {
      guard errno == EINTR else { throw failure(name, path) }
    }
  }

  private static func failure(_ call: String, _ path: String) -> KithError {
    .system(errno: errno, call: call, path: path)
  }
}
