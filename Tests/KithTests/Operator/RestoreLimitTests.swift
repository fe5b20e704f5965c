import Foundation
import Testing

@testable import Kith

/// The memory for the graph of a snapshot is estimated from its tables, and limited, before anything is built.
@Suite struct RestoreLimitTests {
  /// The columns of a graph in which only the ids of removed users and posts are left.
  private static func removed(users: [Int64] = [], posts: [Int64] = []) -> [Section] {
    let (none, noPosts) = ([UInt32](repeating: 0, count: users.count), [UInt32](repeating: 0, count: posts.count))
    var sections = [
      Section(GraphSections.userIDs, ColumnCoding.deltaPlanes(users)),
      Section(GraphSections.nameLengths, ColumnCoding.planes(none)),
      Section(GraphSections.nameBytes, ColumnCoding.bytes([])),
      Section(GraphSections.postIDs, ColumnCoding.deltaPlanes(posts)),
      Section(GraphSections.postAuthors, ColumnCoding.planes(noPosts)),
      Section(GraphSections.postTimes, ColumnCoding.deltaPlanes([Int64](repeating: 0, count: posts.count))),
      Section(GraphSections.textLengths, ColumnCoding.planes(noPosts)),
      Section(GraphSections.textBytes, ColumnCoding.bytes([])),
    ]
    for ids in RelationKind.allCases.map(\.sections) {
      sections.append(Section(ids.degrees, ColumnCoding.planes(none)))
      sections.append(Section(ids.targets, ColumnCoding.lists(degrees: none, targets: [])))
      if let id = ids.seconds { sections.append(Section(id, ColumnCoding.planes([UInt32]()))) }
    }
    return sections
  }

  /// Dense ones, as they are assigned; others in order; others unordered.
  private static let identifiers: [[Int64]] = [
    (1...40_000).map { Int64($0) }, (1...40_000).map { Int64($0 * 3) },
    (1...40_000).map { Int64($0 * 7_919 % 40_009 + 1_000_000) },
  ]

  @Test("A removed row takes at most sixteen bytes, whatever its id", arguments: identifiers.indices)
  func removedRows(_ kind: Int) throws {
    let ids = Self.identifiers[kind]
    for sections in [Self.removed(users: ids), Self.removed(posts: ids)] {
      let state = try GraphSections.state(from: sections, sequence: 1, file: "memory")
      #expect(state.byteCount <= ids.count * 16 + (1 << 19), "\(state.structures.filter { $0.byteCount > 1 << 17 })")
      #expect(state.checkInvariants() == [])
      #expect(GraphSections.sections(of: state).contents == sections.contents, "it is written as it was read")
    }
  }

  @Test("Ids removed before a restart stay taken, and rows beside them can be used", arguments: identifiers.indices)
  func removedIDs(_ kind: Int) throws {
    let ids = Self.identifiers[kind]
    let state = try GraphSections.state(
      from: Self.removed(users: ids, posts: ids), sequence: 1, file: "memory")
    let graph = SocialGraph(state, store: nil, isReadOnly: false)
    for place in [0, 1, 777, 39_999] {
      #expect(throws: KithError.userIDTaken(UserID(ids[place]))) {
        try graph.apply(.addUser(id: UserID(ids[place]), username: "again"))
      }
    }
    let people = try (0..<3_000).map { try graph.addUser("user \($0)") }
    let pin = graph.pin()
    let before = pin.view.rows
    for (index, user) in people.enumerated() {
      try graph.follow(people[(index + 1) % people.count], as: user)
      try graph.block(people[(index + 7) % people.count], as: user)
      try graph.mute(people[(index + 9) % people.count], as: user)
      #expect(throws: KithError.postIDTaken(PostID(ids[5]))) {
        try graph.apply(.addPost(id: PostID(ids[5]), by: user, text: "x", createdAt: 7))
      }
      try graph.like(try graph.addPost("a text", by: user), as: user)
    }
    #expect(graph.read { $0.verify() } == [] && pin.view.rows == before)
    #expect(throws: KithError.unknownUser(UserID(ids[5]))) { try graph.follow(UserID(ids[5]), as: people[0]) }
  }

  #if os(Linux)
    /// The greatest memory of this process so far.
    private static func peakByteCount() throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      let kibibytes = line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
      return kibibytes << 10
    }

    @Test("A million removed users are restored within 64 megabytes")
    func millionRemovedUsers() async {
      await #expect(processExitsWith: .success) {
        let sections = RestoreLimitTests.removed(users: (1...1_000_000).map { Int64($0) })
        let before = try RestoreLimitTests.peakByteCount()
        let state = try GraphSections.state(from: sections, sequence: 1, file: "memory")
        let most = try RestoreLimitTests.peakByteCount() - before
        precondition(state.users.rowCount == 1_000_000 && before > 0 && most < 64 << 20, "\(most) bytes")
      }
    }
  #endif

  // MARK: - The estimate

  /// A realistic network: names of ten letters, twenty follows each, ten posts, ten likes.
  private static func network(userCount: Int) throws -> SocialGraph {
    let graph = SocialGraph()
    let ids = try (0..<userCount).map { try graph.addUser("somebody \($0)") }
    for (index, user) in ids.enumerated() {
      for step in 1...20 { try graph.follow(ids[(index + step * step) % userCount], as: user, at: 0) }
      for number in 0..<10 {
        let post = try graph.addPost("post \(number) of user \(index), as long as posts are in the middle", by: user)
        try graph.like(post, as: ids[(index * 7 + number) % userCount])
      }
    }
    return graph
  }

  /// Estimates the graph of sections with what is known once the columns with a few bytes a row are read.
  private static func estimate(
    _ sections: [Section], _ state: borrowing GraphState, _ form: ListForm = .plain
  ) throws -> Int {
    var estimate = try GraphEstimate(of: SectionList(sections), byteLimit: .max, form: GraphForm(lists: form))
    try estimate.note(users: state.users.count)
    try estimate.note(posts: state.posts.count)
    return estimate.byteCount
  }

  @Test(
    "An estimate is at least what a graph takes with its indexes, and at most twice that", arguments: ListForm.allCases)
  func estimate(form: ListForm) throws {
    let graph = try Self.network(userCount: 5_000)
    let sections = GraphSections.sections(of: graph.pin().view.state)
    var state = try GraphSections.state(from: sections, sequence: 1, file: "memory", form: form)
    state.posts.keepIndex(.textsAndAuthors)
    while let compaction = state.posts.beginCompaction(besides: []) {
      let segment = compaction.segment()
      _ = state.posts.install(segment, of: compaction)
    }
    let (took, estimate) = (state.byteCount, try Self.estimate(sections, state, form))
    #expect(took <= estimate && estimate <= 2 * took + (1 << 20), "\(took) bytes, estimated \(estimate)")
  }

  @Test("In its own store a graph counts with the fewest bytes that its form can take", arguments: ListForm.allCases)
  func ownEstimate(form: ListForm) throws {
    let directory = try TemporaryDirectory()
    var options = SocialGraph.Options()
    options.durability = .flushed
    options.compactLists = form == .compact
    options.compressTexts = true
    let graph = try SocialGraph.open(directory.file("store"), options: options)
    let ids = try (0..<200).map { try graph.addUser("u\($0)") }
    let text = String(repeating: "all the same, again and again. ", count: 1_000)
    for user in ids {
      for target in ids where target != user { try graph.follow(target, as: user, at: 0) }
      try graph.addPost(text, by: user)
    }
    let sections = GraphSections.sections(of: graph.pin().view.state)
    let state = try GraphSections.state(
      from: SectionList(sections), sequence: 1, form: GraphForm(lists: form, compressesTexts: true))
    func estimate(isOwn: Bool) throws -> Int {
      var estimate = try GraphEstimate(
        of: SectionList(sections), byteLimit: .max, form: GraphForm(lists: form, compressesTexts: true), isOwn: isOwn)
      try estimate.note(users: 200)
      try estimate.note(posts: 200)
      return estimate.byteCount
    }
    let (own, outside) = (try estimate(isOwn: true), try estimate(isOwn: false))
    #expect(own <= 2 * state.byteCount + (1 << 20) && outside > own + (6 << 20), "\(own) of \(outside)")
    #expect(state.posts.texts.compressionExcess < state.posts.texts.liveByteCount / 2)
    // So its snapshot is opened with a limit that it would exceed outside.
    try graph.snapshot()
    try graph.close()
    options.maximumByteCount = own / 9 * 8
    #expect(RestoreLimit.openedByteCount(own / 9 * 8) < outside)
    try SocialGraph.open(directory.file("store"), options: options).close()
  }

  @Test("A graph over the limit is refused before it is built, as early as possible")
  func refusedEarly() throws {
    let users = Self.removed(users: Self.identifiers[0])
    let limit = 16 * 40_000 + (1 << 20)
    _ = try GraphSections.state(from: SectionList(users), sequence: 1, byteLimit: limit)
    let error = try #require(throws: KithError.self) {
      _ = try GraphSections.state(from: SectionList(users), sequence: 1, byteLimit: limit - 1)
    }
    #expect(error.code == "limitExceeded" && error.description.contains("maximumByteCount"), "\(error)")
    // Half of these exist: the lengths of names and the authors of posts show it, the tables do not.
    let graph = try Self.network(userCount: 300)
    let sections = GraphSections.sections(of: graph.pin().view.state)
    let tables = try GraphEstimate(of: SectionList(sections), byteLimit: .max).byteCount
    let all = try Self.estimate(sections, graph.pin().view.state)
    #expect(tables < all)
    _ = try GraphSections.state(from: SectionList(sections), sequence: 1, byteLimit: all)
    for limit in [tables - 1, tables, all - 1] {
      let error = try #require(throws: KithError.self) {
        _ = try GraphSections.state(from: SectionList(sections), sequence: 1, byteLimit: limit)
      }
      #expect(error.code == "limitExceeded", "\(limit): \(error)")
    }
  }

  @Test("An external file can take a gibibyte, 200 times its size or the host's limit, whichever is greatest")
  func externalFileLimit() {
    let outside = RestoreLimit.outside(allowedByteCount: nil)
    #expect(outside.byteCount(fileByteCount: 7_497) == 1 << 30)
    #expect(outside.byteCount(fileByteCount: 100 << 20) == 200 * (100 << 20))
    #expect(outside.byteCount(fileByteCount: .max) == .max)
    #expect(RestoreLimit.outside(allowedByteCount: 5).byteCount(fileByteCount: 1) == 1 << 30, "less is no limit here")
    #expect(RestoreLimit.outside(allowedByteCount: 1 << 40).byteCount(fileByteCount: 1) == 1 << 40)
    #expect(RestoreLimit.ownStore(maximumByteCount: nil).byteCount(fileByteCount: 1) == .max)
    // What may be opened is an eighth and two megabytes more, its estimate twice that and 64 megabytes.
    let opened = (1 << 30) + (1 << 27) + (2 << 20)
    #expect(RestoreLimit.ownStore(maximumByteCount: 1 << 30).byteCount(fileByteCount: 1) == 2 * opened + (64 << 20))
    #expect(RestoreLimit.ownStore(maximumByteCount: .max).byteCount(fileByteCount: 1) == .max)
  }

  // MARK: - Files

  /// A file of a few kilobytes whose tables claim 68 million users.
  private static func writeBomb(to directory: TemporaryDirectory) throws -> String {
    let writer = try SnapshotFileWriter(
      header: SnapshotFixture.header, directory: directory.path, name: "bomb", replacing: false, disk: SystemDisk())
    let piece = [UInt8](repeating: 2, count: 1 << 20)
    for section in Self.removed() {
      guard section.id == GraphSections.userIDs else {
        try writer.sections.append(section)
        continue
      }
      let head = SectionHead(id: section.id, encoding: .deltaPlanes, elementCount: 68 << 20)
      try writer.sections.append(head, level: 1, pieceCount: 68) { _ in ColumnPiece(content: piece) }
    }
    return try writer.finish().path
  }

  @Test("Every call that reads external files refuses one that takes too much, unless more is allowed")
  func everyExternalCall()
    throws
  {
    let directory = try TemporaryDirectory()
    let path = try Self.writeBomb(to: directory)
    let bytes = try directory.read("bomb")
    #expect(bytes.count < 100_000)
    let descriptor = try #require(FileHandle(forReadingAtPath: path))
    let target = directory.file("target")
    func codes(allowing byteCount: Int?) -> [String] {
      let options = SocialGraph.Options { $0.maximumByteCount = byteCount }
      let ways: [() throws -> Void] = [
        { _ = try SocialGraph(snapshot: bytes, options: options) },
        { _ = try SocialGraph(snapshotDescriptor: descriptor.fileDescriptor, options: options) },
        { _ = try SocialGraph.open(path, options: options) },
        { _ = try StoreTools.restore(from: path, to: target, allowedByteCount: byteCount) },
        { _ = try StoreTools.restore(fromBytes: bytes, named: "-", to: target, allowedByteCount: byteCount) },
        { _ = try StoreTools.salvage(from: path, to: target, allowedByteCount: byteCount) },
        {
          let verification = try Verification(of: path, allowedByteCount: byteCount)
          if let problem = verification.problems.first {
            throw KithError.corrupt(file: problem.place, offset: 0, reason: problem.message)
          }
        },
      ]
      return ways.map { way in
        do { try way() } catch { return (error as? KithError)?.code ?? "\(error)" }
        return "none"
      }
    }
    #expect(codes(allowing: nil) == [String](repeating: "limitExceeded", count: 7))
    // The other columns do not fit: so the file is damaged once they are read.
    #expect(codes(allowing: 4 << 30) == [String](repeating: "corrupt", count: 7))
    #expect(try Verification(of: path, .quick).problems == [], "its hashes are right")
    #expect(!FileManager.default.fileExists(atPath: target))
  }

  @Test("A graph's own store is bounded by its options alone")
  func ownStore() throws {
    let directory = try TemporaryDirectory()
    let store = directory.file("store")
    let graph = try SocialGraph.open(store)
    let ann = try graph.addUser("ann")
    for _ in 0..<1_200 { try graph.addPost(String(repeating: "a", count: 65_000), by: ann) }
    try graph.snapshot()
    let byteCount = graph.read { $0.memoryReport() }.byteCount
    try graph.close()
    try SocialGraph.open(store, options: SocialGraph.Options { $0.maximumByteCount = byteCount + (8 << 20) }).close()
    for limit in [1 << 20, 60 << 20] {
      let error = try #require(throws: KithError.self) {
        try SocialGraph.open(store, options: SocialGraph.Options { $0.maximumByteCount = limit })
      }
      // Far above the limit it is known before anything is built; otherwise when the graph is complete.
      #expect(
        error.code == "limitExceeded" && error.description.contains("would take") == (limit == 1 << 20), "\(error)")
    }
    #expect(try SocialGraph.open(store, access: .readOnly).read { $0.counts.posts } == 1_200)
  }
}
