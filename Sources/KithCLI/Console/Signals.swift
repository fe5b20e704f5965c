import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Signals that a thread waits for, instead of being interrupted by them anywhere.
///
/// Each `unsafe` below passes the address of a local set to one call that does not keep it.
enum Signals {
  static let interrupt = SIGINT
  static let terminate = SIGTERM

  /// Holds these signals back from all threads that exist from now on, and calls `body` on a thread of its own for the
  /// first that arrives. Call it before other threads exist.
  static func take(_ signals: [Int32], _ body: @escaping @Sendable (Int32) -> Void) {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
    let held = set
    Thread.detachNewThread {
      var (set, received) = (held, Int32(0))
      while unsafe sigwait(&set, &received) != 0 {}
      body(received)
    }
  }

  /// The status of a process that a signal has ended, as shells report it.
  static func status(of signal: Int32) -> Int32 { 128 + signal }
}

/// Ends the process at once, without waiting for other threads.
func leaveAtOnce(with status: Int32) -> Never { _exit(status) }
