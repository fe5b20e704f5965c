import Foundation
import Testing

@testable import Kith

/// Graphs in store directories: what is there after closing, and who may open it.
@Suite struct GraphStoreTests {
  private let directory: TemporaryDirectory
  private var store: String { directory.file("store") }

  init() throws { directory = try TemporaryDirectory() }

  /// The names and bytes of all files of the store.
  private func files() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: store) {
      files[name] = try Data(contentsOf: URL(fileURLWithPath: store + "/" + name))
    }
    return files
  }

  private func snapshots() throws -> [String] { try files().keys.filter { $0.hasPrefix("snap-") }.sorted() }

  /// Fills the store with a sample and closes it.
  private func fill(_ sample: SampleGraph) throws {
    let graph = try SocialGraph.open(store)
    for change in sample.model.changes { try graph.apply(change) }
    try graph.snapshot()
    try graph.close()
  }

  @Test("A reopened store holds what its snapshot holds, for reader and writer")
  func reopening() throws {
    let sample = try SampleGraph(userCount: 30, seed: 21)
    try fill(sample)
    for access in [SocialGraph.Access.readOnly, .readWrite] {
      let graph = try SocialGraph.open(store, access: access)
      #expect(graph.read { $0.rows } == sample.model.rows)
      #expect(graph.read { $0.verify() } == [])
      try graph.close()
    }
    let name = try #require(try snapshots().last)
    let file = try SocialGraph.open(store + "/" + name)
    #expect(file.read { $0.rows } == sample.model.rows)
    #expect(throws: KithError.readOnly) { try file.addUser("new") }
    #expect(throws: KithError.readOnly) { try file.snapshot() }
    #expect(throws: KithError.readOnly) { try file.batch { _ in } }
  }

  @Test("A reader takes no lock and changes no file, and a missing store is not created")
  func readOnly() throws {
    #expect(throws: KithError.noStore(path: store)) { try SocialGraph.open(store, access: .readOnly) }
    #expect(try directory.names == [])
    try fill(try SampleGraph(userCount: 10, seed: 22))
    let before = try files()
    let reader = try SocialGraph.open(store, access: .readOnly)
    #expect(throws: KithError.readOnly) { try reader.addUser("new") }
    #expect(throws: KithError.readOnly) { try reader.snapshot() }
    #expect(try StoreTools.verify(store) == [] && StoreTools.inspect(store).count == 1)
    #expect(try files() == before)
    let writer = try SocialGraph.open(store)
    let another = try SocialGraph.open(store, access: .readOnly)
    #expect(another.read { $0.counts } == writer.read { $0.counts })
    try writer.close()
    try another.close()
    try reader.close()
  }

  @Test("A second writer is refused until the first has closed")
  func secondWriter() throws {
    let first = try SocialGraph.open(store)
    let error = #expect(throws: KithError.self) { try SocialGraph.open(store) }
    #expect(error == .storeInUse(by: ProcessInfo.processInfo.processIdentifier, path: store))
    try first.addUser("a")
    try first.close()
    try first.close()
    #expect(throws: KithError.closed) { try first.addUser("b") }
    #expect(throws: KithError.closed) { try first.snapshot() }
    #expect(throws: KithError.closed) { try first.read { try $0.user(1) } }
    try SocialGraph.open(store).close()
  }

  @Test("Ids and numbers continue after reopening, and removed ids stay taken")
  func goingOn() throws {
    let graph = try SocialGraph.open(store)
    let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("bob"))
    let post = try graph.addPost("text", by: bob, createdAt: 5)
    try graph.follow(bob, as: ann, at: 1_000)
    try graph.removeUser(bob)
    try graph.snapshot()
    try graph.close()
    for round in 0..<3 as Range<Int64> {
      let graph = try SocialGraph.open(store)
      #expect(graph.read { $0.sequence } == UInt64(5 + 2 * round))
      #expect(throws: KithError.userIDTaken(2)) { try graph.addUser("carl", id: bob) }
      #expect(throws: KithError.postIDTaken(1)) { try graph.addPost("text", by: ann, id: post) }
      #expect(try graph.addUser("user \(round)") == UserID(3 + round))
      #expect(try graph.addPost("text", by: ann) == PostID(2 + round))
      #expect(try graph.snapshot().sequence == UInt64(7 + 2 * round))
      try graph.close()
    }
  }

  @Test("Changes since the last snapshot are in the journal")
  func unsaved() throws {
    let graph = try SocialGraph.open(store)
    try graph.addUser("in the snapshot")
    try graph.snapshot()
    try graph.addUser("in the journal")
    try graph.close()
    #expect(try SocialGraph.open(store, access: .readOnly).read { $0.counts.users } == 2)
  }

  @Test("Removed text is gone from the disk at the second snapshot after its removal")
  func removedText() throws {
    let graph = try SocialGraph.open(store)
    let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("secret name"))
    let post = try graph.addPost("secret text", by: ann)
    try graph.addPost("secret too", by: bob)
    try graph.snapshot()
    try graph.removePost(post)
    try graph.removeUser(bob)
    #expect(try holdingSecrets().count == 1)
    try graph.snapshot()
    #expect(try holdingSecrets().count == 1)
    try graph.snapshot()
    #expect(try holdingSecrets() == [] && snapshots().count == 2)
    try graph.close()
  }

  /// The files whose content contains a secret.
  private func holdingSecrets() throws -> [String] {
    try snapshots().filter { name in
      let path = store + "/" + name
      let file = try SnapshotFile.read(path: path, knownSections: GraphSections.known, disk: SystemDisk())
      return file.sections.contains { section in
        ByteSearch.contains(Array("secret".utf8).span, in: section.content.span)
      }
    }
  }

  @Test("A snapshot holds one version, and two of the same version can coexist")
  func sameChange() throws {
    let graph = try SocialGraph.open(store)
    try graph.addUser("a")
    let (first, second) = (try graph.snapshot(), try graph.snapshot())
    #expect(first.sequence == second.sequence && first.path != second.path)
    #expect(try snapshots().count == 2)
    try graph.close()
    #expect(throws: KithError.noStore(path: "")) { try SocialGraph().snapshot() }
  }

  @Test("Restoring creates a new store from a file or another store, and overwrites nothing")
  func restoring() throws {
    let sample = try SampleGraph(userCount: 20, seed: 23)
    try fill(sample)
    let copy = directory.file("copy")
    #expect(try StoreTools.restore(from: store, to: copy).sequence == SocialGraph.open(copy).read { $0.sequence })
    #expect(try SocialGraph.open(copy, access: .readOnly).read { $0.rows } == sample.model.rows)
    #expect(try StoreTools.inspect(copy)[0].storeID != StoreTools.inspect(store)[0].storeID)
    let before = try files()
    #expect(throws: KithError.self) { try StoreTools.restore(from: copy, to: store) }
    #expect(try files() == before)
  }
}

extension ReferenceModel {
  /// Changes that rebuild this graph, except for removed ids.
  var changes: [Change] {
    var changes = users.sorted { $0.key < $1.key }.map { Change.addUser(id: $0.key, username: $0.value.text) }
    for (id, post) in posts.sorted(by: { $0.key < $1.key }) {
      changes.append(.addPost(id: id, by: post.author, text: post.text, createdAt: Timestamp(post.time)))
    }
    for (user, targets) in follows.sorted(by: { $0.key < $1.key }) {
      for (target, second) in targets {
        changes.append(.follow(as: user, target: target, at: Timestamp(seconds: second)))
      }
    }
    for (user, targets) in likes.sorted(by: { $0.key < $1.key }) {
      for (post, second) in targets { changes.append(.like(as: user, post: post, at: Timestamp(seconds: second))) }
    }
    for (user, targets) in blocks { changes += targets.map { .block(as: user, target: $0) } }
    for (user, targets) in mutes { changes += targets.map { .mute(as: user, target: $0) } }
    // Likes across a block were given before it: blocks come last.
    return changes
  }
}
