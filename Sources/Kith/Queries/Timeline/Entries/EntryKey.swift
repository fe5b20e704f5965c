/// The place of an entry in a timeline: a post at its own time, or at the time of a repost.
struct EntryKey: Comparable {
  /// In milliseconds: when the post was created, or the second of the repost.
  var time: Int64
  /// The id of the post.
  var post: UInt64
  /// The id of the user who reposted it; 0 for the post's own place.
  var reposter: Int64

  @inline(__always)
  static func < (left: EntryKey, right: EntryKey) -> Bool {
    if left.time != right.time { return left.time < right.time }
    return left.post != right.post ? left.post < right.post : left.reposter < right.reposter
  }

  /// The least key above this one, and a key below it with none between that an entry has.
  var successor: EntryKey { EntryKey(time: time, post: post, reposter: reposter == .max ? reposter : reposter + 1) }
  var predecessor: EntryKey {
    if reposter > 0 { return EntryKey(time: time, post: post, reposter: reposter - 1) }
    return EntryKey(time: time, post: post == 0 ? 0 : post - 1, reposter: .max)
  }

  /// The bound of posts at their own places: the same are before it.
  var postBound: PostKey { PostKey(time: time, id: reposter == 0 || post == .max ? post : post + 1) }
  /// That of its post: the posts after it are after this key, too.
  var ownPlace: PostKey { PostKey(time: time, id: post) }
}

/// An entry of a timeline, by rows.
struct TimelineEntry: BitwiseCopyable {
  static let noReposter = UInt32.max

  /// As of its key.
  let time: Int64
  let post: UInt32
  /// `noReposter` at the post's own place.
  let reposter: UInt32

  @inline(__always)
  var isRepost: Bool { reposter != Self.noReposter }

  @inline(__always)
  func key(_ state: borrowing GraphState) -> EntryKey {
    EntryKey(
      time: time, post: UInt64(bitPattern: state.posts.identifiers.id(of: post)),
      reposter: isRepost ? state.users.identifiers.id(of: reposter) : 0)
  }
}

/// The entries of one page: those between two keys, both exclusive, nearest first in one direction.
struct EntryRange {
  let direction: TimelineQuery.Direction
  let low: EntryKey
  let high: EntryKey

  static let end = EntryKey(time: .max, post: .max, reposter: .max)

  /// The entries of a page after its cursor.
  init(_ query: TimelineQuery, _ binding: TimelineBinding) throws(KithError) {
    direction = query.direction
    var low = EntryKey(time: query.after?.rawValue ?? -1, post: .max, reposter: .max)
    var high = query.before.map { EntryKey(time: $0.rawValue, post: 0, reposter: 0) } ?? Self.end
    if let cursor = query.cursor {
      let key = try binding.key(of: cursor)
      switch direction {
      case .older: high = min(high, query.includesCursor ? key.successor : key)
      case .newer: low = max(low, query.includesCursor ? key.predecessor : key)
      }
    }
    (self.low, self.high) = (low, high)
  }
}
