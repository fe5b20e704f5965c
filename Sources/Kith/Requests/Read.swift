/// A read of a graph as one value, with its options: what the protocol, the explorer, C and a watch ask for.
///
/// Each case is a `Query`, which says what statistics count it as and what its result depends on.
package enum Read: Sendable {
  case users(named: String, UserQuery)
  case posts(matching: String, PostQuery)
  case timeline(of: UserID, TimelineQuery)
  case twoHopTimeline(of: UserID, TimelineQuery, followLimit: Int = SocialGraph.Limits.followCount)
  case user(UserID, as: UserID?, includesBlocked: Bool = false)
  case post(PostID, as: UserID?, includesAuthors: Bool = false)
  case usersByID([UserID], as: UserID?, includesBlocked: Bool = false)
  case postsByID([PostID], as: UserID?, includesAuthors: Bool = false)
  case lookup(
    users: [UserID], posts: [PostID], as: UserID?, includesBlocked: Bool = false, includesAuthors: Bool = false)
  case isFollowing(UserID, as: UserID)
  case relations(of: UserID, to: [UserID])
  case list(RelationKind, RelationSide, of: UserID, ListQuery)
  case likers(of: PostID, ListQuery)
  case likes(of: UserID, ListQuery)
  case mutualFollowees(of: UserID, and: UserID, MutualQuery)
  case mutualFollowers(of: UserID, and: UserID, MutualQuery)
  case familiarFollowers(of: UserID, as: UserID, MutualQuery)
  case edgeList(Relation, RelationSide, of: Node, EdgeQuery)
  /// The same of a relation that says of which type the node is.
  case edgeListByName(String, RelationSide, of: Int64, EdgeQuery)
  case edges(between: Node, and: [Node])
  case thread(of: PostID, ThreadQuery)
  case ancestors(of: PostID, limit: Int, as: UserID?, includesAuthors: Bool = false)
  case incoming(to: UserID, IncomingQuery)
  case incomingCount(to: UserID, IncomingQuery)
  case suggestions(for: UserID, SuggestionQuery)
  case shortestPath(from: UserID, to: UserID, PathQuery)
  /// A read whose users and posts tell of relations.
  indirect case adding(ResultDetails, to: Read)

  /// The answer from one version of the graph.
  /// - Throws: the errors of the query.
  package func answer(_ view: borrowing GraphView) throws(KithError) -> Answer { try run(view) }

  /// The read as a live query.
  package var live: LiveQuery<Answer, KithError> {
    LiveQuery(asking: { (view) throws(KithError) in
      let answer: DependentAnswer = try run(view)
      return (answer.answer, answer.dependencies)
    })
  }

  /// Executes the query: the only place that knows all of them.
  private func run<Outcome: ReadOutcome>(_ view: borrowing GraphView) throws(KithError) -> Outcome {
    switch self {
    case .users(let text, let query): try Outcome(UsersByName(text: text, query: query), view) { .users($0) }
    case .posts(let text, let query): try Outcome(PostsByWords(text: text, query: query), view) { .posts($0) }
    case .timeline(let user, let query): try Outcome(TimelinePosts(user: user, query: query), view) { .timeline($0) }
    case .twoHopTimeline(let user, let query, let limit):
      try Outcome(TimelinePosts(user: user, query: query, scope: .twoHops(followLimit: limit)), view) {
        .twoHopTimeline($0)
      }
    case .user(let id, let viewer, let includesBlocked):
      try Outcome(UserByID(id: id, viewer: viewer, includesBlocked: includesBlocked), view) { .user($0) }
    case .post(let id, let viewer, let includesAuthors):
      try Outcome(PostByID(id: id, viewer: viewer, includesAuthors: includesAuthors), view) { .post($0) }
    case .usersByID(let ids, let viewer, let includesBlocked):
      try Outcome(UsersByID(ids: ids, viewer: viewer, includesBlocked: includesBlocked), view) { .usersByID($0) }
    case .postsByID(let ids, let viewer, let includesAuthors):
      try Outcome(PostsByID(ids: ids, viewer: viewer, includesAuthors: includesAuthors), view) { .postsByID($0) }
    case .lookup(let users, let posts, let viewer, let includesBlocked, let includesAuthors):
      try Outcome(
        LookupByID(
          users: users, posts: posts, viewer: viewer, includesBlocked: includesBlocked,
          includesAuthors: includesAuthors), view
      ) { .lookup($0) }
    case .isFollowing(let target, let user): try Outcome(FollowExists(user: user, target: target), view) { .value($0) }
    case .relations(let user, let others):
      try Outcome(RelationsQuery(user: user, targets: others), view) { .relations($0) }
    case .list(let kind, let side, let user, let query):
      try Outcome(RelationListQuery(kind: kind, side: side, user: user, query: query), view) { .users($0) }
    case .likers(let post, let query): try Outcome(LikersQuery(post: post, query: query), view) { .users($0) }
    case .likes(let user, let query): try Outcome(LikesQuery(user: user, query: query), view) { .posts($0) }
    case .mutualFollowees(let user, let other, let query):
      try Outcome(MutualUsers(side: .followees, user: user, other: other, query: query), view) { .users($0) }
    case .mutualFollowers(let user, let other, let query):
      try Outcome(MutualUsers(side: .followers, user: user, other: other, query: query), view) { .users($0) }
    case .familiarFollowers(let user, let viewer, let query):
      try Outcome(MutualUsers(side: .familiar, user: user, other: viewer, query: query), view) { .users($0) }
    case .edgeList(let relation, let side, let node, let query):
      try edges(try view.state.relations.known(relation), side, of: node, query, view)
    case .edgeListByName(let name, let side, let id, let query):
      try edges(try view.knownRelation(name), side, of: id, query, view)
    case .edges(let node, let others): try Outcome(EdgesBetween(node: node, others: others), view) { .edges($0) }
    case .thread(let post, let query):
      try Outcome(PostsOfThread(post: post, query: query), view) { .posts($0.page) }
    case .ancestors(let post, let limit, let viewer, let includesAuthors):
      try Outcome(
        AncestorsOfPost(post: post, limit: limit, viewer: viewer, includesAuthors: includesAuthors), view
      ) { .ancestors($0) }
    case .incoming(let user, let query): try Outcome(IncomingEdges(user: user, query: query), view) { .incoming($0) }
    case .incomingCount(let user, let query):
      try Outcome(CountOfIncoming(user: user, query: query), view) { .incomingCount($0) }
    case .adding(let details, let read):
      try (read.run(view) as Outcome).adding(details, view)
    case .suggestions(let user, let query):
      try Outcome(SuggestedUsers(user: user, query: query), view) { .suggestions($0) }
    case .shortestPath(let user, let target, let query):
      try Outcome(PathBetweenUsers(user: user, target: target, query: query), view) { .shortestPath($0) }
    }
  }

  private func edges<Outcome: ReadOutcome>(
    _ relation: Relation, _ side: RelationSide, of id: Int64, _ query: EdgeQuery, _ view: borrowing GraphView
  ) throws(KithError) -> Outcome {
    let own = side == .targets ? relation.source : relation.target
    return try edges(relation, side, of: Node(own, id), query, view)
  }

  /// A page of edges. The relation is as the graph has it, so that its number is not looked up again.
  private func edges<Outcome: ReadOutcome>(
    _ relation: Relation, _ side: RelationSide, of node: Node, _ query: EdgeQuery, _ view: borrowing GraphView
  ) throws(KithError) -> Outcome {
    switch relation.other(side) {
    case .user: try Outcome(UsersOfEdges(relation: relation, side: side, node: node, query: query), view) { .users($0) }
    case .post: try Outcome(PostsOfEdges(relation: relation, side: side, node: node, query: query), view) { .posts($0) }
    }
  }
}

/// The answer to a read.
package enum Answer: Equatable, Sendable {
  case users(Page<User>)
  case posts(Page<Post>)
  case timeline(Page<Post>)
  case twoHopTimeline(Page<Post>)
  case user(User)
  case post(Post)
  case usersByID([User?])
  case postsByID([Post?])
  case lookup(LookupByID.Output)
  case value(Bool)
  case relations([User.Relations])
  case edges([Node.Edges])
  case ancestors(Page<Post>)
  case incoming(Page<IncomingEdge>)
  case incomingCount(IncomingCount)
  case suggestions(Page<Suggestion>)
  case shortestPath(ShortestPath)
}

/// What a read makes of the result of its query.
private protocol ReadOutcome {
  init<Q: Query>(
    _ query: Q, _ view: borrowing GraphView, _ answer: (Q.Output) -> Answer
  ) throws(KithError)
  func adding(_ details: ResultDetails, _ view: borrowing GraphView) throws(KithError) -> Self
}

extension Answer: ReadOutcome {
  fileprivate init<Q: Query>(
    _ query: Q, _ view: borrowing GraphView, _ answer: (Q.Output) -> Answer
  ) throws(KithError) {
    self = answer(try view.run(query))
  }

  fileprivate func adding(_ details: ResultDetails, _ view: borrowing GraphView) throws(KithError) -> Answer {
    switch self {
    case .users(let page): .users(try view.adding(details, to: page))
    case .posts(let page): .posts(try view.adding(details, to: page))
    case .timeline(let page): .timeline(try view.adding(details, to: page))
    case .twoHopTimeline(let page): .twoHopTimeline(try view.adding(details, to: page))
    case .ancestors(let page): .ancestors(try view.adding(details, to: page))
    case .user(let user): .user(try view.adding(details, to: user))
    case .post(let post): .post(try view.adding(details, to: post))
    case .usersByID(let users): .usersByID(try view.adding(details, to: users))
    case .postsByID(let posts): .postsByID(try view.adding(details, to: posts))
    case .lookup(let found): .lookup(try found.adding(details, view))
    case .incoming(let page): .incoming(try view.adding(details, to: page))
    case .suggestions(let page): .suggestions(try view.adding(details, to: page))
    case .value, .relations, .edges, .incomingCount, .shortestPath: self
    }
  }

  /// The users and posts that tell of relations.
  fileprivate var nodes: [Node] {
    switch self {
    case .users(let page): page._nodes
    case .posts(let page), .timeline(let page), .twoHopTimeline(let page), .ancestors(let page): page._nodes
    case .user(let user): user._nodes
    case .post(let post): post._nodes
    case .usersByID(let users): users._nodes
    case .postsByID(let posts): posts._nodes
    case .lookup(let found): found.users._nodes + found.posts._nodes
    case .incoming(let page): page._nodes
    case .suggestions(let page): page._nodes
    case .value, .relations, .edges, .incomingCount, .shortestPath: []
    }
  }
}

/// An answer with what it depends on.
private struct DependentAnswer: ReadOutcome {
  let answer: Answer
  let dependencies: [QueryDependency]

  init<Q: Query>(
    _ query: Q, _ view: borrowing GraphView, _ answer: (Q.Output) -> Answer
  ) throws(KithError) {
    let result = try view.run(query)
    self.init(answer(result), query.dependencies(of: result))
  }

  private init(_ answer: Answer, _ dependencies: [QueryDependency]) {
    (self.answer, self.dependencies) = (answer, dependencies)
  }

  func adding(_ details: ResultDetails, _ view: borrowing GraphView) throws(KithError) -> DependentAnswer {
    DependentAnswer(
      try answer.adding(details, view), dependencies + QueryDependency.details(of: answer.nodes))
  }
}
