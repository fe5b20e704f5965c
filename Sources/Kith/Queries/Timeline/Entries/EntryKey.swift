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

/// What a cursor of a timeline is bound to, beside its user: the sources.
struct TimelineBinding {
  /// 0 for the followees, whose cursors hold the place alone.
  let hash: Int64
  let user: UserID

  init(_ user: UserID, _ sources: TimelineQuery.Sources) {
    self.user = user
    guard let name = Self.name(of: sources) else {
      hash = 0
      return
    }
    hash = 1 + Int64(FNV1a.hash(name.utf8))
  }

  /// Nil for the followees.
  private static func name(of sources: TimelineQuery.Sources) -> String? {
    switch sources {
    case .followees: return nil
    case .targets(let relations):
      let names = Set(relations.map(\.name))
      return names == [Relation.follow.name]
        ? nil : "targets \(names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })"
    case .members(let relation, let post): return "members \(relation.name) \(post.rawValue)"
    case .users(let users): return "users \(Set(users).map(\.rawValue).sorted())"
    case .author(let user): return "author \(user.rawValue)"
    case .everyone: return "everyone"
    }
  }

  /// The cursor at an entry. One at a post of followees is that of a timeline without reposts.
  func cursor(at key: EntryKey) -> Cursor {
    let post = Int64(bitPattern: key.post)
    if hash == 0 && key.reposter == 0 {
      return Cursor(CursorPlace(kind: .timeline, subject: user.rawValue, first: key.time, second: post))
    }
    let numbers = [key.time, post, key.reposter] + (hash == 0 ? [] : [hash])
    return CursorContent(kind: .timeline, subject: user.rawValue, numbers: numbers).cursor
  }

  /// The place that a cursor is at.
  /// - Throws: `invalidCursor`.
  func key(of cursor: Cursor) throws(KithError) -> EntryKey {
    if hash == 0 && (cursor.place != nil || CursorContent(cursor)?.numbers.count == 2) {
      let place = try CursorPlace(cursor, kind: .timeline, subject: user.rawValue)
      return EntryKey(time: place.first, post: UInt64(bitPattern: place.second), reposter: 0)
    }
    let numbers = try CursorContent(
      cursor, kind: .timeline, subject: user.rawValue, numberCount: hash == 0 ? 3 : 4
    ).numbers
    if hash != 0 && numbers[3] != hash { throw .invalidCursor }
    return EntryKey(time: numbers[0], post: UInt64(bitPattern: numbers[1]), reposter: numbers[2])
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
