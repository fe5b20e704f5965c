#if os(Linux)
  import Foundation
  import Kith
  import Testing

  @testable import KithCLI

  /// The system calls of a built `kith`, in order: a simulated disk cannot check them.
  ///
  /// A preloaded library records them and shortens writes: see `Tests/SystemCalls/recorder.c`.
  @Suite struct SystemCallTests {
    private let playground: Playground
    private let recorder: Recorder
    private var store: String { playground.path("store") }

    init() throws {
      playground = try Playground()
      recorder = try Recorder(in: playground)
    }

    // MARK: - A workload

    private static let requests = [
      #"{"op":"addUser","id":1,"username":"ann"}"#, #"{"op":"addUser","id":2,"username":"bob"}"#,
      #"{"op":"snapshot"}"#, #"{"op":"follow","user":1,"target":2,"at":1000}"#,
    ]

    /// Sends requests to a store one by one, each after the answer to the one before, and closes it.
    private func run(_ requests: [String], recording log: String? = nil, writeLimit: Int? = nil) throws {
      let (process, input, output) = try BuiltKith.process(["query", store])
      process.environment = recorder.environment([
        "KITH_CALL_LOG": log, "KITH_WRITE_LIMIT": writeLimit.map(String.init),
      ])
      try process.run()
      for request in requests {
        try input.write(contentsOf: Data((request + "\n").utf8))
        var answer = Data()
        while answer.last != UInt8(ascii: "\n") {
          let bytes = output.availableData
          try #require(!bytes.isEmpty, "no answer to \(request)")
          answer += bytes
        }
        #expect(answer.starts(with: Data(#"{"ok":true"#.utf8)), "\(String(decoding: answer, as: UTF8.self))")
      }
      try input.close()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
    }

    /// The calls of a log. Several successive writes of one file count as one, since their number is not specified.
    private func calls(_ log: String) throws -> [String] {
      var calls: [String] = []
      for line in try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n") {
        let parts = line.split(separator: "\t").map(String.init)
        let call = "\(parts[0]) \(name(parts[1]))"
        if parts[0] != "write" || calls.last != call { calls.append(call) }
      }
      return calls
    }

    /// The role of a path in the store.
    private func name(_ path: String) -> String {
      let name = (path as NSString).lastPathComponent
      if path == store { return "store" }
      if path == playground.path { return "parent" }
      if name.hasPrefix("wal-") { return "journal" }
      guard name.hasPrefix("snap-") else { return name }
      return name.hasSuffix(".tmp") ? "snapshot.tmp" : "snapshot"
    }

    // MARK: - Order

    @Test("A new store, changes, a snapshot and a close make these calls in this order")
    func callsOfANewStore() throws {
      let log = playground.path("log")
      try run(Self.requests, recording: log)
      let opening = [
        "fsync parent", "mkdir store", "fsync parent", "fsync store", "ftruncate LOCK", "write LOCK", "fsync store",
        "write ACK.tmp", "fdatasync ACK.tmp", "rename ACK", "fsync store",
      ]
      let newJournal = ["write journal", "fdatasync journal", "fsync store"]
      let change = ["write journal", "fdatasync journal", "write ACK", "write output"]
      let snapshot = [
        "ftruncate journal", "write ACK", "write snapshot.tmp", "fdatasync snapshot.tmp", "rename snapshot",
        "fsync store", "fdatasync ACK", "write output",
      ]
      let closing = ["ftruncate journal", "fdatasync ACK", "write ACK", "fdatasync ACK"]
      let expected = opening + newJournal + change + change + snapshot + newJournal + change + closing
      #expect(try calls(log) == expected)
    }

    @Test("A reopened store is synced before it is read")
    func callsOfReopening() throws {
      try run(Self.requests)
      let log = playground.path("log")
      try run([], recording: log)
      let opening = [
        "ftruncate LOCK", "write LOCK", "fsync store", "fdatasync ACK", "fdatasync journal", "fdatasync ACK",
      ]
      let found = try calls(log)
      #expect(Array(found.prefix(opening.count)) == opening, "\(found)")
      #expect(!found.contains { $0.hasPrefix("rename") || $0 == "write journal" }, "\(found)")
    }

    // MARK: - Short writes

    @Test("Short writes are continued to the end", arguments: [1, 7, 4_097])
    func shortWrites(_ limit: Int) throws {
      let text = String(repeating: "long ", count: 2_000)
      let requests =
        Self.requests + [
          #"{"op":"addPost","id":1,"user":1,"text":"\#(text)","createdAt":7}"#,
          #"{"op":"like","user":2,"post":1,"at":2000}"#,
        ]
      try run(requests, writeLimit: limit)
      let graph = try SocialGraph.open(store, access: .readOnly)
      let memory = SocialGraph()
      var model = QuerySession(memory)
      for request in requests where !request.contains("snapshot") {
        var answer = JSONWriter()
        model.answer(.line(Array(request.utf8)), to: &answer)
      }
      #expect(try GraphDigest(graph.pin().view) == GraphDigest(memory.pin().view))
      #expect(graph.recovery?.droppedByteCount == 0)
      #expect(try Verification(of: store, .deep).problems == [])
    }
  }
#endif
