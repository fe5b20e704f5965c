#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The calls of the real disk that take a path.
extension SystemDisk {
  func status(of path: String, followingLinks: Bool) throws(KithError) -> FileStatus? {
    let name = try Self.bytes(of: path, "stat")
    var status = stat()
    // Safe because the address is that of a local that outlives the call; likewise in all calls of stat here.
    let result = unsafe fstatat(AT_FDCWD, name, &status, followingLinks ? 0 : AT_SYMLINK_NOFOLLOW)
    guard result == 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw Self.failure("stat", path)
    }
    return FileStatus(status)
  }

  func status(of file: SystemFile) throws(KithError) -> FileStatus { FileStatus(try Self.status(of: file)) }

  // Safe because the bytes of a path end with a zero byte and outlive the call; likewise in all calls that take one.

  func rename(_ path: String, to newPath: String) throws(KithError) {
    try checkProcess(newPath)
    let (name, newName) = (try Self.bytes(of: path, "rename"), try Self.bytes(of: newPath, "rename"))
    try Self.call("rename", newPath) { unsafe systemRename(name, newName) }
  }

  /// Uses a hard link, which fails if the name exists. A crash in between leaves both names.
  func renameToFree(_ path: String, to newPath: String) throws(KithError) {
    try checkProcess(newPath)
    let (name, newName) = (try Self.bytes(of: path, "link"), try Self.bytes(of: newPath, "link"))
    guard unsafe link(name, newName) != 0 else { return try remove(path) }
    switch errno {
    // The file system does not support hard links.
    case EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS: try checkAndRename(path, to: newPath)
    default: throw Self.failure("link", newPath)
    }
  }

  func remove(_ path: String) throws(KithError) {
    try checkProcess(path)
    let name = try Self.bytes(of: path, "unlink")
    try Self.call("unlink", path) { unsafe unlink(name) }
  }

  func makeDirectory(_ path: String) throws(KithError) {
    try checkProcess(path)
    let name = try Self.bytes(of: path, "mkdir")
    try Self.call("mkdir", path) { unsafe mkdir(name, 0o700) }
    // The umask may have removed permissions of the owner too. A file system without permissions fails here, and needs
    // none.
    _ = unsafe chmod(name, 0o700)
  }

  func removeDirectory(_ path: String) throws(KithError) {
    try checkProcess(path)
    let name = try Self.bytes(of: path, "rmdir")
    try Self.call("rmdir", path) { unsafe rmdir(name) }
  }

  func syncDirectory(_ path: String) throws(KithError) {
    let descriptor = try openDescriptor(path, O_RDONLY | O_DIRECTORY)
    defer { _ = close(descriptor) }
    do throws(KithError) {
      try Self.call("fsync", path) { fsync(descriptor) }
    } catch {
      guard let unsynced, case .system(let number, _, _) = error, SystemError.isUnsyncable(number) else { throw error }
      unsynced.note(path)
    }
  }

  func list(_ path: String) throws(KithError) -> [String] {
    let bytes = try Self.bytes(of: path, "opendir")
    // Safe because the stream is owned here and closed on every exit, and an entry is copied before the next call.
    guard let stream = unsafe opendir(bytes) else { throw Self.failure("opendir", path) }
    defer { _ = unsafe closedir(stream) }
    var names: [String] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else { break }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(pathBytes: bytes.prefix { $0 != 0 })
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

  /// Opens a file of any kind for reading, such as a pipe. The caller closes it.
  func openStream(_ path: String) throws(KithError) -> Int32 { try openDescriptor(path, O_RDONLY | O_NOCTTY) }

  func freeByteCount(at path: String) -> Int64? {
    guard let name = try? Self.bytes(of: path, "statvfs") else { return nil }
    var status = statvfs()
    guard unsafe statvfs(name, &status) == 0 else { return nil }
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
  func openRegular(_ path: String, _ flags: Int32) throws(KithError) -> SystemFile {
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
    let name = try Self.bytes(of: path, "open")
    while true {
      let descriptor = unsafe systemOpen(name, flags | O_CLOEXEC, 0o600)
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

  /// The bytes of a path, and a zero byte.
  /// - Throws: `system` with EINVAL if one of them is zero: the system would take what precedes it.
  private static func bytes(of path: String, _ call: String) throws(KithError) -> [CChar] {
    let bytes = path.pathBytes
    guard !bytes.contains(0) else { throw .system(errno: EINVAL, call: call, path: path) }
    return bytes.map { CChar(bitPattern: $0) } + [0]
  }

  private static func notRegular(_ path: String, _ kind: FileStatus.Kind) -> KithError {
    .notAStore(path: path, reason: "it is \(kind.rawValue), not a regular file")
  }

  static func status(of file: SystemFile) throws(KithError) -> stat {
    var status = stat()
    guard unsafe fstat(file.descriptor, &status) == 0 else { throw failure("fstat", file.path) }
    return status
  }

  /// Makes a call that returns 0 or sets errno. Retries after EINTR.
  static func call(_ name: String, _ path: String, _ body: () -> Int32) throws(KithError) {
    while body() != 0 {
      guard errno == EINTR else { throw failure(name, path) }
    }
  }

  static func failure(_ call: String, _ path: String) -> KithError {
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
