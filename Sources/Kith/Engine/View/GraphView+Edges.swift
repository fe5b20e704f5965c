/// Edges of any relation, those that the host declared and the four of every graph.
extension GraphView {
  /// The schema of the graph; nil for a graph without one.
  public var schema: SocialGraph.Schema? { state.relations.schema }

  /// The users that the edges of a node lead to, with the time of each edge.
  /// - Throws: `KithError.unknownRelation`, `unknownUser`, `unknownPost`, also for a node across a block from the
  ///   viewer; `invalidRequest` if no edge of the relation leads from such a node to users, or a value of the query is
  ///   out of range; `invalidCursor`.
  /// - Complexity: O(edges of the node + limit · log limit).
  public func targets(
    of node: some NodeIdentifier, _ relation: Relation, _ query: EdgeQuery = EdgeQuery()
  ) throws(KithError) -> Page<User> {
    try run(UsersOfEdges(relation: relation, side: .targets, node: node.node, query: query))
  }

  /// The posts that the edges of a node lead to, with the time of each edge.
  /// - Throws: as `targets`; also `invalidRequest` for an order by name.
  /// - Complexity: O(edges of the node + limit · log limit).
  public func targetPosts(
    of node: some NodeIdentifier, _ relation: Relation, _ query: EdgeQuery = EdgeQuery()
  ) throws(KithError) -> Page<Post> {
    try run(PostsOfEdges(relation: relation, side: .targets, node: node.node, query: query))
  }

  /// The users whose edges lead to a node, with the time of each edge.
  /// - Throws: as `targets`.
  /// - Complexity: O(limit · log edges); by name O(edges) or a walk over all names, whichever is cheaper.
  public func sources(
    of node: some NodeIdentifier, _ relation: Relation, _ query: EdgeQuery = EdgeQuery()
  ) throws(KithError) -> Page<User> {
    try run(UsersOfEdges(relation: relation, side: .sources, node: node.node, query: query))
  }

  /// The posts whose edges lead to a node, with the time of each edge.
  /// - Throws: as `targetPosts`.
  /// - Complexity: O(limit · log edges), and O(edges) for a viewer who may see few of them.
  public func sourcePosts(
    of node: some NodeIdentifier, _ relation: Relation, _ query: EdgeQuery = EdgeQuery()
  ) throws(KithError) -> Page<Post> {
    try run(PostsOfEdges(relation: relation, side: .sources, node: node.node, query: query))
  }

  // MARK: - Conversations

  /// The posts of a conversation: those with the same root as a post, also the post itself.
  /// - Throws: `KithError.unknownPost`, also for a post across a block from the viewer; `unknownUser`,
  ///   `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(log posts of the conversation + limit), and as many as are hidden from the viewer.
  public func thread(of post: PostID, _ query: ThreadQuery = ThreadQuery()) throws(KithError) -> Page<Post> {
    try run(PostsOfThread(post: post, query: query)).page
  }

  /// The posts that a post replies to, nearest first, without those that were removed or are hidden from the viewer.
  /// The limit is 1…1,000. `Page.isTruncated` says whether there are more: they are the ancestors of the last one.
  /// - Throws: `KithError.unknownPost`, `unknownUser`, `invalidRequest`.
  /// - Complexity: O(limit), and as many as were removed or are hidden.
  public func ancestors(
    of post: PostID, limit: Int = 20, as viewer: UserID? = nil, includesAuthors: Bool = false
  ) throws(KithError) -> Page<Post> {
    try run(AncestorsOfPost(post: post, limit: limit, viewer: viewer, includesAuthors: includesAuthors))
  }

  /// The posts that reply to a post: `sourcePosts` of the relation that makes threads.
  /// - Throws: as `sourcePosts`; `invalidRequest` if no relation makes threads.
  /// - Complexity: as of `sourcePosts`.
  public func replies(to post: PostID, _ query: EdgeQuery = EdgeQuery()) throws(KithError) -> Page<Post> {
    try checkOpen()
    guard let kind = state.relations.thread else { throw .invalidRequest(.noSuchList(of: "replies")) }
    return try sourcePosts(of: post, state.relations[kind], query)
  }

  // MARK: - Incoming

  /// What leads to a user: the edges to the user and to their posts, by (second, number of the relation, id of the
  /// source, id of the target), descending. The user is the viewer: edges of their own are left out, those of users
  /// across a block or muted, and those that their source alone sees.
  /// - Throws: `KithError.unknownUser`, `unknownRelation`; `invalidRequest` for a limit out of range or too many
  ///   relations; `invalidCursor`.
  /// - Complexity: O(posts of the user · relations) reads of bounds, and O(lists opened · log edges + limit), and as
  ///   many as are left out. A graph that was opened without a schema has no bounds, and opens all lists.
  public func incoming(
    to user: UserID, _ query: IncomingQuery = IncomingQuery()
  ) throws(KithError) -> Page<IncomingEdge> {
    try run(IncomingEdges(user: user, query: query))
  }

  /// How many edges `incoming` has, counted to `SocialGraph.Limits.incomingCount`; the query's limit does not matter.
  /// - Throws: as `incoming`.
  /// - Complexity: as `incoming`, of a page with as many edges.
  public func incomingCount(
    to user: UserID, _ query: IncomingQuery = IncomingQuery()
  ) throws(KithError) -> IncomingCount {
    try run(CountOfIncoming(user: user, query: query))
  }

  // MARK: - Edges

  /// Whether there is an edge.
  /// - Throws: `KithError.unknownRelation`, `unknownUser`, `unknownPost`.
  /// - Complexity: O(log edges of the source).
  public func hasEdge(
    _ relation: Relation, from source: some NodeIdentifier, to target: some NodeIdentifier
  ) throws(KithError) -> Bool {
    try checkOpen()
    let kind = try state.relations.kind(of: relation)
    let rows = (try state.row(of: source.node), try state.row(of: target.node))
    let known = state.relations[kind]
    return known.source == source.node.end && known.target == target.node.end && state.hasEdge(kind, rows.0, rows.1)
  }

  /// The edges of all relations between a node and up to 1,000 users and as many posts, in their order.
  /// - Throws: `KithError.invalidRequest` if there are too many; `unknownUser`, `unknownPost` for any of them.
  /// - Complexity: O(others · relations in use · log edges).
  public func edges(between node: some NodeIdentifier, and others: [Node]) throws(KithError) -> [Node.Edges] {
    try run(EdgesBetween(node: node.node, others: others))
  }

  /// A relation by its name, as the graph has it.
  /// - Throws: `KithError.unknownRelation`.
  package func knownRelation(_ name: String) throws(KithError) -> Relation {
    try state.relations.known(Relation(name, from: .user, to: .user))
  }

  /// The number of all edges of a relation.
  /// - Throws: `KithError.unknownRelation`.
  /// - Complexity: O(1).
  public func edgeCount(_ relation: Relation) throws(KithError) -> Int {
    try checkOpen()
    let kind = try state.relations.kind(of: relation)
    return state.isInUse(kind) ? state[kind].count : 0
  }
}
