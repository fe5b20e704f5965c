/// One search of posts as it is made: what is asked for, by whom, and what was found so far.
///
/// First a walk from the newest post on: what is common fills its page before an index could be asked. Where little is
/// found, the index tells which posts may answer (`PostFinder+Index`). Whether they do is always told by the post.
struct PostFinder: ~Copyable {
  /// Posts looked at before the index is asked, and between two looks at how it goes.
  private static let stride = 16
  /// A walk goes on while at least one post of so many answers.
  private static let sparsity = 10

  let terms: Terms
  let author: UInt32?
  /// Whose followees the authors must be.
  let among: UInt32?
  let sight: GraphView.Sight
  let limit: Int
  private let low: PostKey
  /// Posts at and behind it were looked at, or are not asked for.
  private(set) var high: PostKey
  var found: NewestPosts
  private var place: PackedLists<UInt32>.Position?
  private var visitedCount = 0
  var work = SearchWork()
  private var keys = KeyBuffer(capacity: 256)

  init(
    terms: Terms, author: UInt32?, among: UInt32?, sight: GraphView.Sight, low: PostKey, high: PostKey, limit: Int
  ) {
    self.terms = terms
    self.author = author
    self.among = among
    self.sight = sight
    self.low = low
    self.high = high
    self.limit = limit
    found = NewestPosts(limit: limit, bound: low)
  }

  /// The newest posts that answer, newest first. Errors: `cancelled`.
  consuming func rows(_ state: borrowing GraphState) throws(KithError) -> [UInt32] {
    let isIndexed = state.posts.index.isWhole && !(terms.isEmpty && among == nil)
    if try !walk(state, atLeast: isIndexed ? Self.stride : .max) { try askIndex(state) }
    return found.rows()
  }

  /// Goes on from the newest post that was not looked at to older ones. True when nothing is left to be found; false
  /// when so many posts were looked at and few of them answered.
  mutating func walk(_ state: borrowing GraphState, atLeast count: Int) throws(KithError) -> Bool {
    if let author { return try walk(state, state.posts.byAuthor, list: Int(author), atLeast: count) }
    return try walk(state, state.posts.all, list: 0, atLeast: count)
  }

  private mutating func walk(
    _ state: borrowing GraphState, _ lists: borrowing PackedLists<UInt32>, list: Int, atLeast count: Int
  ) throws(KithError) -> Bool {
    var place = place ?? lists.partitionPoint(of: list) { state.posts.isBefore($0, high) }
    let end = visitedCount.addingReportingOverflow(count)
    defer { self.place = place }
    while found.count < limit, let (row, position) = lists.element(before: place, of: list) {
      place = position
      let key = state.posts.key(row)
      if key <= low { return true }
      high = key
      if matches(row, state) { found.add(key, row) }
      if !work.goesOn() { throw .cancelled }
      visitedCount += 1
      if visitedCount % Self.stride == 0, !end.overflow, visitedCount >= end.partialValue,
        found.count * Self.sparsity < visitedCount
      {
        return false
      }
    }
    return true
  }

  /// Looks at a post that may answer, from anywhere in the order. True when it was taken.
  @discardableResult
  mutating func offer(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    guard state.posts.isLive(row) else { return false }
    let key = state.posts.key(row)
    guard key < high, key > found.bound, matches(row, state) else { return false }
    found.add(key, row)
    return true
  }

  private mutating func matches(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    let writer = state.posts.authors[row]
    if let author, writer != author { return false }
    if sight.hides(writer, state) { return false }
    if let among, !state.follows.contains(among, writer) { return false }
    if terms.isEmpty { return true }
    let left = terms.missing(terms.all, in: state.posts.texts.bytes(Int(row)), &keys)
    return left == 0 || missing(left, inNameOf: writer, state) == 0
  }

  /// Of the words still to be found, those that do not stand in a user's name.
  mutating func missing(_ wanted: UInt64, inNameOf user: UInt32, _ state: borrowing GraphState) -> UInt64 {
    terms.missing(wanted, in: state.users.names.bytes(Int(user)), &keys)
  }
}
