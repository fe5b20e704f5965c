import Foundation
import Kith
import Testing

@testable import KithCLI

/// The operation `verify`, which ends early when no client waits for its answer.
@Suite struct VerifyRequestTests {
  private static let userCount = 20_000

  private func session() throws -> QuerySession {
    let graph = SocialGraph()
    try graph.bulk { batch throws(KithError) in
      for number in 1...Self.userCount { try batch.apply(.addUser(id: nil, username: "user \(number)")) }
    }
    return QuerySession(graph)
  }

  private func answer(_ session: inout QuerySession) -> String {
    var writer = JSONWriter()
    session.answer(.line(Array(#"{"op":"verify"}"#.utf8)), to: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test("A verification is answered, unless no client waits for the answer any more")
  func abandoned() throws {
    var session = try session()
    #expect(answer(&session) == "{\"ok\":true,\"problems\":[]}\n")
    session.isAbandoned = { true }
    #expect(answer(&session).hasPrefix(#"{"ok":false,"error":{"code":"cancelled""#))
  }

  @Test("A loop cancels it when the reader of the answers has left, or the server is cut off")
  func loop() throws {
    for isCut in [false, true] {
      let pipe = try TestPipe()
      let cut = StopFlag()
      var session = try session()
      try RequestLoop(input: pipe.emptyInput(), output: pipe.output, isShared: false, cut: cut).run(&session)
      #expect(!session.isAbandoned())
      if isCut { cut.set() } else { pipe.closeReader() }
      #expect(session.isAbandoned())
      #expect(answer(&session).contains(#""code":"cancelled""#))
    }
  }
}

/// A pipe of which the test holds both ends.
private final class TestPipe {
  private let reader: ByteStream
  let output: ByteStream
  private var isOpen = true
  private let nothing: ByteStream

  init() throws {
    var ends: [Int32] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    (reader, output) = (ByteStream(rawValue: ends[0], name: "reader"), ByteStream(rawValue: ends[1], name: "output"))
    try #require(unsafe pipe(&ends) == 0)
    nothing = ByteStream(rawValue: ends[0], name: "input")
    ByteStream(rawValue: ends[1], name: "end").close()
  }

  /// A stream that ends at once.
  func emptyInput() -> ByteStream { nothing }

  func closeReader() {
    if isOpen { reader.close() }
    isOpen = false
  }

  deinit {
    closeReader()
    output.close()
    nothing.close()
  }
}
