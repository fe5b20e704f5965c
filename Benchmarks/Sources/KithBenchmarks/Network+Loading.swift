import Kith

extension Network {
  static func userID(_ row: Int) -> UserID { UserID(Int64(row) + 1) }
  static func postID(_ row: Int) -> PostID { PostID(Int64(row) + 1) }

  /// The time of an edge: the same for all, or a random one of the four years before.
  func edgeTime(_ source: Int, _ target: Int) -> Timestamp {
    if !spreadsTimes { return Timestamp(Self.edgeTime) }
    let mixed = (UInt64(source) << 32 | UInt64(target)) &* 0x9E37_79B9_7F4A_7C15
    return Timestamp(Self.edgeTime - Int64(mixed >> 37) * 1_000 % (4 * 365 * 86_400 * 1_000))
  }

  /// The same network in an engine, loaded by the public API: batches of changes.
  func load() throws(KithError) -> SocialGraph {
    var options = SocialGraph.Options()
    options.compactLists = compactLists
    let graph = SocialGraph(options: options)
    try load(into: graph) { _ in ([], nil) }
    return graph
  }

  /// The same network in a graph without users.
  /// - Parameter more: the edges and the flags of a post.
  func load(
    into graph: SocialGraph, post more: (Int) -> (edges: [PostEdge], flags: UInt16?)
  ) throws(KithError) {
    try Self.apply(userCount, to: graph) { (user, batch) throws(KithError) in
      try batch.apply(.addUser(id: Self.userID(user), username: names[user]))
    }
    try Self.apply(userCount, to: graph) { (user, batch) throws(KithError) in
      for followee in followees[user] {
        try batch.apply(
          .follow(
            as: Self.userID(user), target: Self.userID(Int(followee)), at: edgeTime(user, Int(followee))))
      }
    }
    try Self.apply(authors.count, to: graph) { (post, batch) throws(KithError) in
      let more = more(post)
      try batch.apply(
        .addPost(
          id: Self.postID(post), by: Self.userID(Int(authors[post])), text: texts[post],
          createdAt: Timestamp(times[post]), edges: more.edges, fields: PostFields(flags: more.flags)))
    }
    try Self.apply(userCount, to: graph) { (user, batch) throws(KithError) in
      for post in likes[user] {
        try batch.apply(.like(as: Self.userID(user), post: Self.postID(Int(post)), at: edgeTime(user, Int(post))))
      }
    }
  }

  /// Goes over 0..<count; a batch ends after 5,000 changes, because the list of one row can hold as many again.
  static func apply(
    _ count: Int, to graph: SocialGraph, _ body: (Int, inout SocialGraph.Batch) throws(KithError) -> Void
  ) throws(KithError) {
    var row = 0
    while row < count {
      row = try graph.batch { (batch) throws(KithError) in
        var next = row
        while next < count, batch.count < 5_000 {
          try body(next, &batch)
          next += 1
        }
        return next
      }
    }
  }
}
