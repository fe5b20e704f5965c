/// The graph as sections of a snapshot: one column each, rows in order, removed ones included, so that a graph that is
/// written, restored and written again gives the same sections.
///
/// Followers, likers, orders, counters and indexes are derived and not stored. Text packs at level 3, the rest at level
/// 1, since higher levels gain almost nothing on byte planes.
enum GraphSections {
  static let userIDs = SectionID("USID")
  static let nameLengths = SectionID("USNL")
  static let nameBytes = SectionID("USNB")
  static let postIDs = SectionID("POID")
  static let postAuthors = SectionID("POAU")
  static let postTimes = SectionID("POTI")
  static let textLengths = SectionID("POTL")
  static let textBytes = SectionID("POTB")
  static let follows = EdgeSections(degrees: SectionID("FODE"), targets: SectionID("FOTA"), seconds: SectionID("FOSE"))
  static let likes = EdgeSections(degrees: SectionID("LIDE"), targets: SectionID("LITA"), seconds: SectionID("LISE"))
  static let blocks = EdgeSections(degrees: SectionID("BLDE"), targets: SectionID("BLTA"), seconds: nil)
  static let mutes = EdgeSections(degrees: SectionID("MUDE"), targets: SectionID("MUTA"), seconds: nil)

  /// The sections of one relation.
  struct EdgeSections {
    let degrees: SectionID
    let targets: SectionID
    let seconds: SectionID?
  }

  /// Every section of this version, by its name for people, with the version that is read.
  static let names: [(id: SectionID, name: String)] = [
    (userIDs, "users.id"), (nameLengths, "users.nameLength"), (nameBytes, "users.nameBytes"),
    (postIDs, "posts.id"), (postAuthors, "posts.author"), (postTimes, "posts.createdAt"),
    (textLengths, "posts.textLength"), (textBytes, "posts.textBytes"),
    (follows.degrees, "follows.degree"), (follows.targets, "follows.target"), (SectionID("FOSE"), "follows.second"),
    (likes.degrees, "likes.degree"), (likes.targets, "likes.target"), (SectionID("LISE"), "likes.second"),
    (blocks.degrees, "blocks.degree"), (blocks.targets, "blocks.target"),
    (mutes.degrees, "mutes.degree"), (mutes.targets, "mutes.target"),
  ]

  /// The versions that this release reads.
  static var known: [SectionID: UInt16] { Dictionary(uniqueKeysWithValues: names.map { ($0.id, 1) }) }

  private static let textLevel: Int32 = 3

  // MARK: - Writing

  /// All sections of a graph.
  /// - Complexity: O(graph).
  static func sections(of state: borrowing GraphState) -> [Section] {
    users(state) + posts(state) + edges(state.follows, follows) + edges(state.likes, likes)
      + edges(state.blocks, blocks) + edges(state.mutes, mutes)
  }

  private static func users(_ state: borrowing GraphState) -> [Section] {
    let (lengths, bytes) = texts(state.users.names)
    return [
      Section(userIDs, ColumnCoding.deltaPlanes(values(state.users.identifiers.ids).span)),
      Section(nameLengths, ColumnCoding.planes(lengths.span)),
      Section(nameBytes, ColumnCoding.bytes(bytes), compressionLevel: textLevel),
    ]
  }

  private static func posts(_ state: borrowing GraphState) -> [Section] {
    var authors: [UInt32] = []
    authors.reserveCapacity(state.posts.rowCount)
    // One more than the row, so that 0 says that the post was removed.
    for row in 0..<state.posts.rowCount { authors.append(state.posts.authors[row] &+ 1) }
    let (lengths, bytes) = texts(state.posts.texts)
    return [
      Section(postIDs, ColumnCoding.deltaPlanes(values(state.posts.identifiers.ids).span)),
      Section(postAuthors, ColumnCoding.planes(authors.span)),
      Section(postTimes, ColumnCoding.deltaPlanes(values(state.posts.times).span)),
      Section(textLengths, ColumnCoding.planes(lengths.span)),
      Section(textBytes, ColumnCoding.bytes(bytes), compressionLevel: textLevel),
    ]
  }

  private static func values(_ column: borrowing Column<Int64>) -> [Int64] {
    var values: [Int64] = []
    values.reserveCapacity(column.count)
    for row in 0..<column.count { values.append(column[row]) }
    return values
  }

  private static func texts(_ column: borrowing TextColumn) -> (lengths: [UInt32], bytes: [UInt8]) {
    var lengths: [UInt32] = []
    lengths.reserveCapacity(column.count)
    for row in 0..<column.count { lengths.append(UInt32(column.byteCount(row))) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(lengths.reduce(0) { $0 + Int($1) })
    for row in 0..<column.count {
      let text = column.bytes(row)
      for index in text.indices { bytes.append(text[index]) }
    }
    return (lengths, bytes)
  }

  private static func edges(_ relation: borrowing Relation, _ ids: EdgeSections) -> [Section] {
    var degrees: [UInt32] = []
    var targets: [UInt32] = []
    var seconds: [UInt32] = []
    degrees.reserveCapacity(relation.forward.count)
    targets.reserveCapacity(relation.count)
    if ids.seconds != nil { seconds.reserveCapacity(relation.count) }
    for source in 0..<relation.forward.count {
      degrees.append(UInt32(relation.forward.count(of: source)))
      for run in 0..<relation.forward.runCount(of: source) {
        let elements = relation.forward.run(run, of: source)
        for index in elements.indices {
          targets.append(Relation.target(elements[index]))
          if ids.seconds != nil { seconds.append(Relation.second(elements[index])) }
        }
      }
    }
    var sections = [
      Section(ids.degrees, ColumnCoding.planes(degrees.span)),
      Section(ids.targets, ColumnCoding.lists(degrees: degrees.span, targets: targets.span)),
    ]
    if let id = ids.seconds { sections.append(Section(id, ColumnCoding.planes(seconds.span))) }
    return sections
  }
}
