import CFloor

/// Follows and likes as growing arrays in C, which live as long as the process.
///
/// Each `unsafe` here lends rows below the counts given at the start to one call of the floor.
@safe final class EdgeFloor {
  private let follows: OpaquePointer
  private let likes: OpaquePointer
  private let names: Texts
  private let nameOffsets: [UInt32]
  private var postCounts: [UInt32]
  private let page = UnsafeMutablePointer<floor_liker>.allocate(capacity: 20)
  private let bytes: UnsafeMutablePointer<CChar>

  /// The same follows and likes as the network's, in the order in which the engine was filled.
  init(_ network: Network) {
    let userCount = UInt32(network.userCount)
    unsafe follows = floor_edges_create(userCount, userCount)
    unsafe likes = floor_edges_create(userCount, UInt32(network.authors.count))
    names = Texts(network.names)
    nameOffsets = names.offsets.map { UInt32($0) }
    postCounts = [UInt32](repeating: 0, count: network.userCount)
    for author in network.authors { postCounts[Int(author)] += 1 }
    unsafe bytes = .allocate(capacity: 20 * max(1, names.longest))
    let second = UInt32(Network.edgeTime / 1_000)
    for user in 0..<network.userCount {
      for followee in network.followees[user] {
        _ = unsafe floor_edges_insert(follows, UInt32(user), followee, second)
      }
      for post in network.likes[user] { _ = unsafe floor_edges_insert(likes, UInt32(user), post, second) }
    }
  }

  @inline(__always)
  func follow(_ user: Int, _ target: Int, second: UInt32) -> Bool {
    unsafe floor_edges_insert(follows, UInt32(user), UInt32(target), second)
  }

  @inline(__always)
  func unfollow(_ user: Int, _ target: Int) -> Bool { unsafe floor_edges_remove(follows, UInt32(user), UInt32(target)) }

  @inline(__always)
  func like(_ user: Int, _ post: Int, second: UInt32) -> Bool {
    unsafe floor_edges_insert(likes, UInt32(user), UInt32(post), second)
  }

  @inline(__always)
  func unlike(_ user: Int, _ post: Int) -> Bool { unsafe floor_edges_remove(likes, UInt32(user), UInt32(post)) }

  @inline(__always)
  func isFollowing(_ user: Int, _ target: Int) -> Bool {
    unsafe floor_edges_has(follows, UInt32(user), UInt32(target))
  }

  @inline(__always)
  func followerCount(_ user: Int) -> Int { unsafe Int(floor_edges_sources(follows, UInt32(user))) }

  /// The first twenty likers of a post, written to the floor's own memory; answers how many.
  @inline(__always)
  func likers(_ post: Int) -> Int {
    unsafe Int(floor_edges_first(likes, follows, UInt32(post), nameOffsets, names.bytes, postCounts, 20, page, bytes))
  }

  /// Whom the last `likers` named: row and second of each.
  func lastLikers(_ count: Int) -> [(user: Int, second: UInt32)] {
    (0..<count).map { index in unsafe (Int(page[index].user), page[index].second) }
  }
}
