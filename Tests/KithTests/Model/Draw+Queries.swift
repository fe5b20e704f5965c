@testable import Kith

extension Draw {
  mutating func question(for model: ReferenceModel) -> Question {
    if model.declared != nil && !seldom(3) { return edgeQuestion(model) }
    return switch below(20) {
    case 0: .findUser(seldom(2) ? name() : model.users[user(model)]?.text ?? "", kind: kind(model))
    case 1: .user(user(model), viewer: viewer(model), includesBlocked: seldom(2))
    case 2: .post(post(model), viewer: viewer(model), includesAuthors: seldom(2))
    case 3: .users((0..<below(5)).map { _ in user(model) }, viewer: viewer(model), includesBlocked: seldom(2))
    case 4: .posts((0..<below(5)).map { _ in post(model) }, viewer: viewer(model), includesAuthors: seldom(2))
    case 5: .isFollowing(user(model), as: user(model))
    case 6: .relations(user(model), (0..<below(4)).map { _ in user(model) })
    case 7: .suggestions(user(model), suggestionOptions(model))
    case 10: .incomingCount(user(model), incomingOptions(model))
    case 8, 9: .distance(user(model), user(model), distanceOptions())
    default: list(for: model)
    }
  }

  /// A query with pages.
  mutating func list(for model: ReferenceModel) -> Question {
    if model.declared != nil && !seldom(3) { return edgeList(model) }
    switch below(19) {
    case 0..<4:
      let search = userSearch(model)
      return .searchUsers(nameQuery(model, search.match), search)
    case 4..<6: return .searchPosts(postQuery(model), postSearch(model))
    case 6..<9: return .timeline(user(model), timelineOptions(model))
    case 9: return .followees(user(model), listOptions(model))
    case 10: return .followers(user(model), listOptions(model))
    case 11: return .likers(post(model), listOptions(model))
    case 12: return .likes(user(model), listOptions(model))
    case 13, 14:
      let options = MutualQuery(countsMatches: seldom(3), limit: limit(), viewer: viewer(model))
      return .mutuals(user(model), user(model), Question.Mutuals.allCases[below(3)], options)
    case 15, 16: return .twoHops(user(model), timelineOptions(), followLimit: followLimit())
    case 17:
      let options = ListQuery(limit: limit())
      return seldom(2) ? .blocked(user(model), options) : .muted(user(model), options)
    default: return .incoming(user(model), incomingOptions(model))
    }
  }

  /// What leads to a user: of all relations, or of some.
  mutating func incomingOptions(_ model: ReferenceModel) -> IncomingQuery {
    IncomingQuery(
      relations: seldom(3) ? (0..<below(4)).map { _ in relation(model) } : nil,
      sources: seldom(4) ? .followees : .anyone, before: seldom(4) ? bound() : nil, after: seldom(4) ? bound() : nil,
      includesAuthors: seldom(3), limit: limit())
  }

  /// The same list with another limit, read by another viewer or in the other direction.
  mutating func variation(of question: Question, _ model: ReferenceModel) -> Question {
    let question = seldom(2) ? question.changed(limit: limit()) : question
    let isOwn = seldom(2)
    let other = viewer(model)
    switch question {
    case .searchUsers(let query, var search):
      search.viewer = isOwn ? search.viewer : other
      return .searchUsers(seldom(3) ? nameQuery(model, search.match) : query, search)
    case .searchPosts(let query, var search):
      search.viewer = isOwn ? search.viewer : other
      return .searchPosts(query, search)
    case .timeline(let user, var options):
      if !isOwn { options.direction = options.direction == .older ? .newer : .older }
      return .timeline(user, options)
    case .followees(let user, var options):
      options.viewer = isOwn ? options.viewer : other
      return .followees(user, options)
    case .followers(let user, var options):
      options.viewer = isOwn ? options.viewer : other
      return .followers(user, options)
    case .mutuals(let user, let target, let kind, var options):
      options.viewer = isOwn ? options.viewer : other
      return .mutuals(user, target, kind, options)
    case .twoHops(let user, var options, let followLimit):
      if !isOwn { options.direction = options.direction == .older ? .newer : .older }
      return .twoHops(user, options, followLimit: followLimit)
    case .edgeList(let relation, let side, let node, var options):
      options.viewer = isOwn ? options.viewer : other
      // Rarely with the cursor of another relation.
      return .edgeList(seldom(6) ? self.relation(model) : relation, side, node, options)
    case .thread(let post, var options):
      options.viewer = isOwn ? options.viewer : other
      return .thread(post, options)
    case .incoming(let user, var options):
      if !isOwn { options.sources = options.sources == .anyone ? .followees : .anyone }
      return .incoming(user, options)
    case .likers(let post, var options):
      options.viewer = isOwn ? options.viewer : other
      return .likers(post, options)
    case .likes(let user, var options):
      options.viewer = isOwn ? options.viewer : other
      return .likes(user, options)
    default: return question
    }
  }

  // MARK: - Options

  mutating func viewer(_ model: ReferenceModel) -> UserID? {
    seldom(3) ? nil : seldom(8) ? .visitor : user(model)
  }

  mutating func limit() -> Int { seldom(40) ? pick([0, -1, 1_001]) : pick([1, 1, 2, 3, 5, 20, 1_000]) }

  private mutating func bound() -> Timestamp? { seldom(4) ? (seldom(9) ? Timestamp(-1) : postTime()) : nil }

  private mutating func fold() -> TextFolding { seldom(3) ? .strict : .loose }

  private mutating func userSearch(_ model: ReferenceModel) -> UserQuery {
    let match: UserQuery.Match = pick([.substring, .substring, .prefix, .exact, .fuzzy, .fuzzy, .regex, .regex])
    let hasOrder = match != .fuzzy || seldom(40)
    return UserQuery(
      match: match, names: seldom(3) ? .username : .either, kind: kind(model), fold: fold(),
      order: hasOrder ? pick([.name, .name, .prefixFirst, .followedFirst, .popular]) : .name,
      flags: seldom(5) ? flagFilter() : FlagFilter(), excludedUser: seldom(3) ? user(model) : nil,
      includesBlocked: seldom(3),
      countsMatches: seldom(3), includesHighlights: seldom(3), limit: limit(), viewer: viewer(model))
  }

  private mutating func postSearch(_ model: ReferenceModel) -> PostQuery {
    PostQuery(
      author: seldom(4) ? user(model) : nil, followedOnly: seldom(4), fold: fold(), before: bound(), after: bound(),
      flags: seldom(6) ? flagFilter() : FlagFilter(), audiences: seldom(6) ? audiences() : [],
      includesReplies: !seldom(6), leavesOutMuted: seldom(5), includesAuthors: seldom(3), limit: limit(),
      viewer: viewer(model))
  }

  private mutating func flagFilter() -> FlagFilter {
    FlagFilter(all: UInt16(below(3)), any: UInt16(below(4)), none: UInt16(below(2)))
  }

  private mutating func audiences() -> Set<Audience> { Set(Audience.allCases.filter { _ in seldom(2) }) }

  private mutating func timelineOptions() -> TimelineQuery {
    TimelineQuery(
      direction: seldom(3) ? .newer : .older, before: bound(), after: bound(), includesOwnPosts: !seldom(3),
      includesAuthors: seldom(3), limit: limit())
  }

  /// The same with sources and filters; of a graph without a schema, rarely.
  mutating func timelineOptions(_ model: ReferenceModel) -> TimelineQuery {
    var options = timelineOptions()
    if model.declared == nil ? !seldom(6) : seldom(3) { return options }
    options.reposts = pick([.once, .once, .all, .none])
    options.replies = pick([.all, .all, .none, .toFollowed, .toSources, .toAuthor])
    options.mentions = pick([.all, .ofVisible])
    if seldom(2) { options.flags = flagFilter() }
    if seldom(3) { options.audiences = audiences() }
    switch below(8) {
    case 0: options.sources = .targets((0..<below(4)).map { _ in relation(model) })
    case 1, 2:
      let relations = (model.declared ?? []).filter { $0.source == .post && $0.target == .user }
      options.sources = .members(relations.isEmpty || seldom(20) ? relation(model) : pick(relations), of: post(model))
    case 3: options.sources = .users((0..<below(5)).map { _ in user(model) })
    case 4: options.sources = .author(user(model))
    case 5: options.sources = .everyone
    default: break
    }
    return options
  }

  private mutating func followLimit() -> Int {
    seldom(30) ? -1 : seldom(3) ? below(40) : SocialGraph.Limits.followCount
  }

  /// Mostly none, rarely one that is not declared.
  mutating func kind(_ model: ReferenceModel) -> String? {
    if seldom(40) { return pick(["tag", "none", "User"]) }
    return model.userKinds.count > 1 && seldom(2) ? pick(model.userKinds) : nil
  }

  private mutating func suggestionOptions(_ model: ReferenceModel) -> SuggestionQuery {
    SuggestionQuery(
      namedCount: seldom(40) ? pick([-1, 101]) : pick([0, 0, 1, 2, 100]), followLimit: followLimit(),
      kind: kind(model), flags: seldom(4) ? flagFilter() : FlagFilter(), limit: limit())
  }

  private mutating func distanceOptions() -> PathQuery {
    PathQuery(
      maximumHops: seldom(40) ? -1 : pick([0, 1, 2, 3, 6, 6, 6, 6, .max]), followLimit: followLimit())
  }

  private mutating func listOptions(_ model: ReferenceModel) -> ListQuery {
    ListQuery(
      order: seldom(2) ? .name : .newest, includesAuthors: seldom(3), leavesOutMuted: seldom(4), limit: limit(),
      viewer: viewer(model))
  }
}

extension Question {
  var isList: Bool {
    switch self {
    case .findUser, .user, .post, .users, .posts, .isFollowing, .relations, .edges, .incomingCount, .ancestors,
      .suggestions, .distance:
      false
    default: true
    }
  }

  /// Whether it reads towards newer posts.
  var isNewer: Bool {
    switch self {
    case .timeline(_, let options), .twoHops(_, let options, _): options.direction == .newer
    default: false
    }
  }

  func changed(limit: Int) -> Question {
    func list(_ options: ListQuery) -> ListQuery {
      var options = options
      options.limit = limit
      return options
    }
    switch self {
    case .searchUsers(let query, var search):
      search.limit = limit
      return .searchUsers(query, search)
    case .searchPosts(let query, var search):
      search.limit = limit
      return .searchPosts(query, search)
    case .timeline(let user, var options):
      options.limit = limit
      return .timeline(user, options)
    case .followees(let user, let options): return .followees(user, list(options))
    case .followers(let user, let options): return .followers(user, list(options))
    case .mutuals(let user, let other, let kind, var options):
      options.limit = limit
      return .mutuals(user, other, kind, options)
    case .twoHops(let user, var options, let followLimit):
      options.limit = limit
      return .twoHops(user, options, followLimit: followLimit)
    case .edgeList(let relation, let side, let node, var options):
      options.limit = limit
      return .edgeList(relation, side, node, options)
    case .incoming(let user, var options):
      options.limit = limit
      return .incoming(user, options)
    case .thread(let post, var options):
      options.limit = limit
      return .thread(post, options)
    case .likers(let post, let options): return .likers(post, list(options))
    case .likes(let user, let options): return .likes(user, list(options))
    case .blocked(let user, let options): return .blocked(user, list(options))
    case .muted(let user, let options): return .muted(user, list(options))
    default: return self
    }
  }
}
