import Foundation
import Testing

@testable import Kith

/// Schemas of stores: what is declared stays, in journals and snapshots, and nothing else can be declared.
@Suite struct SchemaTests {
  private let directory: TemporaryDirectory
  private var store: String { directory.file("store") }

  init() throws { directory = try TemporaryDirectory() }

  private static let bookmark = Relation("bookmark", from: .user, to: .post, visibility: .source)
  private static let request = Relation(
    "request", from: .user, to: .user, visibility: .ends, isEndedBy: ["follow", "block"])
  private static let quiet = Relation("quiet", from: .user, to: .user, visibility: .source, endsWith: "follow")
  private static let member = Relation("member", from: .post, to: .user, isTimed: true)
  private static let schema = SocialGraph.Schema([bookmark, request, quiet, member])

  @Test("A store with a schema holds what its model holds, after restarts", arguments: 1...6 as ClosedRange<UInt64>)
  func restarts(seed: UInt64) throws {
    var model = ReferenceModel()
    var draw = Draw(seed: 4_000 + seed, userCount: 9, givesIDs: seed % 2 == 0)
    let relations = draw.schema()
    (model.declared, model.sequence) = (relations, 1)
    var options = SocialGraph.Options()
    options.durability = .flushed
    for round in 0..<6 {
      options.compactLists = draw.seldom(2)
      // The schema is in the files: it need not be given again.
      let schema = round == 0 || draw.seldom(2) ? SocialGraph.Schema(relations) : nil
      let graph = try SocialGraph.open(store, options: options, schema: schema)
      try #require(graph.read { $0.rows } == model.rows, "seed \(seed), round \(round)")
      #expect(graph.read { $0.sequence } == model.sequence && graph.read { $0.verify() } == [])
      #expect(graph.read { $0.schema } == SocialGraph.Schema(relations))
      for _ in 0..<80 {
        let change = draw.change(for: model)
        if case (.success(let made), .success(let expected)) = (graph.outcome(of: change), model.outcome(of: change)) {
          try #require(made == expected, "seed \(seed), round \(round): \(change)")
        }
      }
      if draw.seldom(2) { try graph.snapshot() }
      try graph.close()
      #expect(try StoreTools.verify(store) == [])
    }
    let reader = try SocialGraph.open(store, access: .readOnly)
    #expect(reader.read { $0.rows } == model.rows)
    #expect(reader.read { $0.schema } == SocialGraph.Schema(relations))
  }

  @Test("What is missing is declared as one change; the same again changes nothing")
  func declaring() throws {
    var graph = try SocialGraph.open(store, schema: SocialGraph.Schema([Self.bookmark]))
    #expect(graph.read { $0.sequence } == 1)
    try graph.close()
    graph = try SocialGraph.open(store, schema: SocialGraph.Schema([Self.bookmark]))
    #expect(graph.read { $0.sequence } == 1)
    try graph.close()
    graph = try SocialGraph.open(store, schema: Self.schema)
    #expect(graph.read { $0.sequence } == 2)
    #expect(graph.read { $0.schema } == Self.schema)
    var changes: [Change] = []
    try graph.journaledChanges(in: 1...2) { (change, _) in changes.append(change) }
    let declared = [SocialGraph.Schema([Self.bookmark]), SocialGraph.Schema([Self.request, Self.quiet, Self.member])]
    #expect(changes == declared.map { .declare($0) })
    #expect(throws: KithError.invalidRequest(.declaredAtOpen)) { try graph.apply(.declare(Self.schema)) }
    #expect(throws: KithError.inBatch(index: 0, .invalidRequest(.declaredAtOpen))) {
      try graph.batch { (batch) throws(KithError) in _ = try batch.apply(.declare(Self.schema)) }
    }
    try graph.close()
    // An empty schema is one.
    let other = try SocialGraph.open(directory.file("other"), schema: SocialGraph.Schema())
    #expect(other.read { $0.schema } == SocialGraph.Schema() && other.read { $0.sequence } == 1)
    try other.close()
  }

  @Test("A relation with other facts is a conflict, and nothing is declared")
  func conflict() throws {
    try SocialGraph.open(store, schema: SocialGraph.Schema([Self.bookmark])).close()
    let other = Relation("bookmark", from: .user, to: .post)
    let error = try #require(throws: KithError.self) {
      try SocialGraph.open(store, schema: SocialGraph.Schema([Self.member, other]))
    }
    guard case .schemaConflict("bookmark", _, _) = error else { throw error }
    #expect(throws: KithError.self) {
      try SocialGraph.open(store, schema: SocialGraph.Schema([Self.follow(by: ["mute"])]))
    }
    #expect(throws: KithError.readOnly) { try SocialGraph.open(store, access: .readOnly, schema: Self.schema) }
    let graph = try SocialGraph.open(store, schema: SocialGraph.Schema([.follow, Self.bookmark]))
    #expect(graph.read { $0.schema } == SocialGraph.Schema([Self.bookmark]))
    try graph.close()
  }

  private static func follow(by names: [String]) -> Relation {
    Relation("follow", from: .user, to: .user, isEndedBy: names)
  }

  @Test("Facts that are not allowed are refused, each with its reason")
  func facts() throws {
    func user(_ name: String, isEndedBy: [String] = [], endsWith: String? = nil) -> Relation {
      Relation(name, from: .user, to: .user, isEndedBy: isEndedBy, endsWith: endsWith)
    }
    let reply = Relation("reply", from: .post, to: .post, isThread: true)
    let quote = Relation("quote", from: .post, to: .post)
    let refused: [[Relation]] = [
      [user("")], [user("1a")], [user("_a")], [user("a-b")], [user("é")], [user(String(repeating: "a", count: 65))],
      [user("a", isEndedBy: ["b"])], [user("a", isEndedBy: ["a"])], [user("a", endsWith: "a")],
      [Relation("a", from: .user, to: .post, isTimed: true)],
      [Relation("a", from: .post, to: .user, isThread: true)], [Relation("a", from: .user, to: .user, isThread: true)],
      [Relation("a", from: .post, to: .post, isTimed: true, isThread: true)],
      [reply, Relation("a", from: .post, to: .post, isThread: true)],
      [quote, Relation("a", from: .post, to: .post, isEndedBy: ["quote"], isThread: true)],
      [quote, Relation("a", from: .post, to: .post, endsWith: "quote", isThread: true)],
      [user("a", isEndedBy: ["like"])], [user("a", endsWith: "like")],
      [user("a", endsWith: "b"), user("b", endsWith: "a")],
      [user("a", isEndedBy: ["b"], endsWith: "b"), user("b")],
      [user("a", endsWith: "b"), user("b", isEndedBy: ["a"])],
      [user("a", endsWith: "b"), user("b", endsWith: "c"), user("c", isEndedBy: ["a"])],
    ]
    for relations in refused {
      let error = try #require(throws: KithError.self) { try SocialGraph.Schema(relations).check() }
      guard case .invalidRequest(.relation) = error else { throw error }
      #expect(throws: error) { try SocialGraph.open(directory.file("refused"), schema: SocialGraph.Schema(relations)) }
    }
    let many = (0..<61).map { user("a\($0)") }
    #expect(throws: KithError.limitExceeded(.relations(limit: 64))) { try SocialGraph.Schema(many).check() }
    try SocialGraph.Schema(Array(many.prefix(60))).check()
    try SocialGraph.Schema([user("a", isEndedBy: ["b"]), user("b", isEndedBy: ["a"]), Self.bookmark]).check()
  }

  @Test("Without a schema no edge can be added by name, and files are as before")
  func withoutSchema() throws {
    let graph = try SocialGraph.open(store)
    let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("bob"))
    try graph.follow(bob, as: ann)
    #expect(throws: KithError.noSchema) { try graph.addEdge(Self.request, from: ann, to: bob) }
    #expect(throws: KithError.noSchema) { try graph.addEdge(.follow, from: bob, to: ann) }
    #expect(throws: KithError.noSchema) { try graph.removeEdge(.follow, from: ann, to: bob) }
    #expect(throws: KithError.unknownRelation("request")) {
      try graph.read { (view) throws(KithError) in try view.targets(of: ann, Self.request) }
    }
    // Reads of the four need none.
    #expect(try graph.read { (view) throws(KithError) in try view.targets(of: ann, .follow) }.map(\.id) == [bob])
    try graph.snapshot()
    try graph.addUser("eve")
    try graph.close()
    let listing = try StoreTools.list(store)
    #expect(listing.snapshots.compactMap { $0.report?.formatVersion } == ["1.0"])
    #expect(listing.journals.compactMap { $0.header?.formatVersion }.allSatisfy { $0 == "1.0" })
  }

  @Test("Files of a graph with a schema ask for a reader that knows it")
  func versions() throws {
    let graph = try SocialGraph.open(store, schema: SocialGraph.Schema())
    try graph.addUser("ann")
    try graph.snapshot()
    try graph.addUser("bob")
    try graph.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: store) where name != "LOCK" && name != "ACK" {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: store + "/" + name))
      let offset = name.hasPrefix("wal-") ? 8 : 16
      let version: [UInt8] = name.hasPrefix("wal-") ? [1, 0, 1, 0] : [1, 0, 2, 0]
      // The version, and the oldest reader.
      #expect(Array(bytes[offset..<offset + 8]) == version + version, "\(name)")
    }
  }

  @Test("A store restored to a time before the declaration has no schema")
  func beforeDeclaring() throws {
    var graph = try SocialGraph.open(store)
    try graph.addUser("ann")
    try graph.close()
    graph = try SocialGraph.open(store, schema: Self.schema)
    try graph.addUser("bob")
    try graph.close()
    let restored = directory.file("restored")
    for (sequence, schema) in [(1, nil), (2, Self.schema), (3, Self.schema)] as [(UInt64, SocialGraph.Schema?)] {
      _ = try StoreTools.restore(from: store, to: restored + "\(sequence)", at: .sequence(sequence))
      let graph = try SocialGraph.open(restored + "\(sequence)", access: .readOnly)
      #expect(graph.read { $0.schema } == schema && graph.read { $0.sequence } == sequence)
      let versions = try StoreTools.list(restored + "\(sequence)").snapshots.compactMap { $0.report?.formatVersion }
      #expect(versions == [schema == nil ? "1.0" : "1.2"])
    }
  }

  @Test("A damaged section of edges is an error with its place, and salvage loses that relation and what ends with it")
  func damage() throws {
    let reply = Relation("reply", from: .post, to: .post, isThread: true)
    let graph = try SocialGraph.open(store, schema: SocialGraph.Schema([Self.bookmark, Self.request, reply]))
    let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("bob"))
    let post = try graph.addPost("hi", by: bob)
    try graph.addPost("ho", by: ann, edges: [PostEdge(reply, to: post)])
    try graph.addEdge(Self.bookmark, from: ann, to: post)
    try graph.addEdge(Self.request, from: ann, to: bob)
    let info = try graph.snapshot()
    try graph.close()
    let url = URL(fileURLWithPath: info.path)
    let sound = try Data(contentsOf: url)
    try removeJournals()
    let damaged: [(section: SectionID, lost: [String])] = [
      (EdgeSections(ofDeclared: 4).targets, ["bookmark"]), (EdgeSections(ofDeclared: 5).degrees, ["request"]),
      (EdgeSections(ofDeclared: 6).seconds ?? GraphSections.schema, ["reply"]), (GraphSections.postParents, ["reply"]),
      (GraphSections.postAuthors, ["bookmark", "reply"]), (GraphSections.schema, ["the schema"]),
    ]
    for (section, lost) in damaged {
      var bytes = sound
      bytes[try offset(of: section, in: sound) + 12] ^= 0x40
      try bytes.write(to: url)
      let error = try #require(throws: KithError.self) { try SocialGraph.open(info.path, access: .readOnly) }
      guard case .corrupt = error else { throw error }
      let salvaged = try Salvage.run(StoreDirectory(store, disk: SystemDisk()))
      let losesPosts = section == GraphSections.postAuthors
      #expect(salvaged.report.lostRelations.map(\.name) == lost && salvaged.report.lostParts.isEmpty != losesPosts)
      #expect(!salvaged.report.isWhole && salvaged.state.users.count == 2)
      let kept = salvaged.state.relations.declared.compactMap(\.kind).filter { salvaged.state.isInUse($0) }
      // A conversation without its edges is still one.
      let keepsThreads = salvaged.state.declared.hasThreads && lost == ["reply"]
      #expect(kept.count == (lost == ["the schema"] ? 0 : 3 - lost.count + (keepsThreads ? 1 : 0)))
      #expect(salvaged.state.checkInvariants() == [])
    }
    try sound.write(to: url)
  }

  @Test("A salvage without audiences, or without who is private, shows posts to no others than before")
  func lostAudiences() throws {
    let graph = try SocialGraph.open(store, schema: Self.schema)
    let (ann, bob) = (try graph.addUser("ann", fields: UserFields(isPrivate: true)), try graph.addUser("bob"))
    let posts = [
      try graph.addPost("hi", by: bob), try graph.addPost("ho", by: bob, fields: PostFields(audience: .followers)),
    ]
    let info = try graph.snapshot()
    try graph.close()
    let url = URL(fileURLWithPath: info.path)
    let sound = try Data(contentsOf: url)
    try removeJournals()
    for section in [GraphSections.postAudiences, GraphSections.userPrivacy] {
      var bytes = sound
      bytes[try offset(of: section, in: sound) + 12] ^= 0x40
      try bytes.write(to: url)
      var salvaged = try Salvage.run(StoreDirectory(store, disk: SystemDisk()))
      let pin = SocialGraph.Pin(GraphView(salvaged.state.pin()))
      let losesAudiences = section == GraphSections.postAudiences
      #expect(salvaged.report.lostRelations.count == 1)
      #expect(
        try pin.view.posts(posts).map { $0?.audience }
          == (losesAudiences ? [.mentioned, .mentioned] : [.everyone, .followers]))
      #expect(try pin.view.users([ann, bob]).map { $0?.isPrivate } == [true, !losesAudiences])
      #expect(salvaged.state.checkInvariants() == [])
    }
    try sound.write(to: url)
  }

  /// So that the snapshot alone is read.
  private func removeJournals() throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: store) where name.hasPrefix("wal-") {
      try FileManager.default.removeItem(atPath: store + "/" + name)
    }
  }

  /// The offset in the file of a section's content.
  private func offset(of section: SectionID, in bytes: Data) throws -> Int {
    let path = directory.file("copy.kith.zst")
    try bytes.write(to: URL(fileURLWithPath: path))
    let disk = SystemDisk()
    let reader = try SnapshotFileReader(
      file: try disk.open(path, writable: false), path: path, disk: disk, memoryLimit: .max, knownSections: nil)
    // Behind the frame of its preamble.
    return Int(try reader.find(section).place.offset) + Zstd.storedByteCount(SnapshotFormat.preambleByteCount)
  }

  @Test("Edges of a batch that fails are rolled back, also the first of a relation")
  func rollback() throws {
    let graph = SocialGraph(schema: Self.schema)
    let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("bob"))
    #expect(throws: KithError.inBatch(index: 2, .missingEdge("follow"))) {
      try graph.batch { (batch) throws(KithError) in
        try batch.addEdge(Self.request, from: ann, to: bob)
        try batch.addEdge(.follow, from: bob, to: ann)
        try batch.addEdge(Self.quiet, from: ann, to: bob)
      }
    }
    #expect(try graph.read { (view) throws(KithError) in try view.edges(between: ann, and: [.user(bob)]) } == [.init()])
    #expect(graph.read { $0.verify() } == [])
    try graph.batch { (batch) throws(KithError) in
      try batch.addEdge(Self.request, from: ann, to: bob)
      try batch.addEdge(.follow, from: ann, to: bob)
      try batch.addEdge(Self.quiet, from: ann, to: bob)
    }
    let edges = try graph.read { (view) throws(KithError) in try view.edges(between: ann, and: [.user(bob)]) }
    #expect(edges == [.init(to: ["follow", "quiet"])])
  }

  @Test("A chain of edges ends as a whole, in whatever order its relations were declared")
  func chains() throws {
    func user(_ name: String, isEndedBy: [String] = [], endsWith: String? = nil) -> Relation {
      Relation(name, from: .user, to: .user, isEndedBy: isEndedBy, endsWith: endsWith)
    }
    let (one, two) = (user("one", isEndedBy: ["end", "block"]), user("two", endsWith: "one"))
    let (three, end) = (user("three", endsWith: "two"), user("end"))
    for first in 0..<4 {
      for turn in [1, 3] {
        let order = (0..<4).map { [one, two, three, end][(first + $0 * turn) % 4] }
        let graph = SocialGraph(schema: SocialGraph.Schema(order))
        let (ann, bob) = (try graph.addUser("ann"), try graph.addUser("bob"))
        func chain(_ user: UserID, _ other: UserID) throws {
          for relation in [one, two, three] { try graph.addEdge(relation, from: user, to: other) }
        }
        func names(_ user: UserID, _ other: UserID) throws -> [String] {
          try graph.read { (view) throws(KithError) in try view.edges(between: user, and: [.user(other)])[0].to }
        }
        try chain(ann, bob)
        #expect(try names(ann, bob).count == 3)
        try graph.addEdge(end, from: ann, to: bob)
        #expect(try names(ann, bob) == ["end"], "\(order)")
        try graph.removeEdge(end, from: ann, to: bob)
        try chain(ann, bob)
        try graph.removeEdge(one, from: ann, to: bob)
        #expect(try names(ann, bob) == [], "\(order)")
        try chain(ann, bob)
        try chain(bob, ann)
        try graph.block(ann, as: bob)
        #expect(try names(ann, bob) == [] && names(bob, ann) == ["block"], "\(order)")
      }
    }
  }
}
