/// The top k of posts by key, offered in any order.
struct NewestPosts: ~Copyable {
  private struct Entry: Comparable {
    var key: PostKey
    var row: UInt32

    @inline(__always)
    static func < (left: Entry, right: Entry) -> Bool { left.key < right.key }
  }

  private let firstBound: PostKey
  private var newest: TopK<Entry>

  /// - Parameter bound: only posts with a higher key are kept.
  init(limit: Int, bound: PostKey) {
    firstBound = bound
    newest = TopK(limit: limit)
  }

  /// Posts at or before this key are rejected: the initial bound, or the oldest post kept once there are enough.
  var bound: PostKey { newest.bar?.key ?? firstBound }

  /// Adds a post whose key is above the bound.
  @inline(__always)
  mutating func add(_ key: PostKey, _ row: UInt32) { newest.push(Entry(key: key, row: row)) }

  /// Drops posts that are not among the newest. This may raise the bound.
  mutating func settle() { newest.select() }

  /// The posts, newest first.
  mutating func rows() -> [UInt32] { newest.sorted().map(\.row) }

  var count: Int { newest.count }
}
