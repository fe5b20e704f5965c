/// A kind of fact that a graph holds; what an edge needs at its ends belongs to it.
package enum GraphPart: String, CaseIterable, Hashable, Sendable {
  case users, follows, posts, likes, blocks, mutes

  /// The parts without which these cannot be: the users for all, and the posts for likes.
  package static func closure(of parts: Set<GraphPart>) -> Set<GraphPart> {
    parts.union([.users]).union(parts.contains(.likes) ? [.posts] : [])
  }
}

extension GraphState {
  /// Leaves out whatever is not of these parts, or needed by them. Ids of users are kept from being given again, those
  /// of posts that are left out are free.
  /// - Complexity: O(users), and what is left out is freed.
  mutating func keep(_ parts: Set<GraphPart>) {
    let kept = GraphPart.closure(of: parts)
    let rowCount = users.rowCount
    if !kept.contains(.posts) {
      posts = PostTable()
      for _ in 0..<rowCount { posts.appendAuthor() }
    }
    if !kept.contains(.likes) { likes = Relation(sourceCount: rowCount, targetCount: posts.rowCount) }
    if !kept.contains(.follows) {
      follows = Relation(sourceCount: rowCount, targetCount: rowCount)
      popularity = Popularity(follows)
    }
    if !kept.contains(.blocks) { blocks = Relation(sourceCount: rowCount, targetCount: rowCount) }
    if !kept.contains(.mutes) { mutes = Relation(sourceCount: rowCount, targetCount: rowCount) }
  }
}

extension Relation {
  /// No edge at all, between so many rows.
  fileprivate init(sourceCount: Int, targetCount: Int) {
    self.init()
    for _ in 0..<sourceCount { appendSource() }
    for _ in 0..<targetCount { appendTarget() }
  }
}
