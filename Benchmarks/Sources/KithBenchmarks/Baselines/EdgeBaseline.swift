import CBaseline

/// Follows and likes as growing arrays in C, which are never freed.
///
/// Each `unsafe` here lends rows below the counts given at the start to one call of the baseline.
@safe final class EdgeBaseline {
  private let follows: OpaquePointer
  private let likes: OpaquePointer
  private let names: Texts
  private let nameOffsets: [UInt32]
  private var postCounts: [UInt32]
  private let page = UnsafeMutablePointer<baseline_liker>.allocate(capacity: 20)
  private let bytes: UnsafeMutablePointer<CChar>

  /// The follows and likes of the network, in the order in which the engine was filled.
  init(_ network: Network) {
    let userCount = UInt32(network.userCount)
    unsafe follows = baseline_edges_create(userCount, userCount)
    unsafe likes = baseline_edges_create(userCount, UInt32(network.authors.count))
    names = Texts(network.names)
    nameOffsets = names.offsets.map { UInt32($0) }
    postCounts = [UInt32](repeating: 0, count: network.userCount)
    for author in network.authors { postCounts[Int(author)] += 1 }
    unsafe bytes = .allocate(capacity: 20 * max(1, names.longest))
    let second = UInt32(Network.edgeTime / 1_000)
    for user in 0..<network.userCount {
      for followee in network.followees[user] {
        _ = unsafe baseline_edges_insert(follows, UInt32(user), followee, second)
      }
      for post in network.likes[user] { _ = unsafe baseline_edges_insert(likes, UInt32(user), post, second) }
    }
  }

  @inline(__always)
  func follow(_ user: Int, _ target: Int, second: UInt32) -> Bool {
    unsafe baseline_edges_insert(follows, UInt32(user), UInt32(target), second)
  }

  @inline(__always)
  func unfollow(_ user: Int, _ target: Int) -> Bool {
    unsafe baseline_edges_remove(follows, UInt32(user), UInt32(target))
  }

  @inline(__always)
  func like(_ user: Int, _ post: Int, second: UInt32) -> Bool {
    unsafe baseline_edges_insert(likes, UInt32(user), UInt32(post), second)
  }

  @inline(__always)
  func unlike(_ user: Int, _ post: Int) -> Bool { unsafe baseline_edges_remove(likes, UInt32(user), UInt32(post)) }

  @inline(__always)
  func isFollowing(_ user: Int, _ target: Int) -> Bool {
    unsafe baseline_edges_has(follows, UInt32(user), UInt32(target))
  }

  @inline(__always)
  func followerCount(_ user: Int) -> Int { unsafe Int(baseline_edges_sources(follows, UInt32(user))) }

  /// The first twenty likers of a post, written to the baseline's own memory; returns how many.
  @inline(__always)
  func likers(_ post: Int) -> Int {
    unsafe Int(
      baseline_edges_first(likes, follows, UInt32(post), nameOffsets, names.bytes, postCounts, 20, page, bytes))
  }

  /// The users of the last `likers`: row and time of each.
  func lastLikers(_ count: Int) -> [(user: Int, second: UInt32)] {
    (0..<count).map { index in unsafe (Int(page[index].user), page[index].second) }
  }
}
