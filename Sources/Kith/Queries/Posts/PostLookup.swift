/// One post by id.
struct PostByID: Query {
  let id: PostID
  let viewer: UserID?
  var includesAuthors = false
  var operation: GraphOperation { .post }

  func run(_ state: borrowing GraphState) throws(KithError) -> Post {
    let visibility = try Visibility(of: viewer, state)
    let row = [try visibility.row(of: id, state)]
    return Post(PostRecords(row.span, visibility, state, includesAuthors: includesAuthors), 0)
  }

  func dependencies(of post: Post) -> [QueryDependency] {
    QueryDependency.shown([post]) + QueryDependency.access(of: viewer)
  }
}

/// Many posts by id; nil for an unknown or hidden post.
struct PostsByID: Query {
  let ids: [PostID]
  let viewer: UserID?
  var includesAuthors = false
  var operation: GraphOperation { .post }

  func run(_ state: borrowing GraphState) throws(KithError) -> [Post?] {
    try SocialGraph.Limits.check(idCount: ids.count)
    let visibility = try Visibility(of: viewer, state)
    let found = FoundRows(ids) { id in
      guard let row = state.posts.row(of: id), !visibility.hides(post: row, state) else { return nil }
      return row
    }
    return Post.list(found, PostRecords(found.rows.span, visibility, state, includesAuthors: includesAuthors))
  }

  func dependencies(of posts: [Post?]) -> [QueryDependency] {
    ids.map { .post($0) } + posts.compactMap { post in post.map { .shown($0.author) } }
      + QueryDependency.access(of: viewer)
  }
}

/// Many users and many posts by id, in one query.
package struct LookupByID: Query {
  package struct Output: Equatable, Sendable {
    /// Nil for an unknown or hidden user.
    package let users: [User?]
    /// Nil for an unknown or hidden post.
    package let posts: [Post?]
  }

  private let users: UsersByID
  private let posts: PostsByID

  /// - Parameters:
  ///   - includesBlocked: whether the users whom the viewer blocks are found. Their posts are not.
  ///   - includesAuthors: whether posts have their authors as users.
  init(users: [UserID], posts: [PostID], viewer: UserID?, includesBlocked: Bool, includesAuthors: Bool) {
    self.users = UsersByID(ids: users, viewer: viewer, includesBlocked: includesBlocked)
    self.posts = PostsByID(ids: posts, viewer: viewer, includesAuthors: includesAuthors)
  }

  var operation: GraphOperation { .lookup }

  func run(_ state: borrowing GraphState) throws(KithError) -> Output {
    Output(users: try users.run(state), posts: try posts.run(state))
  }

  func dependencies(of result: Output) -> [QueryDependency] {
    users.dependencies(of: result.users) + posts.dependencies(of: result.posts)
  }
}
