import Foundation
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

    /// An edge; of some edges the source is a user who was added later.
    func change(_ kind: RelationKind, _ index: Int, later: UserID?) -> Change {
      let source = later.flatMap { index.isMultiple(of: 7) ? $0 : nil } ?? UserID(sources[index])
      return Change(EdgeChange(kind, source, targets[index], at: Timestamp(times[index])))
    }

    func addSingly(
      _ kind: RelationKind, to graph: SocialGraph, hasTimes: Bool
    ) -> (added: Int, duplicates: Int, refused: [String]) {
      var (added, duplicates, refused) = (0, 0, [String]())
      for index in sources.indices {
        let time = Timestamp(hasTimes ? times[index] : 5_000)
        let edge = EdgeChange(kind, UserID(sources[index]), targets[index], at: kind.facts.hasTime ? time : nil)
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
    let collector = EdgeCollector(.follow, directory: "/nowhere", pieceElementCount: 1 + random.below(40))
    var (degrees, elements) = ([UInt32](repeating: 0, count: users), [UInt64]())
    for source in 0..<users - 3 {
      for target in 0..<users where target != source && random.below(3) == 0 {
        let second = random.below(9)
        let edge = EdgeChange(
          .follow, UserID(Int64(source + 1)), Int64(target + 1), at: Timestamp(Int64(second) * 1_000 + 5))
        guard case .taken = try collector.take(edge, place: 1, state) else { throw KithError.readOnly }
        degrees[source] += 1
        elements.append(UInt64(target) << 32 | UInt64(second))
      }
    }
    let (lists, repeated) = try collector.lists(userCount: users, workers: 2)
    #expect(repeated.count == 0)
    #expect(lists.degrees == degrees)
    var (source, start) = (0, 0)
    while source < users {
      let sources = source..<min(users, source + 1 + random.below(9))
      let count = Int(degrees[sources].reduce(0, +))
      var buffer = [UInt64](repeating: 0, count: count)
      var span = buffer.mutableSpan
      try lists.fill(sources, start..<start + count, &span)
      #expect(buffer == Array(elements[start..<start + count]), "seed \(seed)")
      (source, start) = (sources.upperBound, start + count)
    }
    #expect(start == elements.count && start > 500)
  }

  @Test("Rows in any order are the edges added one by one, on disk where they are many", arguments: 1...8)
  func anyOrder(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("kith-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let ids = 60 + random.below(200)
    let together = makeUnblocked(users: ids, isCompact: seed.isMultiple(of: 2))
    let singly = makeUnblocked(users: ids, isCompact: false)
    // Buffers on disk; buffers in memory; buckets that are full.
    let sizes = EdgeSorter.Sizes(
      bucketCount: 1 + random.below(20), bufferEdgeCount: seed % 4 == 1 ? 100_000 : 1 + random.below(30),
      bucketEdgeCount: seed % 4 == 3 ? 200 : 1_000_000)
    for kind in [RelationKind.like, .follow] {
      let columns = Columns(count: 3_000, ids: ids, &random)
      // As exported, up to a place.
      let ordered = random.below(2) * random.below(1_000)
      let order =
        columns.sources[..<ordered].indices.sorted {
          (columns.sources[$0], columns.targets[$0]) < (columns.sources[$1], columns.targets[$1])
        } + Array(ordered..<3_000)
      var (added, repeated, refused) = (Set<Int>(), EdgeSorter.Repeated(), [String]())
      let later = UserID(9_000)
      try together.bulk { (batch) throws(KithError) in
        batch.progress.collector = EdgeCollector(
          kind, directory: directory, pieceElementCount: 1 + random.below(40), sizes)
        for (place, index) in order.enumerated() {
          if place == 2_000, kind == .follow {
            _ = try batch.importRow(.addUser(id: later, username: "later"), place: 1)
          }
          do throws(KithError) {
            let row = columns.change(kind, index, later: place >= 2_000 && kind == .follow ? later : nil)
            if try batch.importRow(row, place: place + 1) { added.insert(place) }
          } catch {
            refused.append("\(place): \(error)")
          }
        }
        let rows = try batch.endEdges()
        repeated = EdgeSorter.Repeated(count: rows.count, firstPlace: rows.firstPlace)
      }
      var (expected, errors) = (Set<Int>(), [String]())
      for (place, index) in order.enumerated() {
        if place == 2_000, kind == .follow { try singly.apply(.addUser(id: later, username: "later")) }
        do throws(KithError) {
          let row = columns.change(kind, index, later: place >= 2_000 && kind == .follow ? later : nil)
          if try singly.apply(row).didChange { expected.insert(place) }
        } catch {
          errors.append("\(place): \(error)")
        }
      }
      #expect(refused == errors && !errors.isEmpty, "seed \(seed)")
      #expect(added.isSuperset(of: expected) && added.count - repeated.count == expected.count, "seed \(seed)")
      #expect(repeated.count > 0 && added.subtracting(expected).min() == repeated.firstPlace - 1, "seed \(seed)")
      #expect(together.read { $0.verify() } == [], "seed \(seed)")
      let (state, other) = (together.pin(), singly.pin())
      #expect(GraphDigest.of(state.view.state) == GraphDigest.of(other.view.state), "seed \(seed)")
      #expect(backward(state.view.state[kind]) == backward(other.view.state[kind]), "seed \(seed)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
  }

  @Test("A directory that cannot be written ends an import whose edges do not fit in memory, with the path")
  func noScratch() throws {
    var random = SeededRandom(seed: 3)
    let graph = makeUnblocked(users: 60, isCompact: false)
    let columns = Columns(count: 3_000, ids: 60, &random)
    let error = #expect(throws: KithError.self) {
      try graph.bulk { (batch) throws(KithError) in
        batch.progress.collector = EdgeCollector(
          .follow, directory: "/proc", EdgeSorter.Sizes(bucketCount: 4, bufferEdgeCount: 10))
        for index in columns.sources.indices {
          do throws(KithError) {
            _ = try batch.importRow(columns.change(.follow, index, later: nil), place: index)
          } catch {
            if error.code == "system" { throw error }
          }
        }
      }
    }
    #expect(error.map { "\($0)" }?.contains("/proc/snap-scratch-") == true)
  }

  private func makeUnblocked(users: Int, isCompact: Bool) -> SocialGraph {
    var options = SocialGraph.Options()
    options.compactLists = isCompact
    let graph = SocialGraph(options: options)
    for id in 1...users {
      let user = UserID(Int64(id + 1 ^ 1))
      _ = try? graph.addUser("user \(id)", id: user)
      _ = try? graph.addPost("post \(id)", by: user, id: PostID(Int64(id)), createdAt: Timestamp(1))
    }
    return graph
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

  @Test("An import that a limit ends has not passed it, and its store opens again", arguments: ListForm.allCases)
  func storeAtLimit(form: ListForm) throws {
    let directory = try TemporaryDirectory()
    var random = SeededRandom(seed: 11)
    var options = SocialGraph.Options { $0.durability = .flushed }
    options.compactLists = form == .compact
    let full = try SocialGraph.open(directory.file("store"), options: options)
    full.bulk { batch in
      for id in 1...1_000 as ClosedRange<Int64> {
        _ = try? batch.importChange(.addUser(id: UserID(id), username: "user \(id)"))
      }
    }
    try full.snapshot()
    let limit = full.read { $0.memoryReport().byteCount } + (400 << 10)
    try full.close()
    options.maximumByteCount = limit
    let graph = try SocialGraph.open(directory.file("store"), options: options)
    // As the C library does it: what came before the limit stays.
    let error = graph.bulk { batch -> KithError? in
      do throws(KithError) {
        for _ in 0..<200_000 {
          let (source, target) = (1 + random.below(1_000), 1 + random.below(1_000))
          if source == target { continue }
          _ = try batch.importChange(.follow(as: UserID(Int64(source)), target: UserID(Int64(target)), at: 1_000))
        }
        return nil
      } catch {
        return error
      }
    }
    #expect(error?.code == "limitExceeded")
    try graph.snapshot()
    let (byteCount, counts) = graph.read { ($0.memoryReport().byteCount, $0.counts) }
    #expect(counts.users == 1_000 && counts.follows > 10_000)
    // The lists of followers were built at the end: a third of what the follows take.
    #expect((limit - (250 << 10)...limit + (64 << 10)).contains(byteCount), "\(byteCount) of \(limit)")
    try graph.close()
    let again = try SocialGraph.open(directory.file("store"), options: options)
    #expect(again.read { $0.counts } == counts && again.read { $0.verify() } == [])
    try again.close()
  }

  private func backward(_ relation: borrowing Adjacency) -> [[UInt32]] {
    (0..<relation.backward.count).map { relation.sources(of: UInt32($0)) }
  }
}
