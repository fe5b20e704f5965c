/// Timelines that reach further than one's own followees.
extension GraphView {
  /// The posts of those whom a user follows and of those whom these follow, newest first, with one's own unless
  /// `includeSelf` is off; without those the user mutes or stands across a block from.
  ///
  /// Order and pages are those of `timeline`. It is exact as long as the followees together follow no more than
  /// `followLimit` others; where they do, the lists of those who follow most are left out, and the page `isTruncated`.
  /// Errors: `unknownUser`, `invalidRequest`, `invalidCursor`.
  /// - Complexity: O(followees + their follows + limit · log limit), and O(log posts) for each author whose newest post
  ///   is beyond the cursor.
  public func twoHopTimeline(
    of user: UserID, _ options: TimelineOptions = TimelineOptions(), followLimit: Int = Limits.followCount
  ) throws(KithError) -> PostPage {
    let sight = try sight(of: user)
    try Self.check(limit: options.limit)
    if followLimit < 0 { throw .invalidRequest(reason: "a limit of follows is not negative") }
    let own = try state.userRow(user)
    var (low, high) = Self.bounds(before: options.before, after: options.after)
    if let cursor = options.cursor {
      let key = try Self.postKey(cursor, kind: .twoHopTimeline, subject: user.rawValue)
      if options.direction == .older { high = min(high, key) } else { low = max(low, key) }
    }
    let followees = Followees(of: own, in: state, followLimit: followLimit)
    var merge = TimelineMerge(
      direction: options.direction == .older ? .older : .newer, low: low, high: high, limit: options.limit + 1)
    state.pushTwoHops(of: own, followees, includeSelf: options.includeSelf, to: &merge)
    merge.merge(state.posts)
    return page(&merge, .twoHopTimeline, user, options, sight, isTruncated: followees.isTruncated)
  }
}
