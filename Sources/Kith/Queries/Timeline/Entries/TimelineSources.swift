/// The sources of a timeline, by rows, and who is left out of it. A class, so that a merge that asks it for each entry
/// counts one reference, not those of all its lists.
final class TimelineSources: Sendable {
  private enum Members: Sendable {
    /// The targets of some relations, each in use, of a user or a post.
    case targets([RelationKind], of: UInt32)
    /// Ascending.
    case rows([UInt32])
    case everyone
  }

  let own: UInt32
  let visibility: Visibility
  private let members: Members
  /// Whether nothing enters by others than the authors of posts.
  let areAuthorsAlone: Bool
  private let includesOwn: Bool
  private let hasMutes: Bool
  /// The declared relations by which the user leaves others out.
  private let hiding: [RelationKind]
  /// Those by which the user leaves out reposts of others.
  private let silencing: [RelationKind]

  /// - Throws: `unknownUser`, `unknownPost`, `unknownRelation`, `invalidRequest`.
  /// - Parameter authors: the authors of posts, ascending by row, in place of the sources that are asked for.
  init(
    _ user: UserID, _ query: TimelineQuery, authors: [UInt32]? = nil, _ state: borrowing GraphState
  ) throws(KithError) {
    areAuthorsAlone = authors != nil
    visibility = try Visibility(of: user, state)
    own = try state.userRow(user)
    let row = own
    var isProfile = false
    switch query.sources {
    case .followees: members = authors.map { .rows($0) } ?? .targets([.follow], of: own)
    case .targets(let relations):
      if relations.count > SocialGraph.Limits.relationCount {
        throw .invalidRequest(.detailCount(relations.count))
      }
      var kinds: [RelationKind] = []
      for relation in relations {
        let kind = try Self.kind(relation, from: .user, state)
        if state.isInUse(kind) && !kinds.contains(kind) { kinds.append(kind) }
      }
      members = .targets(kinds, of: own)
    case .members(let relation, let post):
      let kind = try Self.kind(relation, from: .post, state)
      let list = try visibility.row(of: post, state)
      let visible = state.relations[kind].visibility
      if !state.isInUse(kind) {
        members = .rows([])
      } else if visible == .everyone || state.posts.authors[list] == row {
        members = .targets([kind], of: list)
      } else {
        members = .rows(visible == .ends && state[kind].contains(list, row) ? [row] : [])
      }
    case .users(let users):
      try SocialGraph.Limits.check(idCount: users.count)
      members = .rows(Set(users).compactMap { state.users.row(of: $0) }.sorted())
    case .author(let author):
      members = .rows([try visibility.row(of: author, state)])
      isProfile = true
    case .everyone: members = .everyone
    }
    includesOwn = query.includesOwnPosts && !isProfile
    if isProfile {
      (hasMutes, hiding, silencing) = (false, [], [])
    } else {
      hasMutes = state.mutes.targetCount(own) > 0
      // Over two hops, mutes and blocks act alone.
      hiding = authors == nil ? state.relations.hiding.timeline.filter { state.targetCount($0, row) > 0 } : []
      silencing = state.relations.hiding.reposts.filter { state.targetCount($0, row) > 0 }
    }
  }

  private static func kind(
    _ relation: Relation, from end: Relation.End, _ state: borrowing GraphState
  ) throws(KithError) -> RelationKind {
    let known = try state.relations.known(relation)
    guard known.source == end, known.target == .user, let kind = known.kind else {
      throw .invalidRequest(.timelineSources(relation: known.name, needed: "a \(end) to a user"))
    }
    return kind
  }

  var isEveryone: Bool { if case .everyone = members { true } else { false } }

  /// Whether a user's posts are left out: across a block, or hidden from timelines.
  @inline(__always)
  func leavesOut(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    if row == own { return false }
    if visibility.hides(row, state) || hasMutes && state.mutes.contains(own, row) { return true }
    return !hiding.isEmpty && hasEdge(hiding, to: row, state)
  }

  /// Whether an edge of one of some relations leads from the user to another.
  @inline(never)
  private func hasEdge(_ kinds: [RelationKind], to row: UInt32, _ state: borrowing GraphState) -> Bool {
    for kind in kinds where state.hasEdge(kind, own, row) { return true }
    return false
  }

  /// Whether what a user reposted is left out: hidden, or of a private user whom the user does not follow.
  @inline(__always)
  func silences(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    !silencing.isEmpty && hasEdge(silencing, to: row, state) || state.users.privateCount > 0 && isClosed(row, state)
  }

  @inline(never)
  private func isClosed(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    row != own && state.users.isPrivate(row) && !state.follows.contains(own, row)
  }

  /// Whether a user is a source.
  func contains(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    if row == own && includesOwn { return true }
    return isMember(row, state) && !leavesOut(row, state)
  }

  private func isMember(_ row: UInt32, _ state: borrowing GraphState) -> Bool {
    switch members {
    case .targets(let kinds, let node):
      for kind in kinds where state.hasEdge(kind, node, row) { return true }
      return false
    case .rows(let rows):
      var (low, high) = (0, rows.count)
      while low < high {
        let middle = (low + high) / 2
        if rows[middle] < row { low = middle + 1 } else { high = middle }
      }
      return low < rows.count && rows[low] == row
    case .everyone: return true
    }
  }

  /// How many they are, with those left out.
  func memberCount(_ state: borrowing GraphState) -> Int {
    switch members {
    case .targets(let kinds, let node): kinds.reduce(1) { $0 + state.targetCount($1, node) }
    case .rows(let rows): rows.count + 1
    case .everyone: state.users.count
    }
  }

  /// Calls `body` with each user who may be a source, also with those left out, each once, if an element of a column
  /// reaches a bar. `body` returns the new bar.
  /// - Precondition: not everyone is a source.
  @inline(__always)
  func forEach(
    _ state: borrowing GraphState, in column: borrowing Column<UInt32>, reaching bar: UInt32,
    _ body: (_ row: UInt32, _ element: UInt32) -> UInt32
  ) {
    var bar = bar
    func add(_ row: UInt32, _ column: borrowing Column<UInt32>) {
      let element = column[row]
      if element >= bar { bar = body(row, element) }
    }
    switch members {
    case .targets(let kinds, let node):
      for (place, kind) in kinds.enumerated() {
        state[kind].forward.forEachRun(of: Int(node)) { edges in
          column.forEach(highWordsOf: edges, reaching: bar) { row, element in
            let isNew = place == 0 || !kinds[..<place].contains { state.hasEdge($0, node, row) }
            if isNew { bar = body(row, element) }
            return bar
          }
        }
      }
    case .rows(let rows): for row in rows { add(row, column) }
    case .everyone: preconditionFailure("all posts are one list")
    }
    if includesOwn && !isMember(own, state) { add(own, column) }
  }

  /// Adds all users who may be sources to a filter.
  func insert(into filter: inout RowBloomFilter, _ state: borrowing GraphState) {
    filter.clear(forCount: memberCount(state))
    switch members {
    case .targets(let kinds, let node): for kind in kinds { filter.insert(targetsOf: node, in: state[kind]) }
    case .rows(let rows): for row in rows { filter.insert(row) }
    case .everyone: preconditionFailure("all posts are one list")
    }
    filter.insert(own)
  }

  /// Of at most so many given users the posts are watched one by one.
  private static let watchedCount = 32

  /// What a source shows: posts, reposts and tags.
  private static func watched(_ user: UserID) -> [QueryDependency] {
    [.posts(by: user), .declaredEdges(of: .user(user))]
  }

  /// What the sources depend on.
  static func dependencies(of user: UserID, _ query: TimelineQuery) -> [QueryDependency] {
    switch query.sources {
    case .followees: [.timeline(of: user), .followees(of: user)]
    case .targets: [.anyPost, .anyEntry] + QueryDependency.anyEdges(of: .user(user))
    case .members(_, let post): [.anyPost, .anyEntry] + QueryDependency.anyEdges(of: .post(post))
    case .users(let users) where users.count <= watchedCount:
      (users + (query.includesOwnPosts ? [user] : [])).flatMap(watched)
    case .author(let author): watched(author)
    case .users: [.anyPost, .anyEntry]
    case .everyone: [.anyPost]
    }
  }
}
