import Foundation
import Testing

@testable import Kith

/// Graphs from snapshots in memory or in open files.
@Suite struct RestoringTests {
  private let directory: TemporaryDirectory
  private let path: String
  private let bytes: [UInt8]

  init() throws {
    directory = try TemporaryDirectory()
    let graph = try SocialGraph.open(directory.file("store"))
    let ann = try graph.addUser("ann")
    let bob = try graph.addUser("bob")
    try graph.follow(bob, as: ann)
    path = try graph.snapshot().path
    try graph.close()
    bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  @Test("A snapshot in memory becomes a graph in memory that continues from its last change")
  func fromBytes() throws {
    let graph = try SocialGraph(snapshot: bytes)
    #expect(graph.recovery == nil && graph.read { $0.sequence } == 3)
    #expect(graph.read { $0.verify() } == [])
    let applied = try graph.apply(.addUser(id: nil, username: "cy"))
    #expect(applied.sequence == 4 && applied.user == 3)
    #expect(try graph.read { view in try view.followees(of: 1).map(\.username) } == ["bob"])
    #expect(throws: KithError.noStore(path: "")) { try graph.snapshot() }
    #expect(try SocialGraph.open(path).read { $0.sequence } == 3)
  }

  @Test("An open file becomes a graph; the descriptor stays the caller's, at its offset")
  func fromDescriptor() throws {
    let handle = try #require(FileHandle(forReadingAtPath: path))
    try handle.seek(toOffset: 100)
    // Unlinked, as hosts do with downloads.
    try FileManager.default.removeItem(atPath: path)
    let graph = try SocialGraph(snapshotDescriptor: handle.fileDescriptor)
    #expect(graph.read { $0.counts.follows } == 1)
    #expect(try handle.offset() == 100)
    #expect(try handle.readToEnd()?.count == bytes.count - 100)
    try handle.close()
    try graph.addUser("cy")
  }

  @Test("Damaged and other data is refused, and the error says that it was in memory")
  func refused() throws {
    for count in [0, 1, 255, 400, bytes.count - 1] {
      #expect(throws: KithError.self) { try SocialGraph(snapshot: Array(bytes.prefix(count))) }
    }
    var damaged = bytes
    damaged[bytes.count / 2] ^= 1
    let error = try #require(throws: KithError.self) { try SocialGraph(snapshot: damaged) }
    #expect(error.code == "corrupt" && error.description.hasPrefix("the snapshot in memory: damaged at byte "))
    #expect(throws: KithError.notAStore(path: "the snapshot in memory", reason: "it is no Kith snapshot")) {
      try SocialGraph(snapshot: Array("no snapshot".utf8))
    }
    let closed = try #require(throws: KithError.self) { try SocialGraph(snapshotDescriptor: -1) }
    #expect(closed.code == "system")
  }

  @Test("A snapshot written to a pipe gives the same graph, with a blocking and a non-blocking descriptor")
  func throughPipe() throws {
    let graph = SocialGraph()
    try graph.bulk { (batch) throws(KithError) in
      for id in 1...Int64(40_000) {
        _ = try batch.importChange(.addUser(id: UserID(id), username: "user \(id &* 0x9E37_79B9 % 1_000_003)"))
        if id < 10 { continue }
        let other = UserID(id &* id % (id - 1) + 1)
        _ = try batch.importChange(.follow(as: UserID(id), target: other, at: Timestamp(100_000 - id)))
      }
    }
    let expected = GraphDigest.of(graph.pin().view.state)
    for isBlocking in [true, false] {
      let pipe = Pipe()
      let (input, output) = (pipe.fileHandleForReading.fileDescriptor, pipe.fileHandleForWriting.fileDescriptor)
      if !isBlocking { for end in [input, output] { #expect(fcntl(end, F_SETFL, O_NONBLOCK) == 0) } }
      let writer = Thread {
        #expect(throws: Never.self) { try graph.writeSnapshot(to: output) }
        try? pipe.fileHandleForWriting.close()
      }
      writer.start()
      let read = try SocialGraph(snapshotDescriptor: input)
      #expect(GraphDigest.of(read.pin().view.state) == expected && read.read { $0.verify() } == [])
      #expect(try read.addUser("one more") == 40_001)
    }
  }

  @Test("A stream that breaks off is refused, and its writer gets an error")
  func brokenPipe() throws {
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: bytes.dropLast(1))
    try pipe.fileHandleForWriting.close()
    #expect(throws: KithError.self) {
      try SocialGraph(snapshotDescriptor: pipe.fileHandleForReading.fileDescriptor)
    }
    let graph = try SocialGraph(snapshot: bytes)
    signal(SIGPIPE, SIG_IGN)
    let gone = Pipe()
    try gone.fileHandleForReading.close()
    for descriptor in [gone.fileHandleForWriting.fileDescriptor, -1] {
      let error = try #require(throws: KithError.self) { try graph.writeSnapshot(to: descriptor) }
      #expect(error.code == "system")
    }
  }

  @Test("A highest possible number is refused, not incremented")
  func lastNumber() throws {
    let forged = try SnapshotFixture.forged(bytes, sequence: .max, generation: 1)
    let file = try directory.write(forged, to: "forged")
    #expect(try #require(throws: KithError.self) { try SocialGraph(snapshot: forged) }.code == "corrupt")
    #expect(try #require(throws: KithError.self) { try SocialGraph.open(file) }.code == "corrupt")
    #expect(throws: KithError.self) { try StoreTools.restore(from: file, to: directory.file("restored")) }
  }
}
