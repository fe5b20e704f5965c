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
      let key = try PostKey(cursor, kind: kind, subject: subject)
      switch query.direction {
      case .older: posts.high = min(posts.high, query.includesCursor ? key.successor : key)
      case .newer: posts.low = max(posts.low, query.includesCursor ? key.predecessor : key)
      }
    }
    self.init(direction: query.direction, low: posts.low, high: posts.high, limit: query.limit + 1)
  }
}
