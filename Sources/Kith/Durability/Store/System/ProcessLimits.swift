#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The operating system's limits of this process.
///
/// A write beyond the file size limit (`ulimit -f`) raises SIGXFSZ, which ends a process that does not handle it. A
/// host need not handle it, so the limit is checked first.
enum ProcessLimits {
  /// The largest file that this process may write, in bytes; nil for no limit.
  static var fileByteCount: Int64? {
    var limit = rlimit()
    // Safe because the address is that of a local that outlives the call.
    #if canImport(Glibc)
      guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return nil }
    #else
      guard unsafe getrlimit(RLIMIT_FSIZE, &limit) == 0 else { return nil }
    #endif
    return Int64(exactly: limit.rlim_cur)
  }

  /// Throws EFBIG if a write would go beyond the limit. No part of it must then be written.
  static func checkFile(endingAt end: Int64, _ call: String, _ path: String) throws(KithError) {
    guard let limit = fileByteCount, end > limit else { return }
    throw .system(errno: EFBIG, call: call, path: path)
  }

  /// The same for a write of `byteCount` bytes at the current position of a descriptor. Only regular files have a
  /// limit.
  static func checkDescriptor(_ descriptor: Int32, taking byteCount: Int, _ path: String) throws(KithError) {
    guard let limit = fileByteCount else { return }
    var status = stat()
    // Safe for the same reason as above.
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    let appends = fcntl(descriptor, F_GETFL) & O_APPEND != 0
    let start = appends ? Int64(status.st_size) : Int64(lseek(descriptor, 0, SEEK_CUR))
    guard start + Int64(byteCount) > limit else { return }
    throw .system(errno: EFBIG, call: "write", path: path)
  }
}

extension SystemDisk {
  /// Where files that belong to no store are created: TMPDIR, or /tmp.
  static var temporaryDirectory: String {
    // Safe because the text is copied at once.
    guard let text = unsafe getenv("TMPDIR") else { return "/tmp" }
    return unsafe String(pathBytes: UnsafeRawBufferPointer(start: text, count: strlen(text)))
  }
}
