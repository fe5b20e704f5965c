import Foundation

// Swift hides fork, since a child can use little of a process with many threads. So it is called in a process of its
// own (an exit test), and the child does only what the test asks, and ends.
@_silgen_name("fork") private func forkProcess() -> Int32

/// A forked child, which shares the descriptors and the memory of its parent.
struct ForkedProcess {
  private let id: Int32
  /// Closing it lets the child begin.
  private let start: FileHandle

  /// The longest that a child may take.
  private static let patience = Duration.seconds(30)

  /// Forks. The child waits for `run`, then runs `body` and ends with its result as status.
  init(_ body: () -> Int32) {
    let pipe = Pipe()
    id = Self.fork()
    if id == 0 {
      close(pipe.fileHandleForWriting.fileDescriptor)
      var byte: UInt8 = 0
      // Unsafe: the address of a local that outlives the call.
      _ = unsafe read(pipe.fileHandleForReading.fileDescriptor, &byte, 1)
      _exit(body())
    }
    start = pipe.fileHandleForWriting
  }

  /// Lets the child begin, and returns how it ended: see `wait`.
  func run() -> Int32 {
    try? start.close()
    return Self.wait(for: id)
  }

  /// Runs `body` in a forked child, at once.
  static func run(_ body: () -> Int32) -> Int32 { ForkedProcess(body).run() }

  /// The child's id; in the child 0.
  static func fork() -> Int32 { forkProcess() }

  /// How a child ended: its status, or the negated number of a signal. A child that hangs is killed.
  static func wait(for id: Int32) -> Int32 {
    let began = ContinuousClock.now
    var status: Int32 = 0
    // Unsafe: as above.
    while unsafe waitpid(id, &status, WNOHANG) == 0 {
      if ContinuousClock.now - began > patience { _ = kill(id, SIGKILL) }
      usleep(2_000)
    }
    let signal = status & 0x7F
    return signal == 0 ? (status >> 8) & 0xFF : -signal
  }
}
