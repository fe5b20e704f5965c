import Kith

/// The users of the demo: a viewer, and a target whom they will follow.
struct DemoCast {
  let viewer: User
  /// Nil when the viewer follows all others already.
  let target: User?
  /// The target's newest post; nil when they have none.
  let post: Post?

  /// The viewer follows about 300, or as many as any user. The target is not followed, and their newest post is as new
  /// as possible, so that a follow changes the viewer's timeline.
  ///
  /// - Complexity: O(users)
  init?(_ view: borrowing GraphView) throws(KithError) {
    var viewer: (id: UserID, distance: Int)?
    try view.forEachUser { (id, _, _) throws(KithError) in
      let distance = abs(try view.user(id).followeeCount - 300)
      if let best = viewer, best.distance <= distance { return }
      viewer = (id, distance)
    }
    guard let viewer else { return nil }
    self.viewer = try view.user(viewer.id)
    post = try Self.newestPost(in: view, notFollowedBy: viewer.id)
    if let post {
      target = try view.user(post.author.id, as: viewer.id)
    } else {
      let others = try view.searchUsers("", UserQuery(excludedUser: viewer.id, limit: 1_000, viewer: viewer.id))
      target = others.first { $0.isFollowedByViewer == false }
    }
  }

  private static func newestPost(in view: borrowing GraphView, notFollowedBy viewer: UserID) throws(KithError) -> Post?
  {
    var search = PostQuery(limit: 100, viewer: viewer)
    for _ in 0..<50 {
      let page = try view.searchPosts("", search)
      for post in page where post.author.id != viewer {
        if try !view.isFollowing(post.author.id, as: viewer) { return post }
      }
      guard let next = page.next else { return nil }
      search.cursor = next
    }
    return nil
  }
}
