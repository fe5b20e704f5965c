import Kith

extension Network {
  static func userID(_ row: Int) -> UserID { UserID(Int64(row) + 1) }
  static func postID(_ row: Int) -> PostID { PostID(Int64(row) + 1) }

  /// The same network in an engine, loaded by the public API: batches of changes.
  func load() throws(KithError) -> SocialGraph {
    let graph = SocialGraph()
    try Self.apply(userCount, to: graph) { (user, batch) throws(KithError) in
      try batch.apply(.addUser(id: Self.userID(user), username: names[user]))
    }
    try Self.apply(userCount, to: graph) { (user, batch) throws(KithError) in
      for followee in followees[user] {
        try batch.apply(
          .follow(by: Self.userID(user), target: Self.userID(Int(followee)), at: Timestamp(Self.edgeTime)))
      }
    }
    try Self.apply(authors.count, to: graph) { (post, batch) throws(KithError) in
      try batch.apply(
        .addPost(
          id: Self.postID(post), author: Self.userID(Int(authors[post])), text: texts[post],
          createdAt: Timestamp(times[post])))
    }
    try Self.apply(userCount, to: graph) { (user, batch) throws(KithError) in
      for post in likes[user] {
        try batch.apply(.like(by: Self.userID(user), post: Self.postID(Int(post)), at: Timestamp(Self.edgeTime)))
      }
    }
    return graph
  }

  /// Goes over 0..<count; a batch ends after 5,000 changes, because the list of one row can hold as many again.
  private static func apply(
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
