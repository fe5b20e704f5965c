import Testing

@testable import Kith

/// Sections that no writer makes, with valid hashes: each broken rule is refused with its section.
@Suite struct DamagedSectionTests {
  /// Three users and one removed, four posts and one removed, and one edge of each kind.
  private static func graph() throws -> SocialGraph {
    let graph = SocialGraph()
    for name in ["ann", "bob", "gone", "zoë"] { try graph.addUser(name) }
    for author in [1, 2, 4, 1] as [UserID] { try graph.addPost("text", by: author, createdAt: 7) }
    try graph.follow(2, as: 1, at: 5_000)
    try graph.like(2, as: 1, at: 6_000)
    try graph.block(4, as: 2)
    try graph.mute(4, as: 1)
    try graph.removeUser(UserID(3))
    try graph.removePost(PostID(4))
    return graph
  }

  /// The columns of a snapshot, to be changed one by one.
  struct Columns {
    var userIDs: [Int64]
    var names: [[UInt8]]
    var postIDs: [Int64]
    var authors: [UInt32]
    var times: [Int64]
    var texts: [[UInt8]]
    /// Targets by source, of follows, likes, blocks and mutes.
    var edges: [[[UInt32]]]
    var secondCounts: [Int]

    func sections() -> [Section] {
      let nameLengths = names.map { UInt32($0.count) }
      let textLengths = texts.map { UInt32($0.count) }
      let all: [Section] = [
        Section(GraphSections.userIDs, ColumnCoding.deltaPlanes(userIDs)),
        Section(GraphSections.nameLengths, ColumnCoding.planes(nameLengths)),
        Section(GraphSections.nameBytes, ColumnCoding.bytes(names.flatMap { $0 })),
        Section(GraphSections.postIDs, ColumnCoding.deltaPlanes(postIDs)),
        Section(GraphSections.postAuthors, ColumnCoding.planes(authors)),
        Section(GraphSections.postTimes, ColumnCoding.deltaPlanes(times)),
        Section(GraphSections.textLengths, ColumnCoding.planes(textLengths)),
        Section(GraphSections.textBytes, ColumnCoding.bytes(texts.flatMap { $0 })),
      ]
      return all
        + zip(RelationKind.allCases.map(\.sections), edges).enumerated().flatMap { index, pair in
          Self.sections(pair.0, pair.1, secondCount: secondCounts[index])
        }
    }

    private static func sections(
      _ ids: EdgeSections, _ lists: [[UInt32]], secondCount: Int
    ) -> [Section] {
      let degrees = lists.map { UInt32($0.count) }
      let targets = lists.flatMap { $0 }
      let seconds = [UInt32](repeating: 5, count: secondCount)
      let sections = [
        Section(ids.degrees, ColumnCoding.planes(degrees)),
        Section(ids.targets, ColumnCoding.lists(degrees: degrees, targets: targets)),
      ]
      return sections + (ids.seconds.map { [Section($0, ColumnCoding.planes(seconds))] } ?? [])
    }
  }

  private static let sound = Columns(
    userIDs: [1, 2, 3, 4], names: ["ann", "bob", "", "zoë"].map { Array($0.utf8) }, postIDs: [1, 2, 3, 4],
    authors: [1, 2, 4, 0], times: [7, 7, 7, 0], texts: ["text", "text", "text", ""].map { Array($0.utf8) },
    edges: [[[1], [], [], []], [[1], [], [], []], [[], [3], [], []], [[3], [], [], []]], secondCounts: [1, 1, 0, 0])

  private func restore(_ sections: [Section]) throws(KithError) -> GraphState {
    try GraphSections.state(from: sections, sequence: 12, file: "damaged")
  }

  @Test("Undamaged columns are those of the source graph")
  func soundness() throws {
    let state = try restore(Self.sound.sections())
    #expect(state.checkInvariants() == [])
    let written = GraphSections.sections(of: try Self.graph().pin().view.state)
    #expect(GraphSections.sections(of: state).map(\.id) == written.map(\.id))
    let differing = zip(GraphSections.sections(of: state), written).filter { [$0].contents != [$1].contents }.map(
      \.0.id)
    #expect(differing == [RelationKind.like.sections.seconds], "the second of the like alone is another")
  }

  /// What is broken, a part of the error's reason (mostly the section), and the edit that breaks it.
  struct Damage: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let reason: String
    let make: @Sendable (inout Columns) -> Void

    init(_ what: String, _ reason: String, _ make: @escaping @Sendable (inout Columns) -> Void) {
      testDescription = what
      self.reason = reason
      self.make = make
    }
  }

  static let tables: [Damage] = [
    Damage("a user's id occurs twice", "USID") { $0.userIDs[3] = 1 },
    Damage("a removed user's id occurs twice", "USID") { $0.userIDs[2] = 4 },
    Damage("a user's id is 0", "USID") { $0.userIDs[0] = 0 },
    Damage("a removed user's id is negative", "USID") { $0.userIDs[2] = -3 },
    Damage("a name is not UTF-8", "USNB") { $0.names[1] = [0x62, 0xC3] },
    Damage("a name is an encoded surrogate", "USNB") { $0.names[1] = [0xED, 0xA0, 0x80] },
    Damage("two names share the bytes of one letter", "USNB") {
      $0.names[0] = [0x61, 0xC3]
      $0.names[1] = [0xAB, 0x62]
    },
    Damage("a name holds a line break", "USNB") { $0.names[1] = Array("b\nb".utf8) },
    Damage("a name ends in half a line separator", "USNB") { $0.names[1] = [0x62, 0xE2, 0x80] },
    Damage("a name is 256 bytes long", "USNB") { $0.names[1] = [UInt8](repeating: 0x62, count: 256) },
    Damage("a name occurs twice", "USNB") { $0.names[1] = $0.names[0] },
    Damage("a name occurs twice, once decomposed", "USNB") { $0.names[1] = Array("zoe\u{308}".utf8) },
    Damage("there is a name too few", "USNL") { $0.names.removeLast() },
    Damage("a post's id occurs twice", "POID") { $0.postIDs[3] = 2 },
    Damage("a post's id is 0", "POID") { $0.postIDs[2] = 0 },
    Damage("an author does not exist", "POAU") { $0.authors[0] = 5 },
    Damage("an author was removed", "POAU") { $0.authors[0] = 3 },
    Damage("there is an author too many", "POAU") { $0.authors.append(1) },
    Damage("a post was made before 1970", "POTI") { $0.times[1] = -1 },
    Damage("there is a time too few", "POTI") { $0.times.removeLast() },
    Damage("a text is longer than texts are", "POTL") { $0.texts[0] = [UInt8](repeating: 0x62, count: 65_536) },
    Damage("a removed post has a text", "POTL") { $0.texts[3] = [0x62] },
    Damage("a text is not UTF-8", "POTB") { $0.texts[0] = [0xFF] },
  ]

  static let edges: [Damage] = [
    Damage("a user follows themselves", "FOTA") { $0.edges[0][0] = [0, 1] },
    Damage("a user blocks themselves", "BLTA") { $0.edges[2][1] = [1] },
    Damage("a user mutes themselves", "MUTA") { $0.edges[3][1] = [1] },
    Damage("a follow leads nowhere", "names 4") { $0.edges[0][0] = [4] },
    Damage("a like leads nowhere", "names 4") { $0.edges[1][0] = [1, 4] },
    Damage("a removed user is followed", "removed row 2") { $0.edges[0][0] = [1, 2] },
    Damage("a removed user follows", "removed row 2") { $0.edges[0][2] = [1] },
    Damage("a removed user likes", "removed row 2") { $0.edges[1][2] = [1] },
    Damage("a removed user blocks", "removed row 2") { $0.edges[2][2] = [0] },
    Damage("a removed user is blocked", "removed row 2") { $0.edges[2][0] = [2] },
    Damage("a removed user mutes", "removed row 2") { $0.edges[3][2] = [0] },
    Damage("a removed user is muted", "removed row 2") { $0.edges[3][0] = [2, 3] },
    Damage("a removed post is liked", "LITA") { $0.edges[1][0] = [1, 3] },
    Damage("a follow crosses a block", "BLTA") { $0.edges[0][1] = [3] },
    Damage("a follow crosses a block the other way", "BLTA") { $0.edges[0][3] = [1] },
    Damage("there are degrees for a user too many", "FODE") { $0.edges[0].append([]) },
    Damage("there are degrees for a user too few", "MUDE") { $0.edges[3].removeLast() },
    Damage("a follow has no second", "FOSE") { $0.secondCounts[0] = 0 },
    Damage("a second has no like", "LISE") { $0.secondCounts[1] = 2 },
  ]

  @Test("Every rule of users, posts and edges is enforced", arguments: tables + edges)
  func rules(damage: Damage) throws {
    var columns = Self.sound
    damage.make(&columns)
    columns.fitSeconds(except: damage.reason)
    try expectCorrupt(columns.sections(), damage.reason)
  }

  @Test("A missing section or a wrong encoding is refused", arguments: GraphSections.names.map(\.id))
  func missing(id: SectionID) throws {
    let sections = Self.sound.sections()
    try expectCorrupt(sections.filter { $0.id != id }, "\(id)")
    var encoded = sections
    let index = try #require(encoded.firstIndex { $0.id == id })
    encoded[index].head.encoding = ColumnEncoding(rawValue: 9)
    try expectCorrupt(encoded, "\(id)")
  }

  @Test("An older snapshot has no edges of a relation that came later") func olderSnapshot() throws {
    var state = try restore(Self.sound.sections())
    let sections = SectionList(Self.sound.sections())
    let ends = GraphSections.EdgeEnds(
      nameLengths: [1, 1, 1, 1], userCount: 4, authors: Column(), postCount: 0, ids: state.users.pinIDs())
    func edges(mayBeMissing: Bool) throws -> Adjacency {
      let ids = EdgeSections(prefix: "XX", hasTime: false, mayBeMissing: mayBeMissing)
      return try GraphSections.edges(ids, to: .user, sections, ends, order: ends.ids, workers: 1)
    }
    let relation = try edges(mayBeMissing: true)
    #expect(relation.count == 0 && relation.forward.count == 4 && relation.backward.count == 4)
    #expect(throws: KithError.self) { _ = try edges(mayBeMissing: false) }
  }

  @Test("Truncated and overlong content is refused in every section", arguments: GraphSections.names.map(\.id))
  func lengths(id: SectionID) throws {
    let sections = Self.sound.sections()
    let index = try #require(sections.firstIndex { $0.id == id })
    for change in [-1, 1] {
      var damaged = sections
      if change > 0 {
        damaged[index].content.append(0)
      } else {
        damaged[index].content = damaged[index].content.dropLast()
      }
      try expectCorrupt(damaged, "\(id)")
    }
  }

  @Test(
    "Any flipped bit of any content is refused or gives a valid graph", arguments: GraphSections.names.map(\.id)
  )
  func flips(id: SectionID) throws {
    let sections = Self.sound.sections()
    let index = try #require(sections.firstIndex { $0.id == id })
    for bit in 0..<sections[index].content.count * 8 {
      var damaged = sections
      damaged[index].content[bit / 8] ^= 1 << (bit % 8)
      do throws(KithError) {
        let state = try restore(damaged)
        #expect(state.checkInvariants() == [], "bit \(bit) of \(id)")
      } catch {
        #expect(error.code == "corrupt", "bit \(bit) of \(id): \(error)")
      }
    }
  }

  private func expectCorrupt(_ sections: [Section], _ part: String) throws {
    do throws(KithError) {
      _ = try restore(sections)
      Issue.record("it was read")
    } catch .corrupt(_, _, let reason) {
      #expect(reason.contains(part), "\(reason)")
    } catch {
      Issue.record("\(error)")
    }
  }
}

extension DamagedSectionTests.Columns {
  /// A time for every follow and like, unless the test sets them.
  fileprivate mutating func fitSeconds(except section: String) {
    if section != "FOSE" { secondCounts[0] = edges[0].reduce(0) { $0 + $1.count } }
    if section != "LISE" { secondCounts[1] = edges[1].reduce(0) { $0 + $1.count } }
  }
}
