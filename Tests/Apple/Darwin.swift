// swift-format-ignore-file

// What Kith's sources use of Apple's module Darwin, with the SDK's types and values, for Scripts/typecheck-apple.
// Nothing of it is ever called. An error "cannot find '…' in scope" names a declaration that is missing: copy it from
// the SDK's headers in the form in which Swift imports it. It is Swift and no header, because the compiler merges
// declarations of C that have the name of one of Linux.

public typealias blkcnt_t = Int64
public typealias blksize_t = Int32
public typealias dev_t = Int32
public typealias fsblkcnt_t = UInt32
public typealias gid_t = UInt32
public typealias ino_t = UInt64
public typealias mode_t = UInt16
public typealias nfds_t = UInt32
public typealias nlink_t = UInt16
public typealias off_t = Int64
public typealias pid_t = Int32
public typealias rlim_t = UInt64
public typealias sa_family_t = UInt8
public typealias sigset_t = UInt32
public typealias socklen_t = UInt32
public typealias suseconds_t = Int32
public typealias time_t = Int
public typealias uid_t = UInt32
public typealias useconds_t = UInt32
public typealias sig_t = @convention(c) (Int32) -> Void
/// A union in C.
public struct __sigaction_u {
  @unsafe public var __sa_handler: sig_t! { nil }
}
/// Its initializer with arguments is the function of that name: see `statvfs`.
public struct sigaction {
  public var __sigaction_u: __sigaction_u { fatalError() }
  public init() {}
  public init(_ signal: Int32, _ action: UnsafePointer<sigaction>!, _ old: UnsafeMutablePointer<sigaction>!) {}
  public static func == (status: sigaction, code: Int32) -> Bool { code == 0 }
}

public struct clockid_t: RawRepresentable, Equatable, Sendable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
}
public var CLOCK_REALTIME: clockid_t { clockid_t(rawValue: 0) }
public var CLOCK_MONOTONIC: clockid_t { clockid_t(rawValue: 6) }

public struct timespec {
  public var tv_sec: time_t = 0
  public var tv_nsec: Int = 0
  public init() {}
}
public struct timeval {
  public var tv_sec: time_t = 0
  public var tv_usec: suseconds_t = 0
  public init() {}
}
// Swift has no function of a type's name, as C has: a call of stat or statvfs is an initializer, whose result is
// compared.
public struct stat {
  public var st_dev: dev_t = 0
  public var st_mode: mode_t = 0
  public var st_nlink: nlink_t = 0
  public var st_ino: ino_t = 0
  public var st_uid: uid_t = 0
  public var st_gid: gid_t = 0
  public var st_atimespec: timespec = timespec()
  public var st_mtimespec: timespec = timespec()
  public var st_ctimespec: timespec = timespec()
  public var st_size: off_t = 0
  public var st_blocks: blkcnt_t = 0
  public var st_blksize: blksize_t = 0
  public init() {}
  public init(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) {}
  public static func == (status: stat, code: Int32) -> Bool { code == 0 }
}
public struct statvfs {
  public var f_bsize: UInt = 0
  public var f_frsize: UInt = 0
  public var f_blocks: fsblkcnt_t = 0
  public var f_bfree: fsblkcnt_t = 0
  public var f_bavail: fsblkcnt_t = 0
  public init() {}
  public init(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<statvfs>!) {}
  public static func == (status: statvfs, code: Int32) -> Bool { code == 0 }
}
public struct dirent {
  public var d_ino: UInt64 = 0
  public var d_namlen: UInt16 = 0
  public var d_type: UInt8 = 0
  public var d_name: (CChar, CChar) = (0, 0)
  public init() {}
}
public struct DIR {}
public struct rlimit {
  public var rlim_cur: rlim_t = 0
  public var rlim_max: rlim_t = 0
  public init() {}
}
public struct pollfd {
  public var fd: Int32 = 0
  public var events: Int16 = 0
  public var revents: Int16 = 0
  public init() {}
  public init(fd: Int32, events: Int16, revents: Int16) {}
}
public struct sockaddr {
  public var sa_len: UInt8 = 0
  public var sa_family: sa_family_t = 0
  public init() {}
}
public struct sockaddr_un {
  public var sun_len: UInt8 = 0
  public var sun_family: sa_family_t = 0
  public var sun_path: (CChar, CChar) = (0, 0)
  public init() {}
}
public struct in_addr {
  public var s_addr: UInt32 = 0
  public init() {}
}
public struct sockaddr_in {
  public var sin_len: UInt8 = 0
  public var sin_family: sa_family_t = 0
  public var sin_port: UInt16 = 0
  public var sin_addr = in_addr()
  public init() {}
}
public struct group {
  public var gr_name: UnsafeMutablePointer<CChar>!
  public var gr_gid: gid_t = 0
}
public struct winsize {
  public var ws_row: UInt16 = 0
  public var ws_col: UInt16 = 0
  public var ws_xpixel: UInt16 = 0
  public var ws_ypixel: UInt16 = 0
  public init() {}
}

public var EPERM: Int32 { 1 }
public var ENOENT: Int32 { 2 }
public var EINTR: Int32 { 4 }
public var EIO: Int32 { 5 }
public var ENXIO: Int32 { 6 }
public var EBADF: Int32 { 9 }
public var ENOMEM: Int32 { 12 }
public var EACCES: Int32 { 13 }
public var EEXIST: Int32 { 17 }
public var ENOTDIR: Int32 { 20 }
public var EISDIR: Int32 { 21 }
public var EINVAL: Int32 { 22 }
public var EMFILE: Int32 { 24 }
public var EFBIG: Int32 { 27 }
public var ENOSPC: Int32 { 28 }
public var EROFS: Int32 { 30 }
public var EPIPE: Int32 { 32 }
public var EAGAIN: Int32 { 35 }
public var EWOULDBLOCK: Int32 { 35 }
public var ENOTSUP: Int32 { 45 }
public var EADDRINUSE: Int32 { 48 }
public var ECONNABORTED: Int32 { 53 }
public var ETIMEDOUT: Int32 { 60 }
public var ECONNREFUSED: Int32 { 61 }
public var ELOOP: Int32 { 62 }
public var ENAMETOOLONG: Int32 { 63 }
public var ENOTEMPTY: Int32 { 66 }
public var EDQUOT: Int32 { 69 }
public var ENOSYS: Int32 { 78 }
public var EOPNOTSUPP: Int32 { 102 }
public var O_RDONLY: Int32 { 0 }
public var O_WRONLY: Int32 { 1 }
public var O_RDWR: Int32 { 2 }
public var O_NONBLOCK: Int32 { 4 }
public var O_APPEND: Int32 { 8 }
public var O_NOFOLLOW: Int32 { 0x100 }
public var O_CREAT: Int32 { 0x200 }
public var O_TRUNC: Int32 { 0x400 }
public var O_EXCL: Int32 { 0x800 }
public var O_NOCTTY: Int32 { 0x20000 }
public var O_DIRECTORY: Int32 { 0x100000 }
public var O_CLOEXEC: Int32 { 0x1000000 }
public var F_GETFD: Int32 { 1 }
public var F_SETFD: Int32 { 2 }
public var F_GETFL: Int32 { 3 }
public var F_SETFL: Int32 { 4 }
public var F_NOCACHE: Int32 { 48 }
public var F_FULLFSYNC: Int32 { 51 }
public var F_DUPFD_CLOEXEC: Int32 { 67 }
public var FD_CLOEXEC: Int32 { 1 }
public var AT_FDCWD: Int32 { -2 }
public var AT_SYMLINK_NOFOLLOW: Int32 { 32 }
public var LOCK_SH: Int32 { 1 }
public var LOCK_EX: Int32 { 2 }
public var LOCK_NB: Int32 { 4 }
public var LOCK_UN: Int32 { 8 }
public var SEEK_SET: Int32 { 0 }
public var SEEK_CUR: Int32 { 1 }
public var SEEK_END: Int32 { 2 }
public var STDIN_FILENO: Int32 { 0 }
public var STDOUT_FILENO: Int32 { 1 }
public var STDERR_FILENO: Int32 { 2 }
public var SIGHUP: Int32 { 1 }
public var SIGINT: Int32 { 2 }
public var SIGKILL: Int32 { 9 }
public var SIGPIPE: Int32 { 13 }
public var SIGTERM: Int32 { 15 }
public var SIGXFSZ: Int32 { 25 }
public var SIG_BLOCK: Int32 { 1 }
public var SIG_UNBLOCK: Int32 { 2 }
public var SIG_SETMASK: Int32 { 3 }
public var POLLIN: Int32 { 1 }
public var POLLOUT: Int32 { 4 }
public var POLLERR: Int32 { 8 }
public var POLLHUP: Int32 { 16 }
public var AF_UNIX: Int32 { 1 }
public var AF_INET: Int32 { 2 }
public var SOCK_STREAM: Int32 { 1 }
public var SOCK_DGRAM: Int32 { 2 }
public var SOL_SOCKET: Int32 { 0xffff }
public var SO_SNDTIMEO: Int32 { 0x1005 }
public var SO_REUSEADDR: Int32 { 4 }
public var SHUT_RD: Int32 { 0 }
public var SHUT_WR: Int32 { 1 }
public var SHUT_RDWR: Int32 { 2 }
public var RLIMIT_FSIZE: Int32 { 1 }
public var _SC_PAGESIZE: Int32 { 29 }
public var _SC_NPROCESSORS_ONLN: Int32 { 58 }
public var _SC_PHYS_PAGES: Int32 { 200 }
public var S_IFMT: mode_t { 0o170000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFLNK: mode_t { 0o120000 }
public var S_IFSOCK: mode_t { 0o140000 }
public var TIOCGWINSZ: UInt { 0x4008_7468 }
public var SIG_DFL: sig_t? { nil }
public var SIG_IGN: sig_t { { _ in } }

public var errno: Int32 {
  get { 0 }
  set {}
}

@discardableResult public func close(_ descriptor: Int32) -> Int32 { fatalError() }
@discardableResult public func fsync(_ descriptor: Int32) -> Int32 { fatalError() }
@discardableResult public func dup(_ descriptor: Int32) -> Int32 { fatalError() }
@discardableResult public func isatty(_ descriptor: Int32) -> Int32 { fatalError() }
@discardableResult public func ftruncate(_ descriptor: Int32, _ count: off_t) -> Int32 { fatalError() }
@discardableResult public func flock(_ descriptor: Int32, _ operation: Int32) -> Int32 { fatalError() }
@discardableResult public func fchmod(_ descriptor: Int32, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func read(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int) -> Int {
  fatalError()
}
@discardableResult public func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int) -> Int {
  fatalError()
}
@discardableResult public func pread(
  _ descriptor: Int32, _ bytes: UnsafeMutableRawPointer!, _ count: Int, _ offset: off_t
) -> Int { fatalError() }
@discardableResult public func pwrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ offset: off_t)
  -> Int
{ fatalError() }
@discardableResult public func lseek(_ descriptor: Int32, _ offset: off_t, _ whence: Int32) -> off_t { fatalError() }
@discardableResult public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { fatalError() }
@discardableResult public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 {
  fatalError()
}
@discardableResult public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 { fatalError() }
@discardableResult public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32 { fatalError() }
@discardableResult public func fcntl(_ descriptor: Int32, _ command: Int32, _ pointer: UnsafeMutableRawPointer) -> Int32
{ fatalError() }
@discardableResult public func ioctl(_ descriptor: Int32, _ request: UInt, _ pointer: UnsafeMutableRawPointer) -> Int32
{ fatalError() }
@discardableResult public func lstat(_ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!) -> Int32 {
  fatalError()
}
@discardableResult public func fstat(_ descriptor: Int32, _ status: UnsafeMutablePointer<stat>!) -> Int32 {
  fatalError()
}
@discardableResult public func fstatat(
  _ folder: Int32, _ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!, _ flags: Int32
) -> Int32 { fatalError() }
@discardableResult public func rename(_ path: UnsafePointer<CChar>!, _ newPath: UnsafePointer<CChar>!) -> Int32 {
  fatalError()
}
@discardableResult public func link(_ path: UnsafePointer<CChar>!, _ newPath: UnsafePointer<CChar>!) -> Int32 {
  fatalError()
}
@discardableResult public func unlink(_ path: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func mkdir(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func rmdir(_ path: UnsafePointer<CChar>!) -> Int32 { fatalError() }
@discardableResult public func chmod(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func chown(_ path: UnsafePointer<CChar>!, _ user: uid_t, _ group: gid_t) -> Int32 {
  fatalError()
}
@discardableResult public func getgrnam(_ name: UnsafePointer<CChar>!) -> UnsafeMutablePointer<group>! { fatalError() }
@discardableResult public func opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>! { fatalError() }
@discardableResult public func readdir(_ stream: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>! {
  fatalError()
}
@discardableResult public func closedir(_ stream: UnsafeMutablePointer<DIR>!) -> Int32 { fatalError() }
@discardableResult public func getpid() -> pid_t { fatalError() }
@discardableResult public func sysconf(_ name: Int32) -> Int { fatalError() }
@discardableResult public func getrlimit(_ resource: Int32, _ limit: UnsafeMutablePointer<rlimit>!) -> Int32 {
  fatalError()
}
@discardableResult public func getenv(_ name: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>! { fatalError() }
@discardableResult public func strerror(_ code: Int32) -> UnsafeMutablePointer<CChar>! { fatalError() }
@discardableResult public func strlen(_ text: UnsafePointer<CChar>!) -> Int { fatalError() }
@discardableResult public func usleep(_ microseconds: useconds_t) -> Int32 { fatalError() }
public func exit(_ status: Int32) -> Never { fatalError() }
public func _exit(_ status: Int32) -> Never { fatalError() }
@discardableResult public func socket(_ domain: Int32, _ type: Int32, _ kind: Int32) -> Int32 { fatalError() }
@discardableResult public func bind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>!, _ count: socklen_t)
  -> Int32
{ fatalError() }
@discardableResult public func listen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { fatalError() }
@discardableResult public func connect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>!, _ count: socklen_t)
  -> Int32
{ fatalError() }

@discardableResult public func umask(_ mode: mode_t) -> mode_t { fatalError() }
@discardableResult public func clock_gettime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!) -> Int32 {
  fatalError()
}
@discardableResult public func signal(_ signal: Int32, _ handler: sig_t?) -> sig_t? { fatalError() }
@discardableResult public func sigemptyset(_ set: UnsafeMutablePointer<sigset_t>!) -> Int32 { fatalError() }
@discardableResult public func sigaddset(_ set: UnsafeMutablePointer<sigset_t>!, _ signal: Int32) -> Int32 {
  fatalError()
}
@discardableResult public func sigwait(_ set: UnsafePointer<sigset_t>!, _ signal: UnsafeMutablePointer<Int32>!) -> Int32
{ fatalError() }
@discardableResult public func pthread_sigmask(
  _ how: Int32, _ set: UnsafePointer<sigset_t>!, _ old: UnsafeMutablePointer<sigset_t>!
) -> Int32 { fatalError() }
@discardableResult public func poll(_ entries: UnsafeMutablePointer<pollfd>!, _ count: nfds_t, _ milliseconds: Int32)
  -> Int32
{ fatalError() }
@discardableResult public func accept(
  _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ count: UnsafeMutablePointer<socklen_t>!
) -> Int32 { fatalError() }
@discardableResult public func getsockname(
  _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>!, _ count: UnsafeMutablePointer<socklen_t>!
) -> Int32 { fatalError() }
@discardableResult public func sendto(
  _ descriptor: Int32, _ bytes: UnsafeRawPointer!, _ count: Int, _ flags: Int32, _ address: UnsafePointer<sockaddr>!,
  _ addressCount: socklen_t
) -> Int { fatalError() }
@discardableResult public func shutdown(_ descriptor: Int32, _ how: Int32) -> Int32 { fatalError() }
@discardableResult public func setsockopt(
  _ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: UnsafeRawPointer!, _ count: socklen_t
) -> Int32 { fatalError() }
@discardableResult public func sysctlbyname(
  _ name: UnsafePointer<CChar>!, _ value: UnsafeMutableRawPointer!, _ count: UnsafeMutablePointer<Int>!,
  _ newValue: UnsafeMutableRawPointer!, _ newCount: Int
) -> Int32 { fatalError() }
