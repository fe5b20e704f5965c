/// A position in the order of posts: time, then id.
///
/// The id is unsigned, so that a bound can sort after every id.
struct PostKey: Hashable, Comparable, Sendable {
  var time: Int64
  var id: UInt64

  /// After every possible post.
  static var end: PostKey { PostKey(time: .max, id: .max) }

  /// The least key above this one, and the greatest below it; ids of posts are neither 0 nor the greatest number.
  var successor: PostKey { PostKey(time: time, id: id == .max ? id : id + 1) }
  var predecessor: PostKey { PostKey(time: time, id: id == 0 ? id : id - 1) }

  @inline(__always)
  static func < (left: PostKey, right: PostKey) -> Bool {
    left.time < right.time || (left.time == right.time && left.id < right.id)
  }
}
