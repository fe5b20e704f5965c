/// A position in the order of posts: time, then id.
///
/// The id is unsigned, so that a bound can sort after every id.
struct PostKey: Hashable, Comparable, Sendable {
  var time: Int64
  var id: UInt64

  /// After every possible post.
  static var end: PostKey { PostKey(time: .max, id: .max) }

  @inline(__always)
  static func < (left: PostKey, right: PostKey) -> Bool {
    left.time < right.time || (left.time == right.time && left.id < right.id)
  }
}
