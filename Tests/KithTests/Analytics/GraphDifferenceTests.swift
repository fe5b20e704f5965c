import Testing

@testable import Kith

/// Differences of two states, against sets of their rows.
@Suite struct GraphDifferenceTests {
  private static let schema = SocialGraph.Schema([
    Relation("friend", from: .user, to: .user, isEndedBy: ["block"]),
    Relation("bookmark", from: .user, to: .post),
  ])

  /// The rows of a state: users with their names, posts, and edges by relation.
  private struct Rows {
    var names: [UserID: String] = [:]
    var posts: Set<PostID> = []
    var edges: [String: Set<[Int64]>] = [:]

    init(_ view: borrowing GraphView) {
      view.forEachUser { id, name, _ in names[id] = name }
      view.forEachPost { post, _, _, _, _, _ in posts.insert(post) }
      for kind in RelationKind.allCases {
        view.forEachEdge(of: kind) { source, target, _ in
          edges[kind.facts.name, default: []].insert([source.rawValue, target])
        }
      }
      for relation in schema.relations {
        view.forEachEdge(ofDeclared: relation.name) { _, source, target, _ in
          edges[relation.name, default: []].insert([source, target])
        }
      }
    }
  }

  private static func ids(_ edge: GraphDifference.Edge) -> [Int64] {
    [edge.source, edge.target].map { end in
      switch end {
      case .user(let user): user.id.rawValue
      case .post(let post): post.id.rawValue
      }
    }
  }

  private static func change(_ random: inout SeededRandom, of graph: SocialGraph) {
    func user() -> UserID { UserID(Int64(random.below(40)) + 1) }
    func post() -> PostID { PostID(Int64(random.below(60)) + 1) }
    let change: Change =
      switch random.below(12) {
      case 0: .addUser(username: "user \(random.below(1_000))")
      case 1: .renameUser(user(), to: "name \(random.below(1_000))")
      case 2: random.below(4) == 0 ? .removeUser(user()) : .removePost(post())
      case 3, 4: .follow(as: user(), target: user())
      case 5: .unfollow(as: user(), target: user())
      case 6: .addPost(by: user(), text: "text")
      case 7: .like(as: user(), post: post())
      case 8: random.below(3) == 0 ? .block(as: user(), target: user()) : .mute(as: user(), target: user())
      case 9: .addEdge(schema.relations[0], from: .user(user()), to: .user(user()))
      case 10: .removeEdge(schema.relations[0], from: .user(user()), to: .user(user()))
      default: .addEdge(schema.relations[1], from: .user(user()), to: .post(post()))
      }
    // Many are refused: of users who are gone, or across a block.
    _ = try? graph.apply(change)
  }

  @Test("Every list is the difference of the rows, with its number and no more items than asked for")
  func random() throws {
    for seed in 1...UInt64(12) {
      var random = SeededRandom(seed: seed)
      let graph = SocialGraph(schema: Self.schema)
      for _ in 0..<400 { Self.change(&random, of: graph) }
      let before = graph.pin()
      for _ in 0..<(seed == 1 ? 0 : 300) { Self.change(&random, of: graph) }
      let after = graph.pin()
      let (old, new) = (Rows(before.view), Rows(after.view))
      for limit in [1_000, 3, 0] {
        let found = try GraphDifference(from: before.view, to: after.view, limit: limit)
        let (joined, left) = (
          Set(new.names.keys).subtracting(old.names.keys), Set(old.names.keys).subtracting(new.names.keys)
        )
        let renamed = new.names.filter { old.names[$0.key] != nil && old.names[$0.key] != $0.value }
        #expect(found.joined.count == joined.count && found.left.count == left.count)
        #expect(found.renamed.count == renamed.count)
        #expect(found.joined.items.map(\.id) == Array(joined.sorted(by: >).prefix(limit)))
        #expect(found.left.items.allSatisfy { old.names[$0.id] == $0.username && left.contains($0.id) })
        for item in found.renamed.items {
          #expect(old.names[item.id] == item.before && renamed[item.id] == item.username)
        }
        #expect(found.posted.count == new.posts.subtracting(old.posts).count)
        #expect(found.removedPosts.count == old.posts.subtracting(new.posts).count)
        let names = Set(old.edges.keys).union(new.edges.keys)
        for name in names {
          let lists = found.edges.first { $0.relation == name }
          let added = (new.edges[name] ?? []).subtracting(old.edges[name] ?? [])
          let ended = (old.edges[name] ?? []).subtracting(new.edges[name] ?? [])
          #expect(lists?.added.count ?? 0 == added.count && lists?.ended.count ?? 0 == ended.count, "\(seed) \(name)")
          guard limit == 1_000, let lists else { continue }
          #expect(Set(lists.added.items.map(Self.ids)) == added && Set(lists.ended.items.map(Self.ids)) == ended)
        }
        #expect(found.edges.allSatisfy { $0.added.items.count <= limit && $0.ended.items.count <= limit })
      }
    }
  }

  @Test("A name in another normalisation is another name")
  func normalisation() throws {
    let graph = SocialGraph()
    let user = try graph.addUser("ren\u{E9}e")
    let before = graph.pin()
    try graph.renameUser(user, to: "rene\u{301}e")
    let after = graph.pin()
    let found = try GraphDifference(from: before.view, to: after.view, limit: 1)
    #expect(found.renamed.count == 1 && found.renamed.items.first?.id == user)
    #expect(Array(found.renamed.items.first?.before.utf8 ?? "".utf8) == Array("ren\u{E9}e".utf8))
  }

  @Test("A cancelled comparison throws")
  func cancelled() throws {
    let graph = SocialGraph()
    _ = try graph.addUser("ann")
    let control = PassControl()
    control.cancel()
    let pin = graph.pin()
    #expect(throws: KithError.cancelled) {
      try GraphDifference(from: pin.view, to: pin.view, limit: 1, control: control)
    }
  }
}
