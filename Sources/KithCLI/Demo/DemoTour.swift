import Kith

/// The steps of the demo, each of which prints what it does.
struct DemoTour {
  let graph: SocialGraph
  let cast: DemoCast

  var viewerName: String { printable(cast.viewer.username).shortened(to: 24) }

  /// Types the target's name into the search, one letter at a time.
  func typeName() throws(CommandFailure) {
    guard let target = cast.target else { return }
    try Console.write("\n\(viewerName) types a name into the search\n")
    var table = Table([.left, .right, .right, .left])
    table.add("typed", "matches", "latency", "first results (* = followed)")
    var typed = ""
    for letter in target.username {
      typed.append(letter)
      let query = typed
      let search = UserQuery(excludedUser: cast.viewer.id, limit: 20, viewer: cast.viewer.id)
      let latencies = try Latencies(count: 51) { (_) throws(CommandFailure) in
        try StoreAccess.ask(graph) { (view) throws(KithError) in try view.searchUsers(query, search) }
      }
      var counted = search
      counted.countsMatches = true
      let page = try StoreAccess.ask(graph) { (view) throws(KithError) in try view.searchUsers(query, counted) }
      let names = page.prefix(4).map {
        printable($0.username).shortened(to: 20) + ($0.isFollowedByViewer == true ? "*" : "")
      }
      table.add(
        printable(query), grouped(page.total ?? page.count), latencies.median.text, names.joined(separator: "  "))
    }
    try Console.write(table.text())
  }

  /// Follows the target, shows the timeline before and after, and likes their newest post.
  func followAndLike() throws(CommandFailure) {
    let viewer = cast.viewer.id
    let before = try timeline()
    try Console.write("\nTheir timeline: \(grouped(cast.viewer.followeeCount)) followed\n" + lines(before, new: nil))
    guard let target = cast.target else {
      try Console.write("  \(viewerName) follows all users: none is left to follow\n")
      return
    }
    let followed = try change(.follow(as: viewer, target: target.id, at: nil))
    let after = try timeline()
    let newCount = after.count { $0.author.id == target.id }
    let effect = newCount > 0 ? "and the timeline changes" : "who has no new posts: the timeline stays"
    try Console.write(
      """

      They follow \(printable(target.username).shortened(to: 24)) (\(followed.text)), \(effect)
      \(lines(after, new: target.id))
      """)
    if newCount > 0 { try Console.write("  \(newCount) of the \(after.count) newest posts are theirs now\n") }
    guard let post = cast.post else { return }
    let liked = try change(.like(as: viewer, post: post.id, at: nil))
    let seen = try StoreAccess.ask(graph) { (view) throws(KithError) in try view.post(post.id, as: viewer) }
    try Console.write(
      """

      They like a post of \(printable(post.author.username).shortened(to: 24)) (\(liked.text))
        \(printable(post.text).shortened(to: 70))
        likes: \(grouped(post.likeCount)) before, \(grouped(seen.likeCount)) now, \
      \(seen.isLikedByViewer == true ? "including theirs" : "theirs is missing")

      """)
  }

  private func timeline() throws(CommandFailure) -> Page<Post> {
    try StoreAccess.ask(graph) { (view) throws(KithError) in try view.timeline(of: cast.viewer.id) }
  }

  private func change(_ change: Change) throws(CommandFailure) -> Duration {
    let clock = ContinuousClock()
    let began = clock.now
    do throws(KithError) { try graph.apply(change) } catch { throw .no(error.sentence) }
    return clock.now - began
  }

  /// The first posts of a page, those of one author marked.
  private func lines(_ page: Page<Post>, new author: UserID?) -> String {
    guard !page.isEmpty else { return "  no posts\n" }
    var table = Table([.left, .left, .left, .left])
    for post in page.prefix(4) {
      table.add(
        post.author.id == author ? "new" : "", timeText(post.createdAt.rawValue),
        printable(post.author.username).shortened(to: 20), printable(post.text).shortened(to: 60))
    }
    return table.text()
  }
}
