import Testing

@testable import Kith

/// Edges added together give the graph that they give one by one.
@Suite struct EdgeImportTests {
  /// Random edges between users and posts of which some do not exist, were removed, are blocked, or are the same.
  private struct Columns {
    var sources: [Int64] = []
    var targets: [Int64] = []
    var times: [Int64] = []

    init(count: Int, ids: Int, _ random: inout SeededRandom) {
      for _ in 0..<count {
        // Few sources have most edges, so that some lists are long.
        let source = random.below(2) == 0 ? 2 + random.below(2) : random.below(ids + 1)
        sources.append(Int64(source))
        targets.append(Int64(random.below(ids + 2)))
        times.append(random.below(50) == 0 ? -1 : Int64(random.below(2_000_000)))
      }
    }

    func add(
      _ kind: RelationKind, to graph: SocialGraph, hasTimes: Bool
    ) throws -> (added: Int, duplicates: Int, refused: [String]) {
      var (counts, refused) = ((added: 0, duplicates: 0), [String]())
      try unsafe sources.withUnsafeBufferPointer { sources in
        try unsafe targets.withUnsafeBufferPointer { targets in
          try unsafe times.withUnsafeBufferPointer { times in
            let columns = unsafe EdgeColumns(
              sources: sources, targets: targets, times: hasTimes ? times.baseAddress : nil, defaultTime: 5_000)
            try graph.bulk { (batch) throws(KithError) in
              try batch.importEdges(kind, columns, counts: &counts) { refused.append("\($0): \($1)") }
            }
          }
        }
      }
      return (counts.added, counts.duplicates, refused)
    }

    func addSingly(
      _ kind: RelationKind, to graph: SocialGraph, hasTimes: Bool
    ) -> (added: Int, duplicates: Int, refused: [String]) {
      var (added, duplicates, refused) = (0, 0, [String]())
      for index in sources.indices {
        let time = Timestamp(hasTimes ? times[index] : 5_000)
        let edge = EdgeChange(kind, UserID(sources[index]), targets[index], at: kind.schema.hasTime ? time : nil)
        do {
          if try graph.apply(Change(edge)).didChange { added += 1 } else { duplicates += 1 }
        } catch {
          refused.append("\(index): \(error)")
        }
      }
      return (added, duplicates, refused)
    }
  }

  private func makeGraph(users: Int, isCompact: Bool, _ random: inout SeededRandom) throws -> SocialGraph {
    var options = SocialGraph.Options()
    options.compactLists = isCompact
    let graph = SocialGraph(options: options)
    for id in 1...users {
      // Ids that do not ascend with rows, so that ties of time are ordered by id.
      try graph.addUser("user \(id)", id: UserID(Int64(id + 1 ^ 1)))
      try graph.addPost("post \(id)", by: UserID(Int64(id + 1 ^ 1)), id: PostID(Int64(id)), createdAt: Timestamp(1))
    }
    for _ in 0..<20 {
      let (user, other) = (UserID(Int64(1 + random.below(users))), UserID(Int64(1 + random.below(users))))
      if user != other { _ = try? graph.block(other, as: user) }
    }
    try? graph.removeUser(UserID(Int64(1 + random.below(users))))
    try? graph.removePost(PostID(Int64(1 + random.below(users))))
    return graph
  }

  @Test("Edges in columns are the edges added one by one", arguments: 1...4)
  func sameAsSingly(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let users = 2_400
    var same = random
    let together = try makeGraph(users: users, isCompact: seed > 2, &random)
    let singly = try makeGraph(users: users, isCompact: false, &same)
    // The second import meets edges; the third is too small to be worth new lists.
    for count in [9_000, 7_000, 1_500] {
      for kind in RelationKind.allCases {
        let columns = Columns(count: kind == .block ? 5 : count, ids: users, &random)
        let hasTimes = random.below(3) > 0
        let result = try columns.add(kind, to: together, hasTimes: hasTimes)
        let expected = columns.addSingly(kind, to: singly, hasTimes: hasTimes)
        #expect(result.added == expected.added && result.duplicates == expected.duplicates, "seed \(seed)")
        #expect(result.refused == expected.refused, "seed \(seed)")
        #expect(expected.added > 0 && (kind == .block || !expected.refused.isEmpty))
        #expect(together.read { $0.verify() } == [], "seed \(seed)")
        let (state, other) = (together.pin(), singly.pin())
        #expect(GraphDigest.of(state.view.state) == GraphDigest.of(other.view.state), "seed \(seed)")
        #expect(backward(state.view.state[kind]) == backward(other.view.state[kind]), "seed \(seed)")
      }
    }
    #expect(singly.pin().view.state.follows.targetCount(0) > PackedLists<UInt64>.maximumPackedCount)
  }

  @Test("Edges collected in order become lists, filled by any units", arguments: 1...3)
  func collected(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var state = GraphState()
    let users = 60
    for id in 1...users { _ = try state.apply(.addUser(id: UserID(Int64(id)), username: "u\(id)")) }
    let collector = EdgeCollector(.follow, pieceElementCount: 1 + random.below(40))
    var (degrees, elements) = ([UInt32](repeating: 0, count: users), [UInt64]())
    for source in 0..<users - 3 {
      for target in 0..<users where target != source && random.below(3) == 0 {
        let second = random.below(9)
        let edge = EdgeChange(
          .follow, UserID(Int64(source + 1)), Int64(target + 1), at: Timestamp(Int64(second) * 1_000 + 5))
        guard case .taken = collector.take(edge, state) else { throw KithError.readOnly }
        degrees[source] += 1
        elements.append(UInt64(target) << 32 | UInt64(second))
      }
    }
    let lists = collector.lists(userCount: users)
    #expect(lists.degrees == degrees)
    var (source, start) = (0, 0)
    while source < users {
      let sources = source..<min(users, source + 1 + random.below(9))
      let count = Int(degrees[sources].reduce(0, +))
      var buffer = [UInt64](repeating: 0, count: count)
      lists.fill(sources, start..<start + count, &buffer)
      #expect(buffer == Array(elements[start..<start + count]), "seed \(seed)")
      (source, start) = (sources.upperBound, start + count)
    }
    #expect(start == elements.count && start > 500)
  }

  @Test("A limit on memory ends an import where it ends single changes")
  func limit() throws {
    var random = SeededRandom(seed: 9)
    func graph(limit: Int?) throws -> SocialGraph {
      var options = SocialGraph.Options()
      options.maximumByteCount = limit
      let graph = SocialGraph(options: options)
      for id in 1...1_000 { try graph.addUser("user \(id)", id: UserID(Int64(id))) }
      return graph
    }
    let graph = try graph(limit: try graph(limit: nil).pin().view.state.byteCount + 200_000)
    let columns = Columns(count: 60_000, ids: 1_000, &random)
    let error = #expect(throws: KithError.self) { _ = try columns.add(.follow, to: graph, hasTimes: true) }
    #expect(error?.code == "limitExceeded" && graph.read { $0.counts.follows } > 100)
  }

  private func backward(_ relation: borrowing Relation) -> [[UInt32]] {
    (0..<relation.backward.count).map { relation.sources(of: UInt32($0)) }
  }
}
