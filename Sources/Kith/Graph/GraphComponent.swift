/// A component of a graph: its users, posts, or one relation. The rows at the ends of an edge belong to it.
package enum GraphComponent: CaseIterable, Hashable, Sendable {
  case users, posts
  case relation(RelationKind)

  package static let follows = GraphComponent.relation(.follow)
  package static let likes = GraphComponent.relation(.like)
  package static let blocks = GraphComponent.relation(.block)
  package static let mutes = GraphComponent.relation(.mute)

  /// In the order of an import: targets before edges, and blocks after the edges that they would refuse.
  package static let allCases: [GraphComponent] =
    [.users, .follows, .posts] + RelationKind.allCases.filter { $0 != .follow }.map { .relation($0) }

  /// The components plus those they require: users for all, and posts for likes.
  package static func closure(of parts: Set<GraphComponent>) -> Set<GraphComponent> {
    parts.union([.users]).union(parts.contains { $0.relation?.facts.target == .post } ? [.posts] : [])
  }

  /// The relation of this component; nil for users and posts.
  package var relation: RelationKind? { if case .relation(let kind) = self { kind } else { nil } }
}

extension GraphComponent: RawRepresentable {
  /// The name, such as `users` or `follows`.
  package var rawValue: String {
    switch self {
    case .users: "users"
    case .posts: "posts"
    case .relation(let kind): kind.plural
    }
  }

  package init?(rawValue: String) {
    guard let part = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = part
  }
}

extension GraphState {
  /// Removes every component that is neither listed nor required, and the edges of declared relations. Ids of removed
  /// posts may be assigned again; ids of users stay reserved.
  /// - Complexity: O(users), and freeing what is removed.
  mutating func keep(_ parts: Set<GraphComponent>) {
    let kept = GraphComponent.closure(of: parts)
    let rowCount = users.rowCount
    if !kept.contains(.posts) {
      posts = PostTable()
      for _ in 0..<rowCount { posts.appendAuthor() }
    }
    for kind in RelationKind.allCases where !kept.contains(.relation(kind)) {
      let targetCount = targetRowCount(of: kind)
      modify(kind) { relation in
        relation = Adjacency(
          sourceCount: rowCount, targetCount: targetCount, form: relation.form,
          hasSparseTargets: kind.facts.target == .post)
      }
    }
    declared = DeclaredEdges()
    if !kept.contains(.follows) { popularity = Popularity(follows) }
    countCards()
  }
}

extension Adjacency {
  /// An empty relation between this many rows.
  init(sourceCount: Int, targetCount: Int, form: ListForm = .plain, hasSparseTargets: Bool = false) {
    self.init(form: form, hasSparseTargets: hasSparseTargets)
    for _ in 0..<sourceCount { appendSource() }
    for _ in 0..<targetCount { appendTarget() }
  }
}
