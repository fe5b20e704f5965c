import Foundation
import Testing

@testable import Kith

/// A host without standard streams, such as a daemon that has closed them. The test runs in a process of its own.
@Suite struct StandardStreamsTests {
  @Test("No file of a store takes the place of a closed standard stream, where what is printed would enter it")
  func closedStreams() async {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      for descriptor in STDIN_FILENO...STDERR_FILENO { close(descriptor) }
      let graph = try SocialGraph.open(directory.file("store"))
      try graph.addUser("ann")
      try graph.snapshot()
      for descriptor in STDIN_FILENO...STDERR_FILENO {
        var status = stat()
        // Unsafe: the address of a local that outlives the call.
        let isOpen = unsafe fstat(descriptor, &status) == 0
        precondition(!isOpen || status.st_mode & S_IFMT != S_IFREG, "descriptor \(descriptor) is a file")
      }
      try graph.close()
      try #require(try SocialGraph.open(directory.file("store")).read { $0.counts.users } == 1)
    }
  }
}
