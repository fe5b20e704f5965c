/// One post by id.
struct PostByID: Query {
  let id: PostID
  let viewer: UserID?
  var operation: GraphOperation { .post }

  func run(_ state: borrowing GraphState) throws(KithError) -> Post {
    let visibility = try Visibility(of: viewer, state)
    let row = [try visibility.row(of: id, state)]
    return Post(PostRecords(row.span, visibility, state), 0)
  }
}

/// Many posts by id; nil for an unknown post, or one whose author is hidden.
struct PostsByID: Query {
  let ids: [PostID]
  let viewer: UserID?
  var operation: GraphOperation { .post }

  func run(_ state: borrowing GraphState) throws(KithError) -> [Post?] {
    try SocialGraph.Limits.check(idCount: ids.count)
    let visibility = try Visibility(of: viewer, state)
    let found = FoundRows(ids) { id in
      guard let row = state.posts.row(of: id), !visibility.hides(state.posts.authors[row], state) else { return nil }
      return row
    }
    return Post.list(found, PostRecords(found.rows.span, visibility, state))
  }
}
