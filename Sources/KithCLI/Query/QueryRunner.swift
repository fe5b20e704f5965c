import Kith

/// The reads: each turns a request into one query of a view.
extension Request {
  /// The answer from one version of the graph.
  func answer(from view: borrowing GraphView) throws(KithError) -> Answer {
    switch operation {
    case .users: .users(try searchUsers(view))
    case .posts: .posts(try searchPosts(view))
    case .timeline: .timeline(try timeline(view))
    case .user: try oneUser(view)
    case .post: .post(try view.post(postID, as: try viewer(view)))
    case .lookup: try lookup(view)
    case .isFollowing: .value(try view.isFollowing(try user(.target, view), as: try user(.user, view)))
    case .relations: try relations(view)
    case .mutuals: .users(try mutuals(view))
    case .suggestions: .suggestions(try suggestions(view))
    case .distance: .distance(try distance(view))
    case .likers: .users(try view.likers(of: postID, try listOptions(view)))
    case .likes: .posts(try view.likes(of: try user(.user, view), try listOptions(view)))
    case .stats: .stats(view.counts, view.memoryReport(), sequence: view.sequence)
    case .verify: .problems(view.verify())
    case .help: .help(Shape.all(about: text(.about)))
    default: .users(try edges(view))
    }
  }

  /// The users at one end of a user's edges.
  private func edges(_ view: borrowing GraphView) throws(KithError) -> Page<User> {
    guard let (kind, side) = operation.list else { preconditionFailure("\(operation) is not a question") }
    return try view.list(kind, side, of: try user(.user, view), try listOptions(view))
  }

  // MARK: Searches and timelines

  private func searchUsers(_ view: borrowing GraphView) throws(KithError) -> Page<User> {
    try view.searchUsers(required(.query, text), try userSearch(view))
  }

  func userSearch(_ view: borrowing GraphView) throws(KithError) -> UserQuery {
    var options = UserQuery()
    options.match = choice(.match)
    options.fold = choice(.fold)
    options.order = choice(.searchOrder)
    options.viewer = try viewer(view)
    options.excludedUser = try optionalUser(.excluding, view)
    options.limit = limit
    options.cursor = cursor
    options.countsMatches = required(.count, flag)
    options.includesHighlights = required(.highlights, flag)
    return options
  }

  private func searchPosts(_ view: borrowing GraphView) throws(KithError) -> Page<Post> {
    try view.searchPosts(required(.query, text), try postSearch(view))
  }

  func postSearch(_ view: borrowing GraphView) throws(KithError) -> PostQuery {
    var options = PostQuery()
    options.viewer = try viewer(view)
    options.author = try optionalUser(.user, view)
    options.followedOnly = required(.following, flag)
    options.fold = choice(.fold)
    options.limit = limit
    options.cursor = cursor
    options.before = time(.before)
    options.after = time(.after)
    options.includesHighlights = required(.highlights, flag)
    return options
  }

  private func timeline(_ view: borrowing GraphView) throws(KithError) -> Page<Post> {
    try view.timeline(of: try user(.user, view), timelineOptions)
  }

  var timelineOptions: TimelineQuery {
    var options = TimelineQuery()
    options.limit = limit
    options.cursor = cursor
    options.direction = choice(.direction)
    options.before = time(.before)
    options.after = time(.after)
    options.includesOwnPosts = required(.includeSelf, flag)
    return options
  }

  func listOptions(_ view: borrowing GraphView) throws(KithError) -> ListQuery {
    var options = ListQuery()
    options.order = choice(.listOrder)
    options.limit = limit
    options.cursor = cursor
    options.viewer = try viewer(view)
    return options
  }

  // MARK: Single objects

  private func oneUser(_ view: borrowing GraphView) throws(KithError) -> Answer {
    let viewer = try viewer(view)
    return .user(try view.user(try user(.user, view), as: viewer))
  }

  private func lookup(_ view: borrowing GraphView) throws(KithError) -> Answer {
    let viewer = try viewer(view)
    var users: [UserID] = []
    for reference in references(.users) ?? [] { users.append(find(reference, view) ?? .nobody) }
    let posts = (integers(.posts) ?? []).map(PostID.init(rawValue:))
    return .lookup(users: try view.users(users, as: viewer), posts: try view.posts(posts, as: viewer))
  }

  private func relations(_ view: borrowing GraphView) throws(KithError) -> Answer {
    let user = try user(.user, view)
    return .relations(try view.relations(of: user, to: try targets(view)))
  }

  func targets(_ view: borrowing GraphView) throws(KithError) -> [UserID] {
    var targets: [UserID] = []
    for reference in references(.targets) ?? [] { targets.append(try known(reference, view)) }
    return targets
  }

  // MARK: Several hops

  private func mutuals(_ view: borrowing GraphView) throws(KithError) -> Page<User> {
    let (user, other) = (try user(.user, view), try user(.target, view))
    let options = MutualQuery(limit: limit, cursor: cursor)
    if text(.of) == "followers" { return try view.mutualFollowers(of: user, and: other, options) }
    return try view.mutualFollowees(of: user, and: other, options)
  }

  private func suggestions(_ view: borrowing GraphView) throws(KithError) -> Page<Suggestion> {
    try view.suggestions(for: try user(.user, view), SuggestionQuery(limit: limit))
  }

  private func distance(_ view: borrowing GraphView) throws(KithError) -> ShortestPath {
    let options = PathQuery(maximumHops: Int(required(.maximum, integer)))
    return try view.shortestPath(from: try user(.user, view), to: try user(.target, view), options)
  }

  // MARK: Fields as the engine's types

  var postID: PostID { PostID(rawValue: required(.post, integer)) }
  private var limit: Int { Int(required(.limit, integer)) }
  private var cursor: Cursor? { text(.cursor).map { Cursor($0) } }
  private func choice<Word: RawRepresentable<String>>(_ field: Field) -> Word {
    required(field) { text($0).flatMap(Word.init(rawValue:)) }
  }

  private func time(_ field: Field) -> Timestamp? { integer(field).map { Timestamp($0) } }

  func viewer(_ view: borrowing GraphView) throws(KithError) -> UserID? { try optionalUser(.viewer, view) }

  func user(_ field: Field, _ view: borrowing GraphView) throws(KithError) -> UserID {
    try known(required(field, reference), view)
  }

  private func optionalUser(_ field: Field, _ view: borrowing GraphView) throws(KithError) -> UserID? {
    guard let reference = reference(field) else { return nil }
    return try known(reference, view)
  }

  private func known(_ reference: Reference, _ view: borrowing GraphView) throws(KithError) -> UserID {
    guard let id = find(reference, view) else { throw reference.unknown }
    return id
  }

  private func find(_ reference: Reference, _ view: borrowing GraphView) -> UserID? {
    switch reference {
    case .id(let id): id
    case .username(let name): view.findUser(named: name)
    }
  }
}

extension Reference {
  /// The error of a reference to nothing.
  var unknown: KithError {
    switch self {
    case .id(let id): .unknownUser(id)
    case .username(let name): .unknownUsername(name)
    }
  }
}

extension UserID {
  /// An id that no user can have: ids begin at 1.
  fileprivate static let nobody = UserID(rawValue: 0)
}
