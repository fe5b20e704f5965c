/// The edges of one kind as whole lists, for seeding and importing: those of each source, targets ascending.
package struct BulkLists: Sendable {
  /// The number of edges of each row of a user.
  let degrees: [UInt32]
  /// Writes the edges of some adjacent users, a range among all in order, into a buffer: row of the target in the high
  /// word, second in the low word. Called on many threads.
  let fill: Fill

  package typealias Fill =
    @Sendable (
      _ users: Range<Int>, _ edges: Range<Int>, _ buffer: inout MutableSpan<UInt64>
    ) throws(KithError) -> Void

  /// Targets must exist, ascend strictly within a list, and not be the source.
  package init(degrees: [UInt32], fill: @escaping Fill) {
    self.degrees = degrees
    self.fill = fill
  }
}

/// Bulk loads: indexes, backward lists and lists of posts wait for their end.
extension GraphState {
  mutating func beginBulk() {
    users.deferSearch()
    posts.deferLists()
    posts.deferIndex()
    deferBackward()
  }

  mutating func endBulk(workers: Int) {
    users.buildSearch()
    posts.endDeferringLists()
    posts.endDeferringIndex()
    buildBackward(workers: workers)
  }

  /// Adds all edges of a kind that has none yet, during a bulk load. Each counts as one change.
  /// - Throws: what the lists throw when they are filled. No edge is added then.
  /// - Complexity: O(edges).
  mutating func addEdges(_ kind: RelationKind, _ lists: BulkLists, workers: Int) throws(KithError) {
    let targetCount = targetRowCount(of: kind)
    precondition(lists.degrees.count == users.rowCount, "every user has a list")
    try modify(kind) { (relation) throws(KithError) in
      precondition(relation.count == 0, "whole lists replace no edges")
      relation = try Adjacency(
        degrees: lists.degrees, targetCount: targetCount, workers: workers, form: relation.form,
        targetsPerBlock: relation.backward.listsPerBlock, filling: lists.fill)
    }
    sequence += UInt64(self[kind].count)
  }
}
