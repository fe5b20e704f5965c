/// Conversations: the parent and the root of each post, and the posts of each root.
///
/// A removed post keeps its parent and its root, so that what was said in reply stays where it is. The table is made
/// with the first reply: a graph without replies has none.
struct ThreadTable: ~Copyable, Sendable {
  /// In place of a row: a post without a parent, which is its own root.
  static let none = UInt32.max
  static let rootsPerBlock = 16

  /// By row of a post: that of the post that it replies to.
  private(set) var parents: Column<UInt32>
  /// By row of a post: the first of its ancestors.
  private var roots: Column<UInt32>
  /// The posts of each root that are not removed, oldest first, with the root itself. Empty without replies.
  private(set) var lists: PackedLists<UInt32>

  /// A table of posts without replies.
  init(postCount: Int) {
    parents = Column()
    parents.grow(to: postCount, filledWith: Self.none)
    roots = Column()
    roots.grow(to: postCount, filledWith: Self.none)
    lists = PackedLists(
      listsPerBlock: Self.rootsPerBlock, degrees: [UInt32](repeating: 0, count: postCount), elements: [])
  }

  private init(
    parents: consuming Column<UInt32>, roots: consuming Column<UInt32>, lists: consuming PackedLists<UInt32>
  ) {
    self.parents = parents
    self.roots = roots
    self.lists = lists
  }

  mutating func pin() -> ThreadTable { ThreadTable(parents: parents.pin(), roots: roots.pin(), lists: lists.pin()) }

  var byteCount: Int { parents.byteCount + roots.byteCount + lists.byteCount }

  /// The row of the post that a post replies to; nil for one that replies to none.
  func parent(of row: UInt32) -> UInt32? { parents[row] == Self.none ? nil : parents[row] }

  /// The row of the first of a post's ancestors; its own without one.
  func root(of row: UInt32) -> UInt32 { roots[row] == Self.none ? row : roots[row] }

  /// Calls `body` with the posts of a root, until it answers false: ascending from a place on, or descending from
  /// before it; from the end of the order without a place.
  func forEach(
    of root: UInt32, from place: PackedLists<UInt32>.Position?, isAscending: Bool, _ body: (UInt32) -> Bool
  ) {
    let (list, runCount) = (Int(root), lists.runCount(of: Int(root)))
    if isAscending {
      for run in (place?.run ?? 0)..<max(place?.run ?? 0, runCount) {
        let rows = lists.run(run, of: list)
        for index in (run == place?.run ? place?.offset ?? 0 : 0)..<rows.count where !body(rows[index]) { return }
      }
    } else {
      for run in stride(from: min(place?.run ?? runCount, runCount - 1), through: 0, by: -1) {
        let rows = lists.run(run, of: list)
        for index in (0..<(run == place?.run ? place?.offset ?? 0 : rows.count)).reversed() where !body(rows[index]) {
          return
        }
      }
    }
  }

  // MARK: - Changing

  /// Appends a new post, which replies to none.
  mutating func appendRow() {
    parents.append(Self.none)
    roots.append(Self.none)
    lists.appendList()
  }

  /// Makes a new post a reply.
  mutating func setParent(_ parent: UInt32, of row: UInt32, _ posts: borrowing PostTable) {
    let root = root(of: parent)
    // Who has no list yet is their own root, and alone in it.
    if lists.count(of: Int(root)) == 0 { insert(parent, in: root, posts) }
    (parents[row], roots[row]) = (parent, root)
    insert(row, in: root, posts)
  }

  private mutating func insert(_ row: UInt32, in root: UInt32, _ posts: borrowing PostTable) {
    lists.insert(row, in: Int(root), at: posts.place(of: posts.key(row), in: lists, list: Int(root)))
  }

  /// Takes a post that is about to be removed out of its list.
  mutating func remove(_ row: UInt32, _ posts: borrowing PostTable) {
    let (list, key) = (Int(root(of: row)), posts.key(row))
    let place = lists.partitionPoint(of: list) { posts.isBefore($0, key) }
    if let (found, position) = lists.element(atOrAfter: place, of: list), found == row {
      lists.remove(from: list, at: position)
    }
  }
}

// MARK: - Whole tables

extension ThreadTable {
  /// Builds a table from the parents of a snapshot, each of a lower row than its replies.
  /// - Complexity: O(posts).
  init(parents: consuming Column<UInt32>, _ posts: borrowing PostTable) {
    let count = parents.count
    var roots = Column<UInt32>()
    roots.grow(to: count, filledWith: Self.none)
    var hasReplies = [Bool](repeating: false, count: count)
    for row in 0..<UInt32(count) where parents[row] != Self.none {
      let parent = parents[row]
      let root = roots[parent] == Self.none ? parent : roots[parent]
      roots[row] = root
      hasReplies[Int(root)] = true
    }
    self.init(parents: parents, roots: roots, lists: PackedLists(listsPerBlock: Self.rootsPerBlock))
    var degrees = [UInt32](repeating: 0, count: count)
    forEachListed(posts, hasReplies) { _, root in degrees[Int(root)] += 1 }
    var ends = [Int](repeating: 0, count: count)
    var total = 0
    for root in degrees.indices {
      ends[root] = total
      total += Int(degrees[root])
    }
    var elements = [UInt32](repeating: 0, count: total)
    forEachListed(posts, hasReplies) { row, root in
      elements[ends[Int(root)]] = row
      ends[Int(root)] += 1
    }
    lists = PackedLists(listsPerBlock: Self.rootsPerBlock, degrees: degrees, elements: elements)
  }

  /// Calls `body` with every post of a conversation and its root, oldest first.
  private func forEachListed(
    _ posts: borrowing PostTable, _ hasReplies: [Bool], _ body: (_ row: UInt32, _ root: UInt32) -> Void
  ) {
    posts.all.forEachRun(of: 0) { rows in
      for index in rows.indices {
        let root = root(of: rows[index])
        if hasReplies[Int(root)] { body(rows[index], root) }
      }
    }
  }

  func checkInvariants(_ posts: borrowing PostTable) -> [String] {
    var problems = lists.checkInvariants("threads")
    if parents.count != posts.rowCount || lists.count != posts.rowCount {
      return problems + ["threads: \(parents.count) rows for \(posts.rowCount) posts"]
    }
    var (replyCount, listedCount) = (0, 0)
    for row in 0..<UInt32(parents.count) {
      if let parent = parent(of: row) {
        if parent >= row { problems.append("threads: \(row) replies to the later \(parent)") }
        if root(of: row) != root(of: parent) { problems.append("threads: \(row) has another root than its parent") }
        if posts.isLive(row) { replyCount += 1 }
      } else if root(of: row) != row {
        problems.append("threads: \(row) has a root but no parent")
      }
      var previous: PostKey?
      lists.forEachRun(of: Int(row)) { rows in
        for index in rows.indices {
          let (post, key) = (rows[index], posts.key(rows[index]))
          if let previous, previous >= key { problems.append("threads: \(post) is out of order") }
          if !posts.isLive(post) || root(of: post) != row { problems.append("threads: \(post) is not of root \(row)") }
          if post != row { listedCount += 1 }
          previous = key
        }
      }
    }
    if replyCount != listedCount { problems.append("threads: \(replyCount) replies, \(listedCount) in lists") }
    return problems
  }
}
