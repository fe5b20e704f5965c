/// Executes a post search: the parameters by row, and the matches so far.
///
/// The first plan scans posts from the newest on: words of few letters fill the page before an index could be read. If
/// few posts match, or all words are longer, the second plan reads candidates from the index
/// (`PostQueryExecutor+Index`). In both plans the predicate is evaluated on the post itself.
struct PostQueryExecutor: ~Copyable {
  /// The number of posts scanned before the index is read, and between two checks of the share of matches.
  private static let stride = 16
  /// A scan continues while at least one in this many posts matches.
  private static let sparsity = 10
  /// The bytes of a term that few words of a dictionary contain, so that looking it up costs less than reading a stride
  /// of posts.
  private static let longByteCount = 4

  let terms: Terms
  let author: UInt32?
  /// The user whose followees the authors must be; nil for any author.
  let among: UInt32?
  let visibility: Visibility
  /// Nil for all posts.
  let scope: PostScope?
  let limit: Int
  let low: PostKey
  /// Posts from this key on were scanned or are out of range.
  var high: PostKey
  var found: NewestPosts
  var place: PackedLists<UInt32>.Position?
  private var visitedCount = 0
  var budget = QueryBudget()
  /// Whether the posts whose text was edited since it was indexed were offered: the index knows an older one.
  var offeredEdited = false
  private var keys = KeyBuffer(capacity: 256)

  init(
    terms: consuming Terms, author: UInt32?, among: UInt32?, visibility: Visibility, scope: PostScope?,
    range: PostRange, limit: Int
  ) {
    self.terms = terms
    self.author = author
    self.among = among
    self.visibility = visibility
    self.scope = scope
    low = range.low
    high = range.high
    self.limit = limit
    found = NewestPosts(limit: limit, bound: range.low)
  }

  /// The newest posts that match, newest first.
  /// - Throws: `cancelled`.
  mutating func rows(_ state: borrowing GraphState) throws(KithError) -> [UInt32] {
    let isIndexed = state.posts.index.isWhole && !(terms.isEmpty && among == nil)
    if isIndexed && beginsWithIndex(state) {
      try searchIndex(state)
    } else if try !walk(state, atLeast: isIndexed ? Self.stride : .max) {
      try searchIndex(state)
    }
    return found.rows()
  }

  /// Whether all words are worth looking up before a post is read, for a filter that covers the newest posts.
  func beginsWithIndex(_ state: borrowing GraphState) -> Bool {
    author == nil && among == nil && state.posts.index.kind == .textsAndAuthors
      && terms.smallestByteCount >= Self.longByteCount
  }

  /// The matches of the words in the text of a post.
  func highlights(in row: UInt32, _ state: borrowing GraphState) -> [Range<Int>] {
    state.posts.texts.withBytes(Int(row)) { Highlights.ranges(of: terms, in: $0) }
  }

  /// Continues the scan from the newest post not yet scanned to older ones.
  /// - Returns: true if the result is complete; false if `count` posts were scanned and few of them matched.
  mutating func walk(_ state: borrowing GraphState, atLeast count: Int) throws(KithError) -> Bool {
    if let author { return try walk(state, state.posts.byAuthor, list: Int(author), atLeast: count) }
    return try walk(state, state.posts.all, list: 0, atLeast: count)
  }

  private mutating func walk(
    _ state: borrowing GraphState, _ lists: borrowing PackedLists<UInt32>, list: Int, atLeast count: Int
  ) throws(KithError) -> Bool {
    var place = place ?? lists.partitionPoint(of: list) { state.posts.isBefore($0, high) }
    // The last of them may end the scan.
    budget.beginPlan(limit: count - 1)
    defer {
      self.place = place
      budget.beginPlan()
    }
    while true {
      if place.offset == 0 {
        if place.run == 0 { return true }
        place.run -= 1
        place.offset = lists.run(place.run, of: list).count
        continue
      }
      let run = lists.run(place.run, of: list)
      let posts = run.extracting(max(0, place.offset - Self.stride)..<place.offset)
      if author == nil && !terms.isEmpty { prefetchAuthors(posts, state) }
      for index in posts.indices.reversed() {
        place.offset -= 1
        let key = state.posts.key(posts[index])
        if key <= low { return true }
        high = key
        if matches(posts[index], state) { found.add(key, posts[index]) }
        if found.count == limit { return true }
        if !budget.takeStep() { throw .cancelled }
      }
      visitedCount += posts.count
      if !budget.take(posts.count), found.count * Self.sparsity < visitedCount { return false }
    }
  }

  /// Prefetches the signatures of the authors of some posts: they are scattered in memory, unlike texts.
  @inline(__always)
  func prefetchAuthors(_ posts: Span<UInt32>, _ state: borrowing GraphState) {
    for index in posts.indices { state.users.digests.prefetchSignature(state.posts.authors[posts[index]]) }
  }

  /// Evaluates the predicate on a candidate; candidates may come in any order.
  /// - Returns: whether the post was added.
  @discardableResult
  mutating func offer(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    guard state.posts.isLive(row) else { return false }
    if offeredEdited && state.posts.index.isEdited(row) { return false }
    let key = state.posts.key(row)
    guard key < high, key > found.bound, matches(row, state) else { return false }
    found.add(key, row)
    return true
  }

  mutating func matches(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    let writer = state.posts.authors[row]
    if let author, writer != author { return false }
    if visibility.hides(writer, state) || visibility.leavesOut(row, state) { return false }
    if let among, !state.follows.contains(among, writer) { return false }
    if let scope, !scope.shows(row, state) { return false }
    if terms.isEmpty { return true }
    let left = state.posts.texts.withBytes(Int(row)) { terms.missing(terms.all, in: $0, &keys) }
    if left == 0 { return true }
    // Most names need not be read.
    if !state.users.digests.signature(writer).mayHold(terms.signature(of: left)) { return false }
    return missing(left, inNameOf: writer, state) == 0
  }

  /// Of the words not yet found, those that a user's name does not contain.
  mutating func missing(_ wanted: UInt64, inNameOf user: UInt32, _ state: borrowing GraphState) -> UInt64 {
    terms.missing(wanted, in: state.users.names.bytes(Int(user)), &keys)
  }
}
