/// The range of a timeline scan: at most `limit` posts with keys between two exclusive bounds, nearest first in one
/// direction.
struct TimelineRange {
  let direction: TimelineQuery.Direction
  let low: PostKey
  let high: PostKey
  let limit: Int

  init(direction: TimelineQuery.Direction, low: PostKey, high: PostKey, limit: Int) {
    self.direction = direction
    self.low = low
    self.high = high
    self.limit = limit
  }

  /// The posts of a page after its cursor, and one more to detect another page.
  init(_ query: TimelineQuery, kind: CursorContent.Kind, subject: Int64) throws(KithError) {
    var posts = PostRange(before: query.before, after: query.after)
    if let cursor = query.cursor {
      if kind == .timeline && cursor.place == nil {
        try self.init(query, bound: posts, cursor, subject)
        return
      }
      let key = try PostKey(cursor, kind: kind, subject: subject)
      switch query.direction {
      case .older: posts.high = min(posts.high, query.includesCursor ? key.successor : key)
      case .newer: posts.low = max(posts.low, query.includesCursor ? key.predecessor : key)
      }
    }
    self.init(direction: query.direction, low: posts.low, high: posts.high, limit: query.limit + 1)
  }

  /// After the place of a cursor that may be at a repost, which is not shown here.
  @inline(never)
  private init(_ query: TimelineQuery, bound: PostRange, _ cursor: Cursor, _ user: Int64) throws(KithError) {
    let key = try TimelineBinding(UserID(rawValue: user), .followees).key(of: cursor)
    var (low, high) = (bound.low, bound.high)
    switch query.direction {
    case .older: high = min(high, (query.includesCursor ? key.successor : key).postBound)
    case .newer: low = max(low, (query.includesCursor ? key.predecessor : key).ownPlace)
    }
    self.init(direction: query.direction, low: low, high: high, limit: query.limit + 1)
  }
}
