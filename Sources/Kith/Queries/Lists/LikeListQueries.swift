/// The users who like a post, oldest like first.
struct LikersQuery: Query {
  let post: PostID
  let query: ListQuery
  var operation: GraphOperation { .likers }

  // Inlined, because a call copies the query value.
  @inline(__always)
  func run(_ state: borrowing GraphState) throws(KithError) -> Page<User> {
    try SocialGraph.Limits.check(pageLimit: query.limit)
    let visibility = try Visibility(of: query.viewer, state)
    let row = try visibility.row(of: post, state)
    let items = try visibility.hidingMuted(query.leavesOutMuted, state)
    let page = EdgePage(kind: .likers, subject: post.rawValue, limit: query.limit, visibility: items)
    let start = state.likes.place(
      in: row, after: try page.last(query.cursor), isAscending: true, ids: state.users.identifiers.ids)
    return page.sources(of: row, in: state.likes, from: start, isAscending: true, .liked, state)
  }

  func dependencies(of page: Page<User>) -> [QueryDependency] {
    [.post(post)] + QueryDependency.access(of: query.viewer, leavesOutMuted: query.leavesOutMuted)
      + QueryDependency.shown(page)
  }
}

/// The posts that a user likes, newest like first.
struct LikesQuery: Query {
  let user: UserID
  let query: ListQuery
  var operation: GraphOperation { .likes }

  // Inlined, because a call copies the query value.
  @inline(__always)
  func run(_ state: borrowing GraphState) throws(KithError) -> Page<Post> {
    try SocialGraph.Limits.check(pageLimit: query.limit)
    let visibility = try Visibility(of: query.viewer, state)
    let own = try visibility.row(of: user, state)
    let items = try visibility.hidingMuted(query.leavesOutMuted, state)
    let page = EdgePage(kind: .likes, subject: user.rawValue, limit: query.limit, visibility: items)
    var selection = try page.selection(query.cursor)
    selection.push(targetsOf: own, in: state.likes) { row in
      items.hides(post: row, state) ? nil : state.posts.identifiers.ids[row]
    }
    var edges = selection.best()
    let next = page.cut(&edges)
    let rows = edges.map(\.row)
    let records = PostRecords(
      rows.span, visibility, state, likedTimestamps: edges.map(\.timestamp), includesAuthors: query.includesAuthors)
    return Page(records, next: next)
  }

  func dependencies(of page: Page<Post>) -> [QueryDependency] {
    [.likes(of: user), .removedPosts]
      + QueryDependency.access(of: query.viewer, leavesOutMuted: query.leavesOutMuted) + QueryDependency.shown(page)
  }
}
