import Kith

/// A post in the same form for the plain recomputation, the baseline and the engine.
struct PlainPost: Equatable {
  let id: Int64
  let createdAt: Int64
  let author: Int64
  let username: String
  let text: String
  let likeCount: Int
  let liked: Bool
}

/// Results by plain recomputation from the network's arrays: gather, sort, truncate. Slow and simple.
struct PlainAnswers {
  private let network: Network
  private let postsByAuthor: [[Int]]
  private let likeCounts: [Int]
  /// Folded name, name, user; in the order of results.
  let names: [(folded: [UInt8], name: [UInt8], user: Int)]
  private let followerCounts: [Int]

  init(_ network: Network) {
    self.network = network
    var postsByAuthor = [[Int]](repeating: [], count: network.userCount)
    for (post, author) in network.authors.enumerated() { postsByAuthor[Int(author)].append(post) }
    self.postsByAuthor = postsByAuthor
    var likeCounts = [Int](repeating: 0, count: network.authors.count)
    for post in network.likes.elements { likeCounts[Int(post)] += 1 }
    self.likeCounts = likeCounts
    var followerCounts = [Int](repeating: 0, count: network.userCount)
    for followee in network.followees.elements { followerCounts[Int(followee)] += 1 }
    self.followerCounts = followerCounts
    // Names are ASCII here, where folding is lower case.
    names = network.names.enumerated()
      .map { (folded: Array($1.lowercased().utf8), name: Array($1.utf8), user: $0) }
      .sorted {
        $0.folded == $1.folded
          ? $0.name.lexicographicallyPrecedes($1.name) : $0.folded.lexicographicallyPrecedes($1.folded)
      }
  }

  func timeline(of user: Int, limit: Int) -> [PlainPost] {
    let authors = network.followees[user].map(Int.init) + [user]
    let posts = authors.flatMap { postsByAuthor[$0] }
      .sorted { (network.times[$0], $0) > (network.times[$1], $1) }
    return posts.prefix(limit).map { post in
      let author = Int(network.authors[post])
      return PlainPost(
        id: Int64(post) + 1, createdAt: network.times[post], author: Int64(author) + 1, username: network.names[author],
        text: network.texts[post], likeCount: likeCounts[post], liked: network.likes[user].contains(UInt32(post)))
    }
  }

  /// Users, with whether the viewer follows them, whose name contains the query, or begins with it.
  func search(
    _ query: String, prefix: Bool, order: UserQuery.Order, viewer: Int, limit: Int
  ) -> [(user: Int, following: Bool)] {
    let wanted = Array(query.lowercased().utf8)
    let followees = Set(network.followees[viewer])
    var found: [(front: Int, user: Int)] = []
    for (folded, _, user) in names where user != viewer {
      let begins = folded.starts(with: wanted)
      if !begins && (prefix || !folded.indices.contains { folded[$0...].starts(with: wanted) }) { continue }
      let front =
        switch order {
        case .name: 0
        case .prefixFirst: begins ? 1 : 0
        case .followedFirst: followees.contains(UInt32(user)) ? 1 : 0
        case .popular: followerCounts[user]
        @unknown default: preconditionFailure("there is no plain answer in order \(order)")
        }
      found.append((front, user))
      if order == .name && found.count == limit { break }
    }
    let sorted = found.enumerated().sorted { (-$0.element.front, $0.offset) < (-$1.element.front, $1.offset) }
    return sorted.prefix(limit).map { ($0.element.user, followees.contains(UInt32($0.element.user))) }
  }
}
