/// The sections of a snapshot: one per column, with rows in order, including removed ones. A graph that is written,
/// restored and written again yields the same sections.
///
/// Followers, likers, orders, counters and indexes are derived, not stored. Text is compressed at level 3, the rest at
/// level 1: higher levels gain almost nothing on byte planes.
enum GraphSections {
  static let userIDs = SectionID("USID")
  static let nameLengths = SectionID("USNL")
  static let nameBytes = SectionID("USNB")
  static let postIDs = SectionID("POID")
  static let postAuthors = SectionID("POAU")
  static let postTimes = SectionID("POTI")
  static let textLengths = SectionID("POTL")
  static let textBytes = SectionID("POTB")
  /// The schema of a graph that has one.
  static let schema = SectionID("SCHM")
  /// The rows of the posts that posts reply to, where there are replies: as `postAuthors`.
  static let postParents = SectionID("POPA")
  /// What the host keeps with users and posts, each where any has it.
  static let userPayloadLengths = SectionID("USPL")
  static let userPayloadBytes = SectionID("USPB")
  static let userFlags = SectionID("USFL")
  /// The numbers of the kinds of users (`SocialGraph.Schema.userKinds`), plus one; 0 for `user`.
  static let userKinds = SectionID("USKI")
  static let displayNameLengths = SectionID("USDL")
  static let displayNameBytes = SectionID("USDB")
  static let postPayloadLengths = SectionID("POPL")
  static let postPayloadBytes = SectionID("POPB")
  static let postFlags = SectionID("POFL")
  /// When posts were edited, plus one; 0 for those that were not.
  static let postEditTimes = SectionID("POED")
  /// The numbers of the audiences of posts (`Audience`); 1 for a user who is private.
  static let postAudiences = SectionID("POAC")
  static let userPrivacy = SectionID("USPR")

  /// Every section of a graph without a schema, with its readable name.
  static let names: [(id: SectionID, name: String)] =
    [
      (userIDs, "users.id"), (nameLengths, "users.nameLength"), (nameBytes, "users.nameBytes"),
      (postIDs, "posts.id"), (postAuthors, "posts.author"), (postTimes, "posts.createdAt"),
      (textLengths, "posts.textLength"), (textBytes, "posts.textBytes"),
    ]
    + RelationKind.allCases.flatMap { kind in
      zip(kind.sections.all, ["degree", "target", "second"]).map { ($0, "\(kind.plural).\($1)") }
    }

  /// The version of each section that this release reads.
  static var known: [SectionID: UInt16] {
    Dictionary(uniqueKeysWithValues: (names + namesOfSchema).map { ($0.id, 1) })
  }

  /// The schema, and the sections of every relation that can be declared, by its number.
  static let namesOfSchema: [(id: SectionID, name: String)] =
    [(schema, "schema"), (postParents, "posts.parent")] + namesOfHost
    + (Relation.builtIn.count..<SocialGraph.Limits.relationCount).flatMap { number in
      zip(EdgeSections(ofDeclared: number).all, ["degree", "target", "second"]).map { ($0, "relation\(number).\($1)") }
    }
}

extension SectionID {
  /// Whether only a graph with a schema has it.
  var isOfSchema: Bool { GraphSections.namesOfSchema.contains { $0.id == self } }
}

// MARK: - Writing

extension GraphSections {
  /// Writes all sections of a graph, piece by piece. At most a few pieces per core are in memory at a time.
  /// - Complexity: O(graph).
  static func write(_ state: borrowing GraphState, to sink: some SectionSink) throws(KithError) {
    try writeDeltas(state.users.rowCount, as: userIDs, to: sink) { state.users.identifiers.ids[$0] }
    try write(state.users.names, as: nameLengths, nameBytes, to: sink)
    try write(state.posts, to: sink)
    for kind in RelationKind.allCases { try write(state[kind], as: kind.sections, to: sink) }
    guard let schema = state.relations.schema else { return }
    var bytes: [UInt8] = []
    SchemaCoding.append(schema, to: &bytes)
    let head = SectionHead(id: Self.schema, encoding: .bytes, elementCount: UInt64(bytes.count))
    try sink.append(head, level: 1, pieceCount: bytes.isEmpty ? 0 : 1) { [bytes] _ in ColumnPiece(content: bytes) }
    if state.declared.hasThreads {
      try writePlanes(state.posts.rowCount, as: postParents, to: sink) { state.declared.threads.parents[$0] &+ 1 }
    }
    try writeHost(state, to: sink)
    // By number: the order of first edges is no part of the state.
    for kind in state.relations.declared.compactMap(\.kind) where state.isInUse(kind) && state[kind].count > 0 {
      try write(state[kind], as: EdgeSections(ofDeclared: Int(kind.number)), to: sink)
    }
  }

  private static func write(_ posts: borrowing PostTable, to sink: some SectionSink) throws(KithError) {
    try writeDeltas(posts.rowCount, as: postIDs, to: sink) { posts.identifiers.ids[$0] }
    // Stored as the row plus one, so that 0 denotes a removed post.
    try writePlanes(posts.rowCount, as: postAuthors, to: sink) { posts.authors[$0] &+ 1 }
    try writeDeltas(posts.rowCount, as: postTimes, to: sink) { posts.time(UInt32($0)) }
    try write(posts.texts, as: textLengths, textBytes, to: sink)
  }

  @inline(__always)
  static func writeDeltas(
    _ count: Int, as id: SectionID, to sink: some SectionSink, _ element: @Sendable (Int) -> Int64
  ) throws(KithError) {
    let head = SectionHead(id: id, encoding: .deltaPlanes, elementCount: UInt64(count))
    try sink.append(head, level: 1, pieceCount: ColumnCoding.pieceCount(count, of: UInt64.self)) { piece in
      ColumnCoding.deltaPlanes(piece, of: count) { (rows: Range<Int>, block: inout MutableSpan<UInt64>) in
        for row in rows { block[row &- rows.lowerBound] = UInt64(bitPattern: element(row)) }
      }
    }
  }

  @inline(__always)
  static func writePlanes(
    _ count: Int, as id: SectionID, to sink: some SectionSink, _ element: @Sendable (Int) -> UInt32
  ) throws(KithError) {
    let head = SectionHead(id: id, encoding: .planes, elementCount: UInt64(count))
    try sink.append(head, level: 1, pieceCount: ColumnCoding.pieceCount(count, of: UInt32.self)) { piece in
      ColumnCoding.planes(piece, of: count) { (rows: Range<Int>, block: inout MutableSpan<UInt32>) in
        for row in rows { block[row &- rows.lowerBound] = element(row) }
      }
    }
  }

  /// - Parameter count: the number of rows, where those behind the column have no bytes; nil for that of the column.
  static func write(
    _ texts: borrowing TextColumn, count: Int? = nil, as lengths: SectionID, _ bytes: SectionID,
    to sink: some SectionSink
  ) throws(KithError) {
    try writePlanes(count ?? texts.count, as: lengths, to: sink) { $0 < texts.count ? UInt32(texts.byteCount($0)) : 0 }
    let (starts, total) = pieces(of: texts)
    let head = SectionHead(id: bytes, encoding: .bytes, elementCount: UInt64(total))
    try sink.append(head, level: 3, pieceCount: total == 0 ? 0 : starts.count - 1) { piece in
      ColumnPiece(content: texts.bytes(of: starts[piece]..<starts[piece + 1]))
    }
  }

  /// The first row of each piece of text, and the end of the last one. A piece holds as many whole texts as fit a
  /// frame.
  private static func pieces(of texts: borrowing TextColumn) -> (starts: [Int], byteCount: Int) {
    var starts = [0]
    var (total, pieceByteCount) = (0, 0)
    for row in 0..<texts.count {
      let byteCount = texts.byteCount(row)
      if pieceByteCount + byteCount > SnapshotFormat.frameContentByteCount {
        starts.append(row)
        pieceByteCount = 0
      }
      pieceByteCount += byteCount
      total += byteCount
    }
    return (starts + [texts.count], total)
  }

  private static func write(
    _ relation: borrowing Adjacency, as ids: EdgeSections, to sink: some SectionSink
  ) throws(KithError) {
    try writePlanes(relation.forward.count, as: ids.degrees, to: sink) { UInt32(relation.forward.count(of: $0)) }
    let starts = relation.forward.starts(every: ColumnCoding.blockElementCount)
    let pieceCount = ColumnCoding.pieceCount(relation.count, of: UInt32.self)
    let count = relation.count
    let targets = SectionHead(id: ids.targets, encoding: .listPlanes, elementCount: UInt64(count))
    try sink.append(targets, level: 1, pieceCount: pieceCount) { piece in
      ColumnCoding.planes(piece, of: count) { (elements: Range<Int>, block: inout MutableSpan<UInt32>) in
        // The first element of a list, and of a block, is stored as it is; others as the distance from the previous
        // one, minus one.
        var (index, list, previous) = (0, -1, UInt32(0))
        let start = starts[elements.lowerBound / ColumnCoding.blockElementCount]
        relation.forward.forEach(from: start, count: elements.count) { source, element in
          let target = Adjacency.target(element)
          block[index] = source == list ? target &- previous &- 1 : target
          (list, previous) = (source, target)
          index &+= 1
        }
      }
    }
    guard let id = ids.seconds else { return }
    let seconds = SectionHead(id: id, encoding: .planes, elementCount: UInt64(count))
    try sink.append(seconds, level: 1, pieceCount: pieceCount) { piece in
      ColumnCoding.planes(piece, of: count) { (elements: Range<Int>, block: inout MutableSpan<UInt32>) in
        var index = 0
        let start = starts[elements.lowerBound / ColumnCoding.blockElementCount]
        relation.forward.forEach(from: start, count: elements.count) { _, element in
          block[index] = Adjacency.timestamp(element)
          index &+= 1
        }
      }
    }
  }
}
