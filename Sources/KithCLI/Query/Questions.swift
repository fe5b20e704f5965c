import Kith

/// The reads: each turns a request into one question of a view.
extension Request {
  /// The answer at one instant.
  func answer(from view: borrowing GraphView) throws(KithError) -> Answer {
    switch operation {
    case .users: .users(try searchUsers(view))
    case .posts: .posts(try searchPosts(view))
    case .timeline: .timeline(try timeline(view))
    case .user: try oneUser(view)
    case .post: .post(try view.post(postID, as: try viewer(view)))
    case .lookup: try lookup(view)
    case .followees: .users(try view.followees(of: try user(.user, view), try listOptions(view)))
    case .followers: .users(try view.followers(of: try user(.user, view), try listOptions(view)))
    case .isFollowing: .value(try view.isFollowing(try user(.user, view), try user(.target, view)))
    case .relations: try relations(view)
    case .mutuals: .users(try mutuals(view))
    case .suggestions: .suggestions(try suggestions(view))
    case .distance: .distance(try distance(view))
    case .likers: .users(try view.likers(of: postID, try listOptions(view)))
    case .likes: .posts(try view.likes(of: try user(.user, view), try listOptions(view)))
    case .blocked: .users(try view.blocked(by: try user(.user, view), try listOptions(view)))
    case .muted: .users(try view.muted(by: try user(.user, view), try listOptions(view)))
    case .stats: .stats(view.counts, view.memoryReport(), sequence: view.sequence)
    case .verify: .problems(view.verify())
    default: preconditionFailure("\(operation) is not a question")
    }
  }

  // MARK: Searches and timelines

  private func searchUsers(_ view: borrowing GraphView) throws(KithError) -> UserPage {
    try view.searchUsers(text(.query) ?? "", try userSearch(view))
  }

  func userSearch(_ view: borrowing GraphView) throws(KithError) -> UserSearch {
    var options = UserSearch()
    options.match = choice(.match) ?? .substring
    options.fold = choice(.fold) ?? .loose
    options.order = choice(.searchOrder) ?? .name
    options.viewer = try viewer(view)
    options.excluding = try optionalUser(.excluding, view)
    options.limit = limit
    options.cursor = cursor
    options.counting = flag(.count) ?? false
    options.highlighting = flag(.highlights) ?? false
    return options
  }

  private func searchPosts(_ view: borrowing GraphView) throws(KithError) -> PostPage {
    try view.searchPosts(text(.query) ?? "", try postSearch(view))
  }

  func postSearch(_ view: borrowing GraphView) throws(KithError) -> PostSearch {
    var options = PostSearch()
    options.viewer = try viewer(view)
    options.author = try optionalUser(.user, view)
    options.following = flag(.following) ?? false
    options.fold = choice(.fold) ?? .loose
    options.limit = limit
    options.cursor = cursor
    options.before = time(.before)
    options.after = time(.after)
    options.highlighting = flag(.highlights) ?? false
    return options
  }

  private func timeline(_ view: borrowing GraphView) throws(KithError) -> PostPage {
    try view.timeline(of: try user(.user, view), timelineOptions)
  }

  var timelineOptions: TimelineOptions {
    var options = TimelineOptions()
    options.limit = limit
    options.cursor = cursor
    options.direction = choice(.direction) ?? .older
    options.before = time(.before)
    options.after = time(.after)
    options.includeSelf = flag(.includeSelf) ?? true
    return options
  }

  func listOptions(_ view: borrowing GraphView) throws(KithError) -> ListOptions {
    var options = ListOptions()
    options.order = choice(.listOrder) ?? .newest
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

  private func mutuals(_ view: borrowing GraphView) throws(KithError) -> UserPage {
    let (user, other) = (try user(.user, view), try user(.target, view))
    let options = MutualOptions(limit: limit, cursor: cursor)
    if text(.of) == "followers" { return try view.mutualFollowers(of: user, and: other, options) }
    return try view.mutualFollowees(of: user, and: other, options)
  }

  private func suggestions(_ view: borrowing GraphView) throws(KithError) -> SuggestionPage {
    try view.suggestions(for: try user(.user, view), SuggestionOptions(limit: limit))
  }

  private func distance(_ view: borrowing GraphView) throws(KithError) -> Distance {
    var options = DistanceOptions()
    if let most = integer(.maximum) { options.maximumHops = Int(most) }
    return try view.distance(from: try user(.user, view), to: try user(.target, view), options)
  }

  // MARK: Fields as the engine's types

  var postID: PostID { PostID(rawValue: required(.post, integer)) }
  private var limit: Int { integer(.limit).map { Int($0) } ?? 20 }
  private var cursor: Cursor? { text(.cursor).map { Cursor($0) } }
  private func choice<Word: RawRepresentable<String>>(_ field: Field) -> Word? {
    text(field).flatMap(Word.init(rawValue:))
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
  /// The error of a reference that leads nowhere.
  var unknown: KithError {
    switch self {
    case .id(let id): .unknownUser("\(id.rawValue)")
    case .username(let name): .unknownUser("named \(name)")
    }
  }
}

extension UserID {
  /// An id that no user ever has: ids begin at 1.
  fileprivate static let nobody = UserID(rawValue: 0)
}
