/// What brings posts into timelines beside their authors: reposts, and edges from posts to users, such as tags.
///
/// Derived of the edges of the relations that enter timelines, in the order of timelines, which that of the edges is
/// not. Made with the first such edge: a graph without them has none.
struct EntryLists: ~Copyable, Sendable {
  static let usersPerBlock = 16

  /// By row of a user: their reposts, oldest first, by second, then by id of the post. The second is in the high word,
  /// the row of the post in the low word.
  private(set) var reposts: PackedLists<UInt64>
  /// By row of a user: the posts that lead to them, oldest first, each once.
  private(set) var tagged: PackedLists<UInt32>
  /// By row of a user: the coarse time of the latest in both lists (`PostTable.coarse`); 0 for none.
  private(set) var newest: Column<UInt32>

  /// Empty lists.
  init(userCount: Int) {
    let degrees = [UInt32](repeating: 0, count: userCount)
    self.init(
      reposts: PackedLists(listsPerBlock: Self.usersPerBlock, degrees: degrees, elements: []),
      tagged: PackedLists(listsPerBlock: Self.usersPerBlock, degrees: degrees, elements: []), newest: Column())
    newest.grow(to: userCount, filledWith: 0)
  }

  private init(
    reposts: consuming PackedLists<UInt64>, tagged: consuming PackedLists<UInt32>, newest: consuming Column<UInt32>
  ) {
    self.reposts = reposts
    self.tagged = tagged
    self.newest = newest
  }

  mutating func pin() -> EntryLists { EntryLists(reposts: reposts.pin(), tagged: tagged.pin(), newest: newest.pin()) }

  var byteCount: Int { reposts.byteCount + tagged.byteCount + newest.byteCount }

  @inline(__always)
  static func post(_ repost: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: repost) }

  /// The time of a repost in milliseconds: whole seconds.
  @inline(__always)
  static func time(_ repost: UInt64) -> Int64 { Int64(repost >> 32) * 1_000 }

  // MARK: - Changing

  /// Appends the lists of a new user.
  mutating func appendUser() {
    reposts.appendList()
    tagged.appendList()
    newest.append(0)
  }

  /// The place of a repost in a list: the first element that is not before it.
  private func place(
    second: UInt32, of post: UInt32, by user: UInt32, _ posts: borrowing PostTable
  ) -> PackedLists<UInt64>.Position {
    let id = posts.identifiers.id(of: post)
    return reposts.partitionPoint(of: Int(user)) { element in
      let other = UInt32(truncatingIfNeeded: element >> 32)
      return other < second || other == second && posts.identifiers.id(of: Self.post(element)) < id
    }
  }

  mutating func addRepost(of post: UInt32, by user: UInt32, second: UInt32, _ posts: borrowing PostTable) {
    let element = UInt64(second) << 32 | UInt64(post)
    reposts.insert(element, in: Int(user), at: place(second: second, of: post, by: user, posts))
    newest[user] = max(newest[user], PostTable.coarse(Self.time(element)))
  }

  mutating func removeRepost(of post: UInt32, by user: UInt32, second: UInt32, _ posts: borrowing PostTable) {
    let place = place(second: second, of: post, by: user, posts)
    guard let (found, position) = reposts.element(atOrAfter: place, of: Int(user)), Self.post(found) == post else {
      return
    }
    reposts.remove(from: Int(user), at: position)
    noteNewest(of: user, posts)
  }

  /// Adds a post that leads to a user, unless it is there by another relation.
  mutating func addTag(of post: UInt32, to user: UInt32, _ posts: borrowing PostTable) {
    let (key, list) = (posts.key(post), Int(user))
    let place = posts.place(of: key, in: tagged, list: list)
    if let (found, _) = tagged.element(atOrAfter: place, of: list), found == post { return }
    tagged.insert(post, in: list, at: place)
    newest[user] = max(newest[user], PostTable.coarse(key.time))
  }

  mutating func removeTag(of post: UInt32, to user: UInt32, _ posts: borrowing PostTable) {
    let (key, list) = (posts.key(post), Int(user))
    let place = tagged.partitionPoint(of: list) { posts.isBefore($0, key) }
    guard let (found, position) = tagged.element(atOrAfter: place, of: list), found == post else { return }
    tagged.remove(from: list, at: position)
    noteNewest(of: user, posts)
  }

  private mutating func noteNewest(of user: UInt32, _ posts: borrowing PostTable) {
    let list = Int(user)
    let repost = reposts.element(before: reposts.endPosition(of: list), of: list).map { Self.time($0.0) }
    let tag = tagged.element(before: tagged.endPosition(of: list), of: list).map { posts.time($0.0) }
    newest[user] = max(repost.map { PostTable.coarse($0) } ?? 0, tag.map { PostTable.coarse($0) } ?? 0)
  }
}

// MARK: - Whole lists

extension EntryLists {
  /// Builds the lists of the edges of a graph.
  /// - Complexity: O(edges · log longest list + posts).
  init(_ state: borrowing GraphState) {
    self.init(userCount: state.users.rowCount)
    if let repost = state.relations.repost, state.declared.has(repost) { build(reposts: state.declared[repost], state) }
    let tags = state.relations.tags.filter { state.declared.has($0) }
    if !tags.isEmpty { build(tags: tags, state) }
    for user in 0..<UInt32(newest.count) { noteNewest(of: user, state.posts) }
  }

  private mutating func build(reposts edges: borrowing Adjacency, _ state: borrowing GraphState) {
    var degrees = [UInt32](repeating: 0, count: newest.count)
    var elements: [UInt64] = []
    elements.reserveCapacity(edges.count)
    for user in degrees.indices {
      let first = elements.count
      edges.forEachTarget(of: UInt32(user)) { post, second in elements.append(UInt64(second) << 32 | UInt64(post)) }
      degrees[user] = UInt32(elements.count - first)
      elements[first...].sort { left, right in
        if left >> 32 != right >> 32 { return left < right }
        return state.posts.identifiers.id(of: Self.post(left)) < state.posts.identifiers.id(of: Self.post(right))
      }
    }
    reposts = PackedLists(listsPerBlock: Self.usersPerBlock, degrees: degrees, elements: elements)
  }

  private mutating func build(tags: [RelationKind], _ state: borrowing GraphState) {
    /// Calls `body` with each user that a post leads to, once.
    func forEachTag(_ body: (_ post: UInt32, _ user: UInt32) -> Void) {
      state.posts.all.forEachRun(of: 0) { rows in
        for index in rows.indices {
          for (place, kind) in tags.enumerated() {
            state.declared[kind].forEachTarget(of: rows[index]) { user, _ in
              if !tags[..<place].contains(where: { state.declared[$0].contains(rows[index], user) }) {
                body(rows[index], user)
              }
            }
          }
        }
      }
    }
    var degrees = [UInt32](repeating: 0, count: newest.count)
    forEachTag { _, user in degrees[Int(user)] += 1 }
    var (ends, total) = ([Int](repeating: 0, count: degrees.count), 0)
    for user in degrees.indices {
      ends[user] = total
      total += Int(degrees[user])
    }
    var elements = [UInt32](repeating: 0, count: total)
    forEachTag { post, user in
      elements[ends[Int(user)]] = post
      ends[Int(user)] += 1
    }
    tagged = PackedLists(listsPerBlock: Self.usersPerBlock, degrees: degrees, elements: elements)
  }

  /// Checks that the lists are those of the edges.
  func checkInvariants(_ state: borrowing GraphState) -> [String] {
    var problems = reposts.checkInvariants("reposts") + tagged.checkInvariants("tags")
    if newest.count != state.users.rowCount || reposts.count != newest.count || tagged.count != newest.count {
      return problems + ["entries: \(newest.count) rows for \(state.users.rowCount) users"]
    }
    let built = EntryLists(state)
    for user in 0..<UInt32(newest.count) {
      if !reposts.isSame(as: built.reposts, list: Int(user)) {
        problems.append("entries: other reposts of row \(user)")
      }
      if !tagged.isSame(as: built.tagged, list: Int(user)) { problems.append("entries: other tags of row \(user)") }
      if newest[user] != built.newest[user] { problems.append("entries: the newest of row \(user) is noted wrongly") }
    }
    return problems
  }
}

extension PackedLists {
  fileprivate func isSame(as other: borrowing PackedLists, list: Int) -> Bool {
    var (elements, others): ([Element], [Element]) = ([], [])
    forEachRun(of: list) { run in for index in run.indices { elements.append(run[index]) } }
    other.forEachRun(of: list) { run in for index in run.indices { others.append(run[index]) } }
    return elements == others
  }
}
