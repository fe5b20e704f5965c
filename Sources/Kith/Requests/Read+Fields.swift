/// Reads and changes made of the fields of a request, whose names were resolved.
extension Read {
  /// - Returns: nil for a change.
  package init?(_ operation: GraphOperation, _ fields: FieldValues) {
    guard let read = Read(plain: operation, fields) else { return nil }
    let details = fields.details(of: operation)
    self = details.isEmpty ? read : .adding(details, to: read)
  }

  /// Without details.
  private init?(plain operation: GraphOperation, _ fields: FieldValues) {
    func user(_ field: Field) -> UserID { fields.required(field, fields.user) }
    var viewer: UserID? { fields.viewer }
    var includesBlocked: Bool { fields.required(.includeBlocked, fields.flag) }
    var includesAuthors: Bool { fields.required(.authors, fields.flag) }
    var leavesOutMuted: Bool { fields.required(.leaveOutMuted, fields.flag) }
    switch operation.kind {
    case .users: self = .users(named: fields.required(.query, fields.text), UserQuery(fields))
    case .posts: self = .posts(matching: fields.required(.query, fields.text), PostQuery(fields))
    case .timeline: self = .timeline(of: user(.user), TimelineQuery(filtered: fields))
    case .twoHopTimeline: self = .twoHopTimeline(of: user(.user), TimelineQuery(fields))
    case .user: self = .user(user(.user), as: viewer, includesBlocked: includesBlocked)
    case .post: self = .post(fields.required(.post, fields.post), as: viewer, includesAuthors: includesAuthors)
    case .lookup:
      self = .lookup(
        users: fields.users(.users), posts: fields.posts(.posts), as: viewer, includesBlocked: includesBlocked,
        includesAuthors: includesAuthors)
    case .isFollowing: self = .isFollowing(user(.target), as: user(.user))
    case .relations: self = .relations(of: user(.user), to: fields.users(.targets))
    case .likers: self = .likers(of: fields.required(.post, fields.post), ListQuery(fields))
    case .likes:
      var query = ListQuery(fields)
      query.includesAuthors = includesAuthors
      self = .likes(of: user(.user), query)
    case .mutuals:
      let query = MutualQuery(limit: fields.limit, cursor: fields.cursor)
      let areFollowers = fields.text(.of) == "followers"
      self =
        areFollowers
        ? .mutualFollowers(of: user(.user), and: user(.target), query)
        : .mutualFollowees(of: user(.user), and: user(.target), query)
    case .familiarFollowers:
      let query = MutualQuery(
        countsMatches: fields.required(.count, fields.flag), limit: fields.limit, cursor: fields.cursor)
      self = .familiarFollowers(of: user(.user), as: user(.viewer), query)
    case .edgeList(let side):
      let query = EdgeQuery(
        order: fields.choice(.edgeOrder), includesAuthors: includesAuthors,
        countsEdges: fields.required(.count, fields.flag), leavesOutMuted: leavesOutMuted, limit: fields.limit,
        cursor: fields.cursor, viewer: viewer)
      self = .edgeList(fields.relation, side, of: fields.required(.user) { fields.node($0, .post) }, query)
    case .edges:
      let others = fields.users(.targets).map(Node.user) + fields.posts(.posts).map(Node.post)
      self = .edges(between: fields.required(.user) { fields.node($0, .post) }, and: others)
    case .thread:
      let query = ThreadQuery(
        order: fields.choice(.threadOrder), includesAuthors: includesAuthors, leavesOutMuted: leavesOutMuted,
        limit: fields.limit, cursor: fields.cursor, viewer: viewer)
      self = .thread(of: fields.required(.post, fields.post), query)
    case .ancestors:
      self = .ancestors(
        of: fields.required(.post, fields.post), limit: fields.limit, as: viewer, includesAuthors: includesAuthors)
    case .incoming: self = .incoming(to: user(.user), fields.incoming(isPage: true))
    case .incomingCount: self = .incomingCount(to: user(.user), fields.incoming(isPage: false))
    case .suggestions:
      self = .suggestions(
        for: user(.user), SuggestionQuery(kind: fields.text(.kind), flags: fields.flagFilter, limit: fields.limit))
    case .shortestPath:
      let query = PathQuery(maximumHops: Int(fields.required(.maximum, fields.integer)))
      self = .shortestPath(from: user(.user), to: user(.target), query)
    case .list(let relation, let side): self = .list(relation, side, of: user(.user), ListQuery(fields))
    case .addUser, .renameUser, .editUser, .removeUser, .addPost, .editPost, .removePost, .edge, .anyEdge, .batch:
      return nil
    }
  }
}

extension UserQuery {
  fileprivate init(_ fields: FieldValues) {
    self.init(
      match: fields.choice(.match), names: fields.choice(.names), kind: fields.text(.kind), fold: fields.choice(.fold),
      order: fields.choice(.searchOrder), flags: fields.flagFilter, excludedUser: fields.user(.excluding),
      includesBlocked: fields.required(.includeBlocked, fields.flag),
      countsMatches: fields.required(.count, fields.flag),
      includesHighlights: fields.required(.highlights, fields.flag), limit: fields.limit, cursor: fields.cursor,
      viewer: fields.viewer)
  }
}

extension PostQuery {
  fileprivate init(_ fields: FieldValues) {
    self.init(
      author: fields.user(.user), followedOnly: fields.required(.following, fields.flag), fold: fields.choice(.fold),
      before: fields.time(.before), after: fields.time(.after), flags: fields.flagFilter, audiences: fields.audiences,
      includesReplies: fields.required(.includeReplies, fields.flag),
      leavesOutMuted: fields.required(.leaveOutMuted, fields.flag),
      includesHighlights: fields.required(.highlights, fields.flag),
      includesAuthors: fields.required(.authors, fields.flag), limit: fields.limit, cursor: fields.cursor,
      viewer: fields.viewer)
  }
}

extension TimelineQuery {
  fileprivate init(_ fields: FieldValues) {
    self.init(
      direction: fields.choice(.direction), before: fields.time(.before), after: fields.time(.after),
      includesOwnPosts: fields.required(.includeSelf, fields.flag),
      includesAuthors: fields.required(.authors, fields.flag), limit: fields.limit, cursor: fields.cursor,
      includesCursor: fields.required(.includeCursor, fields.flag))
  }

  /// With sources and filters.
  fileprivate init(filtered fields: FieldValues) {
    self.init(fields)
    (replies, reposts, mentions) = (fields.choice(.replies), fields.choice(.reposts), fields.choice(.mentions))
    (flags, audiences) = (fields.flagFilter, fields.audiences)
    if let names = fields.texts(.relations) {
      sources = .targets(names.map { Relation($0, from: .user, to: .user) })
    } else if let post = fields.post(.post) {
      sources = .members(fields.relation, of: post)
    } else if fields.has(.users) {
      sources = .users(fields.users(.users))
    } else if let author = fields.user(.author) {
      sources = .author(author)
    } else if fields.flag(.everyone) == true {
      sources = .everyone
    }
  }
}

extension FieldValues {
  fileprivate var flagFilter: FlagFilter {
    func mask(_ field: Field) -> UInt16 { UInt16(truncatingIfNeeded: required(field, integer)) }
    return FlagFilter(all: mask(.flagsAll), any: mask(.flagsAny), none: mask(.flagsNone))
  }

  fileprivate var audiences: Set<Audience> {
    Set((texts(.audiences) ?? []).compactMap(Audience.init(rawValue:)))
  }

  fileprivate func incoming(isPage: Bool) -> IncomingQuery {
    var query = IncomingQuery(
      relations: texts(.relations).map { $0.map { Relation($0, from: .user, to: .user) } },
      sources: choice(.incomingFrom), before: time(.before), after: time(.after))
    if isPage { (query.includesAuthors, query.limit, query.cursor) = (required(.authors, flag), limit, cursor) }
    return query
  }
}

extension ListQuery {
  fileprivate init(_ fields: FieldValues) {
    self.init(
      order: fields.choice(.listOrder), leavesOutMuted: fields.flag(.leaveOutMuted) ?? false, limit: fields.limit,
      cursor: fields.cursor, viewer: fields.viewer)
  }
}

extension Change {
  /// - Returns: nil for a read, and for a batch.
  package init?(_ operation: GraphOperation, _ fields: FieldValues) {
    func user(_ field: Field) -> UserID { fields.required(field, fields.user) }
    var username: String { fields.required(.username, fields.text) }
    var post: PostID { fields.required(.post, fields.post) }
    switch operation.kind {
    case .addUser:
      self = .addUser(
        id: fields.integer(.id).map(UserID.init(rawValue:)), username: username, fields: fields.userFields)
    case .editUser: self = .editUser(user(.user), fields.userFields)
    case .renameUser: self = .renameUser(user(.user), to: username)
    case .removeUser: self = .removeUser(user(.user))
    case .addPost:
      self = .addPost(
        id: fields.post(.id), by: user(.user), text: fields.required(.text, fields.text),
        createdAt: fields.time(.createdAt), edges: fields.edges, fields: fields.postFields)
    case .editPost: self = .editPost(post, text: fields.text(.text), fields: fields.postFields)
    case .removePost: self = .removePost(post)
    case .edge(let relation, let adds):
      let target = relation.facts.target == .post ? post.rawValue : user(.target).rawValue
      self.init(EdgeChange(relation, user(.user), target, at: fields.time(.at), adds: adds))
    case .anyEdge(let adds):
      let source = fields.required(.from) { fields.node($0, .fromPost) }
      let target = fields.required(.to) { fields.node($0, .toPost) }
      self =
        adds
        ? .addEdge(fields.relation, from: source, to: target, at: fields.time(.at))
        : .removeEdge(fields.relation, from: source, to: target)
    case .users, .user, .post, .lookup, .timeline, .twoHopTimeline, .posts, .list, .isFollowing, .relations, .likers,
      .likes, .mutuals, .familiarFollowers, .edgeList, .edges, .thread, .ancestors, .incoming, .incomingCount,
      .suggestions, .shortestPath, .batch:
      return nil
    }
  }
}
