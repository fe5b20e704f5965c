/// The newest edges to a user and to their posts, of several relations.
///
/// The lists of edges to the user, and those to each of their posts, are merged on read. A list is opened only if its
/// latest edge may be among the newest: each relation keeps a bound of the times of a few adjacent targets
/// (`Adjacency.latestTimestamp(to:)`). The lists with the latest bounds are opened first; if these are not enough, four
/// times as many follow, from where they ended.
/// A graph without a schema keeps no such bounds when it is opened, and then opens all lists.
/// - Complexity: O(posts of the user · relations) reads of bounds, again for each four times as many lists, and
///   O(lists opened · log edges + edges read). From followees alone, of a list at most as many edges are looked up.
struct IncomingSearch {
  /// An edge, in the order of the page: by time, relation, source, target.
  struct Entry: Comparable, BitwiseCopyable {
    let second: UInt32
    let relation: RelationKind
    /// The id of the user or post that it leads from.
    let source: Int64
    /// The id of the post that it leads to; 0 for the user.
    let target: Int64
    var sourceRow: UInt32 = 0
    var targetRow: UInt32 = 0

    @inline(__always)
    static func < (left: Entry, right: Entry) -> Bool {
      if left.second != right.second { return left.second < right.second }
      if left.relation != right.relation { return left.relation.number < right.relation.number }
      return left.source != right.source ? left.source < right.source : left.target < right.target
    }

    /// The cursor of the page that ends with it.
    func cursor(of user: UserID) -> Cursor {
      let numbers = [Int64(second), Int64(relation.number), source, target]
      return CursorContent(kind: .incoming, subject: user.rawValue, numbers: numbers).cursor
    }
  }

  /// The edges to one post, of one relation.
  private struct Candidate: Comparable, BitwiseCopyable {
    /// None of them is later.
    let bound: UInt32
    let post: UInt32
    let relation: RelationKind

    @inline(__always)
    static func < (left: Candidate, right: Candidate) -> Bool {
      if left.bound != right.bound { return left.bound < right.bound }
      return left.post != right.post ? left.post < right.post : left.relation.number < right.relation.number
    }
  }

  /// How many bounds are fetched before they are read.
  private static let boundsAhead = 32

  let visibility: Visibility
  private let own: UInt32
  private let followedOnly: Bool
  /// The relations in use by which the user hides what others do.
  private let hiding: [RelationKind]
  /// The relations whose edges are shown, each once.
  private let relations: [(kind: RelationKind, facts: Relation)]
  /// The first and the last second that an edge may have; none if the first is greater.
  private let seconds: (first: Int64, last: Int64)
  /// Only edges before this one.
  private let end: Entry?

  /// - Throws: `unknownUser`, `unknownRelation`, `invalidRequest`, `invalidCursor`.
  init(_ user: UserID, _ query: IncomingQuery, _ state: borrowing GraphState) throws(KithError) {
    visibility = try Visibility(of: user, state)
    own = try state.userRow(user)
    followedOnly = query.sources == .followees
    let row = own
    hiding = ([.mute] + state.relations.hiding.incoming).filter { state.isInUse($0) && state[$0].targetCount(row) > 0 }
    relations = try Self.relations(query.relations, state)
    end = try query.cursor.map { (cursor) throws(KithError) in try Entry(cursor, of: user) }
    // Whole seconds whose time is between the bounds.
    let first = query.after.map { $0.rawValue < 0 ? 0 : $0.rawValue / 1_000 + 1 } ?? 0
    let last = query.before.map { $0.rawValue <= 0 ? -1 : ($0.rawValue - 1) / 1_000 } ?? Int64(UInt32.max)
    seconds = (first, min(last, Int64(end?.second ?? .max)))
  }

  /// The relations that are in use and whose edges others than their source see, in the order of their numbers.
  private static func relations(
    _ asked: [Relation]?, _ state: borrowing GraphState
  ) throws(KithError) -> [(kind: RelationKind, facts: Relation)] {
    if let count = asked?.count, count > SocialGraph.Limits.relationCount { throw .invalidRequest(.detailCount(count)) }
    var kinds: Set<UInt8> = []
    for relation in asked ?? state.relations.relations { kinds.insert(try state.relations.kind(of: relation).number) }
    return kinds.sorted().map { RelationKind(number: $0) }
      .filter { state.isInUse($0) && state.relations[$0].visibility != .source }
      .map { ($0, state.relations[$0]) }
  }

  // MARK: - Searching

  /// The newest edges, in descending order.
  func newest(_ limit: Int, _ state: borrowing GraphState) -> [Entry] {
    if seconds.first > seconds.last { return [] }
    var best = TopK<Entry>(limit: limit)
    for (kind, facts) in relations where facts.target == .user {
      push(kind, facts, to: own, id: 0, state[kind], &best, state)
    }
    pushPosts(limit, &best, state)
    return best.sorted()
  }

  private func pushPosts(_ limit: Int, _ best: inout TopK<Entry>, _ state: borrowing GraphState) {
    var count = max(2 * limit, TopK<Candidate>.insertionLimit)
    var last: Candidate?
    while true {
      let found = candidates(count, below: last, state)
      for candidate in found { state[candidate.relation].backward.prefetchHead(of: Int(candidate.post)) }
      for candidate in found {
        // One as late as the last of the page may still be before it.
        if let bar = best.bar, candidate.bound < bar.second { return }
        let (facts, id) = (state.relations[candidate.relation], state.posts.identifiers.ids[candidate.post])
        push(candidate.relation, facts, to: candidate.post, id: id, state[candidate.relation], &best, state)
      }
      guard found.count == count else { return }
      best.select()
      last = found.last
      count *= 4
    }
  }

  /// The lists of edges to the user's posts with the latest bounds, in descending order.
  /// - Parameter last: only those after it.
  private func candidates(_ count: Int, below last: Candidate?, _ state: borrowing GraphState) -> [Candidate] {
    var best = TopK<Candidate>(limit: count)
    for (kind, facts) in relations where facts.target == .post {
      push(kind, below: last, state[kind], state.posts, &best)
    }
    return best.sorted()
  }

  private func push(
    _ kind: RelationKind, below last: Candidate?, _ edges: borrowing Adjacency, _ posts: borrowing PostTable,
    _ best: inout TopK<Candidate>
  ) {
    if edges.count == 0 { return }
    let (least, most) = (UInt32(clamping: seconds.first), UInt32(clamping: seconds.last))
    // From the newest post on, whose edges are mostly the latest: few of the others pass the bar.
    for run in (0..<posts.byAuthor.runCount(of: Int(own))).reversed() {
      let rows = posts.byAuthor.run(run, of: Int(own))
      for index in rows.indices.reversed() {
        if index >= Self.boundsAhead { edges.prefetchLatestTimestamp(to: rows[index - Self.boundsAhead]) }
        let latest = edges.latestTimestamp(to: rows[index])
        if let bar = best.bar, min(latest, most) < bar.bound { continue }
        // Without a bound, only edges of the second 0 can be there.
        if latest < least || latest == 0 && edges.sourceCount(rows[index]) == 0 { continue }
        let candidate = Candidate(bound: min(latest, most), post: rows[index], relation: kind)
        if let last, candidate >= last { continue }
        best.push(candidate)
      }
    }
  }

  /// Adds the edges of a relation to the user, or to one of their posts, newest first, as far as they may be among the
  /// newest.
  private func push(
    _ kind: RelationKind, _ facts: Relation, to target: UInt32, id: Int64, _ edges: borrowing Adjacency,
    _ best: inout TopK<Entry>, _ state: borrowing GraphState
  ) {
    if followedOnly, facts.source == .user, state.follows.targetCount(own) < edges.sourceCount(target) / 4 {
      // Few of the many are followed: these are looked up.
      for source in state.follows.targets(of: own) {
        guard let second = edges.timestamp(source, target).map({ Int64($0) }), second >= seconds.first,
          second <= seconds.last
        else { continue }
        let entry = entry(kind, facts, second, source, target, id, state)
        if let end, entry >= end { continue }
        if shows(source, facts, state) { best.push(entry) }
      }
      return
    }
    // A list of edges with times of their own is in the order of the page. That of others is in the order of posts, of
    // which several can have one second.
    let (list, isOrdered) = (Int(target), facts.hasTime)
    var place = edges.backward.endPosition(of: list)
    if seconds.last < UInt32.max {
      place = edges.backward.partitionPoint(of: list) { source in
        let second = second(edges, isOrdered, source, target, state)
        guard isOrdered, second == seconds.last, let end else { return second <= seconds.last }
        return entry(kind, facts, second, source, target, id, state) < end
      }
    }
    while let (source, position) = edges.backward.element(before: place, of: list) {
      place = position
      let second = second(edges, isOrdered, source, target, state)
      if second < seconds.first { return }
      let entry = entry(kind, facts, second, source, target, id, state)
      if let bar = best.bar, isOrdered ? entry <= bar : second < bar.second { return }
      if let end, entry >= end { continue }
      if shows(source, facts, state) { best.push(entry) }
    }
  }

  @inline(__always)
  private func entry(
    _ kind: RelationKind, _ facts: Relation, _ second: Int64, _ source: UInt32, _ target: UInt32, _ id: Int64,
    _ state: borrowing GraphState
  ) -> Entry {
    let sourceID = facts.source == .user ? state.users.identifiers.ids[source] : state.posts.identifiers.ids[source]
    return Entry(
      second: UInt32(clamping: second), relation: kind, source: sourceID, target: id, sourceRow: source,
      targetRow: target)
  }

  /// The second of an edge. One without a time of its own has that of the post that it leads from.
  @inline(__always)
  private func second(
    _ edges: borrowing Adjacency, _ hasTime: Bool, _ source: UInt32, _ target: UInt32, _ state: borrowing GraphState
  ) -> Int64 {
    hasTime
      ? Int64(edges.timestamp(source, target) ?? 0)
      : min(state.posts.time(source) / 1_000, Int64(UInt32.max))
  }

  /// Whether the edges of a user, or of a post, are shown: not the user's own, nor across a block, nor muted, nor of a
  /// post that the user may not see.
  private func shows(_ source: UInt32, _ facts: Relation, _ state: borrowing GraphState) -> Bool {
    let user = state.user(source, facts.source)
    return user != own && !visibility.hides(user, state)
      && !(facts.source == .post && visibility.leavesOut(source, state))
      && !hiding.contains(where: { state[$0].contains(own, user) })
      && (!followedOnly || state.follows.contains(own, user))
  }
}

extension IncomingSearch.Entry {
  /// The edge that a page ended with.
  /// - Throws: `invalidCursor`.
  fileprivate init(_ cursor: Cursor, of user: UserID) throws(KithError) {
    let numbers = try CursorContent(cursor, kind: .incoming, subject: user.rawValue, numberCount: 4).numbers
    guard let second = UInt32(exactly: numbers[0]), let number = UInt8(exactly: numbers[1]) else {
      throw .invalidCursor
    }
    self.init(second: second, relation: RelationKind(number: number), source: numbers[2], target: numbers[3])
  }
}
