/// Followers, followees, likers, likes, blocks and mutes, page by page.
extension GraphView {
  /// Whom a user follows, with the time of each follow. Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(followees + limit · log limit).
  public func followees(of user: UserID, _ options: ListOptions = ListOptions()) throws(KithError) -> UserPage {
    let sight = try begin(options)
    let own = try visibleUser(user, sight)
    if options.order == .name {
      return try byName(.followeesByName, of: user, own, options, sight)
    }
    let bound = try Self.edge(options.cursor, kind: .followeesNewest, subject: user.rawValue)
    var selection = EdgeSelection(limit: options.limit + 1, after: bound)
    for run in 0..<state.follows.forward.runCount(of: Int(own)) {
      let elements = state.follows.forward.run(run, of: Int(own))
      for index in elements.indices {
        let (second, row) = (Relation.second(elements[index]), Relation.target(elements[index]))
        if !selection.wants(second) || sight.hides(row, state) { continue }
        selection.push(.init(second: second, id: state.users.identifiers.ids[row], row: row))
      }
    }
    return people(selection.best(), options.limit, .followeesNewest, subject: user.rawValue, sight, .followed)
  }

  /// Who follows a user, with the time of each follow. Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(limit · log followees); by name O(followers) or a walk over names, whichever is less.
  public func followers(of user: UserID, _ options: ListOptions = ListOptions()) throws(KithError) -> UserPage {
    let sight = try begin(options)
    let own = try visibleUser(user, sight)
    if options.order == .name {
      return try byName(.followersByName, of: user, own, options, sight)
    }
    var place = state.follows.backward.endPosition(of: Int(own))
    if let bound = try Self.edge(options.cursor, kind: .followersNewest, subject: user.rawValue) {
      place = state.follows.backwardPosition(own, second: bound.second, id: bound.id, ids: state.users.identifiers.ids)
    }
    let rows = sources(of: own, in: state.follows, from: place, isAscending: false, options.limit, sight)
    return people(rows, to: own, in: state.follows, options.limit, .followersNewest, user.rawValue, sight, .followed)
  }

  /// Who likes a post, oldest like first, with the time of each. Errors: `unknownPost`, `unknownUser`,
  /// `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(limit · log likes).
  public func likers(of post: PostID, _ options: ListOptions = ListOptions()) throws(KithError) -> UserPage {
    let sight = try begin(options)
    let row = try visiblePost(post, sight)
    var place = state.likes.backward.startPosition()
    if let bound = try Self.edge(options.cursor, kind: .likers, subject: post.rawValue) {
      place = state.likes.backwardPosition(row, second: bound.second, id: bound.id, ids: state.users.identifiers.ids)
      if let (liker, position) = state.likes.backward.element(atOrAfter: place, of: Int(row)) {
        let found = edge(state.likes, liker, row)
        place = position
        if found.second == bound.second && found.id == bound.id { place.offset += 1 }
      }
    }
    let rows = sources(of: row, in: state.likes, from: place, isAscending: true, options.limit, sight)
    return people(rows, to: row, in: state.likes, options.limit, .likers, post.rawValue, sight, .liked)
  }

  /// What a user likes, newest like first, with the time of each. Errors: `unknownUser`, `invalidRequest`,
  /// `invalidCursor`.
  /// - Complexity: O(likes of the user + limit · log limit).
  public func likes(of user: UserID, _ options: ListOptions = ListOptions()) throws(KithError) -> PostPage {
    let sight = try begin(options)
    let own = try visibleUser(user, sight)
    let bound = try Self.edge(options.cursor, kind: .likes, subject: user.rawValue)
    var selection = EdgeSelection(limit: options.limit + 1, after: bound)
    for run in 0..<state.likes.forward.runCount(of: Int(own)) {
      let elements = state.likes.forward.run(run, of: Int(own))
      for index in elements.indices {
        let (second, row) = (Relation.second(elements[index]), Relation.target(elements[index]))
        if !selection.wants(second) || sight.hides(state.posts.authors[row], state) { continue }
        selection.push(.init(second: second, id: state.posts.identifiers.ids[row], row: row))
      }
    }
    var edges = selection.best()
    let next = Self.cut(&edges, options.limit, .likes, subject: user.rawValue)
    return PostPage(posts(edges.map(\.row), sight, likedSeconds: edges.map(\.second)), next: next)
  }

  /// Whom a user blocks, by id. Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  public func blocked(by user: UserID, _ options: ListOptions = ListOptions()) throws(KithError) -> UserPage {
    try byID(state.blocks, .blocked, user, options)
  }

  /// Whom a user mutes, by id. Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  public func muted(by user: UserID, _ options: ListOptions = ListOptions()) throws(KithError) -> UserPage {
    try byID(state.mutes, .muted, user, options)
  }

  // MARK: - Edges

  private func begin(_ options: ListOptions) throws(KithError) -> Sight {
    try Self.check(limit: options.limit)
    return try sight(of: options.viewer)
  }

  /// Rows of a target's sources from a place on, without those out of sight: as many as a page holds, and one more.
  private func sources(
    of target: UInt32, in relation: borrowing Relation, from place: PackedLists<UInt32>.Position, isAscending: Bool,
    _ limit: Int, _ sight: Sight
  ) -> [UInt32] {
    let list = Int(target)
    var rows: [UInt32] = []
    rows.reserveCapacity(min(limit, relation.sourceCount(target)) + 1)
    let lastRun = isAscending ? relation.backward.runCount(of: list) - 1 : 0
    for run in stride(from: place.run, through: lastRun, by: isAscending ? 1 : -1) {
      let sources = relation.backward.run(run, of: list)
      let start = run == place.run ? place.offset : isAscending ? 0 : sources.count
      for step in 0..<(isAscending ? sources.count - start : start) {
        let row = sources[isAscending ? start + step : start - 1 - step]
        if sight.hides(row, state) { continue }
        relation.forward.prefetchEnd(of: Int(row))
        rows.append(row)
        if rows.count > limit { return rows }
      }
    }
    return rows
  }

  private func edge(_ relation: borrowing Relation, _ source: UInt32, _ target: UInt32) -> EdgeSelection.Edge {
    .init(second: relation.second(source, target) ?? 0, id: state.users.identifiers.ids[source], row: source)
  }

  /// The place of a cursor that holds (second, id).
  private static func edge(
    _ cursor: Cursor?, kind: CursorContent.Kind, subject: Int64
  ) throws(KithError) -> (second: UInt32, id: Int64)? {
    guard let cursor else { return nil }
    let place = try CursorPlace(cursor, kind: kind, subject: subject)
    guard let second = UInt32(exactly: place.first) else { throw .invalidCursor }
    return (second, place.second)
  }

  /// Cuts one edge too many off, and says where to go on.
  private static func cut(
    _ edges: inout [EdgeSelection.Edge], _ limit: Int, _ kind: CursorContent.Kind, subject: Int64
  ) -> Cursor? {
    guard edges.count > limit else { return nil }
    edges.removeLast(edges.count - limit)
    guard let last = edges.last else { return nil }
    return Cursor(CursorPlace(kind: kind, subject: subject, first: Int64(last.second), second: last.id))
  }

  /// A page of sources of a target, of which there may be one too many.
  private func people(
    _ found: [UInt32], to target: UInt32, in relation: borrowing Relation, _ limit: Int, _ kind: CursorContent.Kind,
    _ subject: Int64, _ sight: Sight, _ event: UserRecord.Event
  ) -> UserPage {
    let shown = found.prefix(limit)
    var last: UInt32 = 0
    let records = people(shown) { row, record in
      mark(&record, row, sight)
      record.event = event
      record.second = relation.second(row, target) ?? 0
      last = record.second
    }
    guard found.count > limit, let end = shown.last else { return UserPage(records) }
    let place = CursorPlace(kind: kind, subject: subject, first: Int64(last), second: state.userID(end).rawValue)
    return UserPage(records, next: Cursor(place))
  }

  private func people(
    _ found: [EdgeSelection.Edge], _ limit: Int, _ kind: CursorContent.Kind, subject: Int64, _ sight: Sight,
    _ event: UserRecord.Event
  ) -> UserPage {
    var edges = found
    let next = Self.cut(&edges, limit, kind, subject: subject)
    return UserPage(people(edges, event, sight), next: next)
  }

  private func byID(
    _ relation: borrowing Relation, _ kind: CursorContent.Kind, _ user: UserID, _ options: ListOptions
  ) throws(KithError) -> UserPage {
    let sight = try begin(options)
    let own = try state.userRow(user)
    var last: Int64 = 0
    if let cursor = options.cursor {
      last = try CursorContent(cursor, kind: kind, subject: user.rawValue, numberCount: 1).numbers[0]
    }
    var found: [(id: Int64, row: UInt32)] = []
    for run in 0..<relation.forward.runCount(of: Int(own)) {
      let elements = relation.forward.run(run, of: Int(own))
      for index in elements.indices {
        let row = Relation.target(elements[index])
        let id = state.users.identifiers.ids[row]
        if id > last { found.append((id, row)) }
      }
    }
    found.sort { $0.id < $1.id }
    let page = found.prefix(options.limit)
    var next: Cursor?
    if found.count > options.limit, let end = page.last {
      next = CursorContent(kind: kind, subject: user.rawValue, numbers: [end.id]).cursor
    }
    return UserPage(people(page.lazy.map { $0.row }, sight), next: next)
  }
}

// MARK: - By name

extension GraphView {
  /// Followers or followees in name order: a short list is sorted, a long one found by walking all names.
  private func byName(
    _ kind: CursorContent.Kind, of user: UserID, _ own: UInt32, _ options: ListOptions, _ sight: Sight
  ) throws(KithError) -> UserPage {
    let start: NameKey? =
      if let cursor = options.cursor { try nameKey(cursor, kind: kind, subject: user.rawValue) } else { nil }
    let isFollowers = kind == .followersByName
    let count = isFollowers ? state.follows.sourceCount(own) : state.follows.targetCount(own)
    // A walk passes users / count names for each that it keeps; sorting folds every name of the list.
    let walks = count > 64 && (options.limit + 1) * state.users.count / count < 4 * count
    var rows: [UInt32]
    if walks {
      let everybody = NameQuery(text: "", match: .substring, fold: .loose)
      let search = NameSearch(query: everybody, after: start, limit: options.limit + 1)
      rows = try found(search) { row in
        let isListed = isFollowers ? state.follows.contains(row, own) : state.follows.contains(own, row)
        return isListed && !sight.hides(row, state) ? .take(front: 0) : .leaveOut
      }.map(\.row)
    } else {
      rows = sorted(rows: isFollowers ? followerRows(own) : followeeRows(own), after: start, sight)
    }
    var next: Cursor?
    if rows.count > options.limit {
      rows.removeLast(rows.count - options.limit)
      if let last = rows.last { next = cursor(kind, subject: user.rawValue, byName: last) }
    }
    let edges = rows.map { row in
      let second = isFollowers ? state.follows.second(row, own) : state.follows.second(own, row)
      return EdgeSelection.Edge(second: second ?? 0, id: state.users.identifiers.ids[row], row: row)
    }
    return UserPage(people(edges, .followed, sight), next: next)
  }

  private func cursor(_ kind: CursorContent.Kind, subject: Int64, byName row: UInt32) -> Cursor {
    let name = state.users.names.bytes(of: Int(row)..<Int(row) + 1)
    return CursorContent(kind: kind, subject: subject, numbers: [state.userID(row).rawValue], name: name).cursor
  }

  private func sorted(rows: [UInt32], after start: NameKey?, _ sight: Sight) -> [UInt32] {
    var keyed: [(key: NameKey, row: UInt32)] = []
    for row in rows where !sight.hides(row, state) {
      let key = NameKey(name: Array(state.users.names.string(Int(row)).utf8))
      if let start, !(start < key || start.precedesItsName && start.name == key.name) { continue }
      keyed.append((key, row))
    }
    keyed.sort { $0.key < $1.key }
    return keyed.map(\.row)
  }

  private func followerRows(_ own: UInt32) -> [UInt32] {
    var rows: [UInt32] = []
    for run in 0..<state.follows.backward.runCount(of: Int(own)) {
      let sources = state.follows.backward.run(run, of: Int(own))
      for index in sources.indices { rows.append(sources[index]) }
    }
    return rows
  }

  private func followeeRows(_ own: UInt32) -> [UInt32] {
    var rows: [UInt32] = []
    for run in 0..<state.follows.forward.runCount(of: Int(own)) {
      let elements = state.follows.forward.run(run, of: Int(own))
      for index in elements.indices { rows.append(Relation.target(elements[index])) }
    }
    return rows
  }
}
