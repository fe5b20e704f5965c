/// The newest posts of those that are offered, in any order.
struct NewestPosts {
  private let limit: Int
  private var entries: [(key: PostKey, row: UInt32)] = []
  /// No post at or before it is wanted: what was asked for, or the oldest of enough posts.
  private(set) var bound: PostKey
  private var isInOrder = true

  /// - Parameter bound: only posts behind it are wanted.
  init(limit: Int, bound: PostKey) {
    self.limit = limit
    self.bound = bound
    entries.reserveCapacity(limit)
  }

  /// Takes a post whose key is behind the bound.
  @inline(__always)
  mutating func add(_ key: PostKey, _ row: UInt32) {
    if let last = entries.last, last.key < key { isInOrder = false }
    entries.append((key, row))
    if entries.count >= 2 * limit { settle() }
  }

  /// Lets go of what is not among the newest, which may raise the bound.
  mutating func settle() {
    if !isInOrder { entries.sort { $0.key > $1.key } }
    isInOrder = true
    if entries.count < limit { return }
    entries.removeLast(entries.count - limit)
    if let last = entries.last { bound = last.key }
  }

  /// The posts, newest first.
  consuming func rows() -> [UInt32] {
    settle()
    return entries.map(\.row)
  }

  var count: Int { entries.count }
}
