import Foundation
import Testing

@testable import Kith

/// Graphs in store directories: what stands there after closing, and who may open it.
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

  @Test("What a snapshot holds is there after reopening, whoever opens it")
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

  @Test("Reading alone takes no lock and changes no file, and an absent store is not made")
  func readOnly() throws {
    #expect(throws: KithError.noStore(path: store)) { try SocialGraph.open(store, access: .readOnly) }
    #expect(try directory.names == [])
    try fill(try SampleGraph(userCount: 10, seed: 22))
    let before = try files()
    let reader = try SocialGraph.open(store, access: .readOnly)
    #expect(throws: KithError.readOnly) { try reader.addUser("new") }
    #expect(throws: KithError.readOnly) { try reader.snapshot() }
    #expect(try Snapshots.verify(store) == [] && Snapshots.inspect(store).count == 1)
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

  @Test("Ids and numbers go on where they were, and removed ids stay taken")
  func goingOn() throws {
    let graph = try SocialGraph.open(store)
    let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("bob"))
    let post = try graph.addPost(by: bob, "text", createdAt: 5)
    try graph.follow(ann, bob, at: 1_000)
    try graph.remove(bob)
    try graph.snapshot()
    try graph.close()
    for round in 0..<3 as Range<Int64> {
      let graph = try SocialGraph.open(store)
      #expect(graph.read { $0.sequence } == UInt64(5 + 2 * round))
      #expect(throws: KithError.idTaken(2)) { try graph.addUser("carl", id: bob) }
      #expect(throws: KithError.idTaken(1)) { try graph.addPost(by: ann, "text", id: post) }
      #expect(try graph.addUser("user \(round)") == UserID(3 + round))
      #expect(try graph.addPost(by: ann, "text") == PostID(2 + round))
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

  @Test("Removed text is gone from the disk at the second snapshot afterwards")
  func removedText() throws {
    let graph = try SocialGraph.open(store)
    let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("secret name"))
    let post = try graph.addPost(by: ann, "secret text")
    try graph.addPost(by: bob, "secret too")
    try graph.snapshot()
    try graph.remove(post)
    try graph.remove(bob)
    #expect(try holdingSecrets().count == 1)
    try graph.snapshot()
    #expect(try holdingSecrets().count == 1)
    try graph.snapshot()
    #expect(try holdingSecrets() == [] && snapshots().count == 2)
    try graph.close()
  }

  /// Files in whose content a secret stands.
  private func holdingSecrets() throws -> [String] {
    try snapshots().filter { name in
      let path = store + "/" + name
      let file = try SnapshotFile.read(path: path, knownSections: GraphSections.known, disk: SystemDisk())
      return file.sections.contains { section in
        ByteSearch.contains(Array("secret".utf8).span, in: section.content.span)
      }
    }
  }

  @Test("A snapshot is of one instant, and two of the same change stand side by side")
  func sameChange() throws {
    let graph = try SocialGraph.open(store)
    try graph.addUser("a")
    let (first, second) = (try graph.snapshot(), try graph.snapshot())
    #expect(first.sequence == second.sequence && first.path != second.path)
    #expect(try snapshots().count == 2)
    try graph.close()
    #expect(throws: KithError.noStore(path: "")) { try SocialGraph().snapshot() }
  }

  @Test("Restoring makes a new store of a file or of another store, and never writes over anything")
  func restoring() throws {
    let sample = try SampleGraph(userCount: 20, seed: 23)
    try fill(sample)
    let copy = directory.file("copy")
    #expect(try Snapshots.restore(from: store, to: copy).sequence == SocialGraph.open(copy).read { $0.sequence })
    #expect(try SocialGraph.open(copy, access: .readOnly).read { $0.rows } == sample.model.rows)
    #expect(try Snapshots.inspect(copy)[0].storeID != Snapshots.inspect(store)[0].storeID)
    let before = try files()
    #expect(throws: KithError.self) { try Snapshots.restore(from: copy, to: store) }
    #expect(try files() == before)
  }
}

extension ReferenceModel {
  /// Changes that make this graph anew, removed ids apart.
  var changes: [Change] {
    var changes = users.sorted { $0.key < $1.key }.map { Change.addUser(id: $0.key, username: $0.value.text) }
    for (id, post) in posts.sorted(by: { $0.key < $1.key }) {
      changes.append(.addPost(id: id, author: post.author, text: post.text, createdAt: Timestamp(post.time)))
    }
    for (user, targets) in follows.sorted(by: { $0.key < $1.key }) {
      for (target, second) in targets { changes.append(.follow(user, target, at: Timestamp(second: second))) }
    }
    for (user, targets) in likes.sorted(by: { $0.key < $1.key }) {
      for (post, second) in targets { changes.append(.like(user, post, at: Timestamp(second: second))) }
    }
    for (user, targets) in blocks { changes += targets.map { .block(user, $0) } }
    for (user, targets) in mutes { changes += targets.map { .mute(user, $0) } }
    // Likes across a block were given before it: blocks come last.
    return changes
  }
}
