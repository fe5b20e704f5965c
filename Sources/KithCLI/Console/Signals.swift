import Foundation
import Kith

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// Signals that a thread waits for, instead of being interrupted by them anywhere.
///
/// Each `unsafe` below passes the address of a local set to one call that does not keep it.
enum Signals {
  static let interrupt = SIGINT
  static let terminate = SIGTERM

  /// The signals that end a server in order: Ctrl-C, SIGTERM, and the end of its terminal, unless it is to outlive
  /// that (nohup).
  static var ends: [Int32] {
    var action = sigaction()
    let isIgnored = unsafe sigaction(SIGHUP, nil, &action) == 0 && isIgnoring(action)
    return [SIGINT, SIGTERM] + (isIgnored ? [] : [SIGHUP])
  }

  private static func isIgnoring(_ action: sigaction) -> Bool {
    #if canImport(Glibc)
      let handler = unsafe action.__sigaction_handler.sa_handler
    #else
      let handler = unsafe action.__sigaction_u.__sa_handler
    #endif
    return unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  /// Holds these signals back from all threads that exist from now on, and calls `body` on a thread of its own for the
  /// first that arrives. Call it before other threads exist.
  /// - Returns: false if the system gives no thread; the signals are then not held back.
  static func take(_ signals: [Int32], _ body: @escaping @Sendable (Int32) -> Void) -> Bool {
    var (set, before) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal) }
    unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
    let held = set
    let hasThread = Threads.run {
      var (set, received) = (held, Int32(0))
      while unsafe sigwait(&set, &received) != 0 {}
      body(received)
    }
    if !hasThread { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
    return hasThread
  }

  /// The same for a command that only a signal ends.
  /// - Throws: a failure if the system gives no thread.
  static func require(_ signals: [Int32], _ body: @escaping @Sendable (Int32) -> Void) throws(CommandFailure) {
    if !take(signals, body) { throw .no(KithError.limitExceeded(.threads).sentence) }
  }

  /// The status of a process that a signal has ended, as shells report it.
  static func status(of signal: Int32) -> Int32 { 128 + signal }
}

/// Ends the process at once, without waiting for other threads.
func leaveAtOnce(with status: Int32) -> Never { _exit(status) }
