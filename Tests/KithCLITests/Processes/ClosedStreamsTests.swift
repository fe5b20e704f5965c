import Foundation
import Testing

/// The built `kith` in a process without some of the standard streams (`>&-`).
@Suite struct ClosedStreamsTests {
  private let playground: Playground

  init() throws { playground = try Playground() }

  /// Runs a shell's command line in which `kith` is the executable; returns its status.
  private func shell(_ line: String) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "kith='\(try #require(BuiltKith.executable).path)'; cd '\(playground.path)'; \(line)"]
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test(
    "What is printed to a closed stream enters no file of the store, and is an error",
    arguments: [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
  func printing(closed: String) throws {
    let requests = #"'{"op":"addUser","username":"ann"}' '{"op":"stats"}'"#
    let status = try shell("printf '%s\\n' \(requests) | \"$kith\" query store \(closed)")
    #expect(status == (closed == "2>&-" ? 0 : 1))
    // The id of the process that last wrote the store, and a line break.
    let lock = String(decoding: try playground.bytes("store/LOCK"), as: UTF8.self)
    #expect(Int32(lock.dropLast()) != nil, "\(lock)")
    #expect(try BuiltKith.run("verify", playground.path("store")).status == 0)
  }

  @Test("Requests that are not made because the reader of the answers has closed are an error")
  func readerGone() throws {
    let many = "seq 20000 | sed 's/.*/{\"op\":\"addUser\",\"username\":\"u&\"}/'"
    let query = "( \"$kith\" query gone < many; echo $? > status ) 2> errors | head -n 1 > answer"
    let tried = try shell("\(many) > many; \(query); grep -q 1 status && grep -q 'has closed' errors && test -s answer")
    #expect(tried == 0)
    #expect(try shell("\"$kith\" stats gone | grep -q ' users,'") == 0)
  }
}
