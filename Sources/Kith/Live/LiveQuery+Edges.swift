/// Live lists of the edges of any relation.
extension LiveQuery where Value == Page<User>, Failure == KithError {
  /// The users that a node's edges lead to. See `GraphView.targets`.
  public static func targets(
    of node: some NodeIdentifier, _ relation: Relation, _ query: EdgeQuery = EdgeQuery()
  ) -> LiveQuery {
    LiveQuery(UsersOfEdges(relation: relation, side: .targets, node: node.node, query: query))
  }

  /// The users whose edges lead to a node. See `GraphView.sources`.
  public static func sources(
    of node: some NodeIdentifier, _ relation: Relation, _ query: EdgeQuery = EdgeQuery()
  ) -> LiveQuery {
    LiveQuery(UsersOfEdges(relation: relation, side: .sources, node: node.node, query: query))
  }
}

extension LiveQuery where Value == Page<Post>, Failure == KithError {
  /// The posts that a node's edges lead to. See `GraphView.targetPosts`.
  public static func targetPosts(
    of node: some NodeIdentifier, _ relation: Relation, _ query: EdgeQuery = EdgeQuery()
  ) -> LiveQuery {
    LiveQuery(PostsOfEdges(relation: relation, side: .targets, node: node.node, query: query))
  }

  /// The posts whose edges lead to a node. See `GraphView.sourcePosts`.
  public static func sourcePosts(
    of node: some NodeIdentifier, _ relation: Relation, _ query: EdgeQuery = EdgeQuery()
  ) -> LiveQuery {
    LiveQuery(PostsOfEdges(relation: relation, side: .sources, node: node.node, query: query))
  }
}

/// Live conversations.
extension LiveQuery where Value == Page<Post>, Failure == KithError {
  /// The posts of a conversation. See `GraphView.thread`.
  public static func thread(of post: PostID, _ query: ThreadQuery = ThreadQuery()) -> LiveQuery {
    let posts = PostsOfThread(post: post, query: query)
    return LiveQuery(asking: { (view) throws(KithError) in
      let found = try view.run(posts)
      return (found.page, posts.dependencies(of: found))
    })
  }

  /// The posts that a post replies to. See `GraphView.ancestors`.
  public static func ancestors(
    of post: PostID, limit: Int = 20, as viewer: UserID? = nil, includesAuthors: Bool = false
  ) -> LiveQuery {
    LiveQuery(AncestorsOfPost(post: post, limit: limit, viewer: viewer, includesAuthors: includesAuthors))
  }
}

extension LiveQuery where Value == Page<IncomingEdge>, Failure == KithError {
  /// What leads to a user. See `GraphView.incoming`.
  public static func incoming(to user: UserID, _ query: IncomingQuery = IncomingQuery()) -> LiveQuery {
    LiveQuery(IncomingEdges(user: user, query: query))
  }
}

extension LiveQuery where Value == IncomingCount, Failure == KithError {
  /// How many edges lead to a user. See `GraphView.incomingCount`.
  public static func incomingCount(to user: UserID, _ query: IncomingQuery = IncomingQuery()) -> LiveQuery {
    LiveQuery(CountOfIncoming(user: user, query: query))
  }
}

extension LiveQuery where Value == [Node.Edges], Failure == KithError {
  /// The edges of all relations between a node and others. See `GraphView.edges`.
  public static func edges(between node: some NodeIdentifier, and others: [Node]) -> LiveQuery {
    LiveQuery(EdgesBetween(node: node.node, others: others))
  }
}

extension LiveQuery where Value: ResultDetailed, Failure == KithError {
  /// The same query, whose users and posts tell of relations. See `GraphView.adding`.
  public func adding(_ details: ResultDetails) -> LiveQuery {
    let ask = ask
    return LiveQuery(asking: { (view) throws(KithError) in
      let (value, dependencies) = try ask(view)
      let edges = QueryDependency.details(of: value._nodes)
      return (try view.adding(details, to: value), dependencies + edges)
    })
  }
}
