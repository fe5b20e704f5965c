/// A post as the plain recomputation, the floor and the engine all put it.
struct PlainPost: Equatable {
  let id: Int64
  let createdAt: Int64
  let author: Int64
  let username: String
  let text: String
  let likeCount: Int
  let liked: Bool
}

/// Answers made the plain way, from the network's arrays: gather, sort, cut off. Slow, and hard to get wrong.
struct PlainAnswers {
  private let network: Network
  private let postsByAuthor: [[Int]]
  private let likeCounts: [Int]
  /// Folded name, name, user; in the order of results.
  private let names: [(folded: [UInt8], name: [UInt8], user: Int)]

  init(_ network: Network) {
    self.network = network
    var postsByAuthor = [[Int]](repeating: [], count: network.userCount)
    for (post, author) in network.authors.enumerated() { postsByAuthor[Int(author)].append(post) }
    self.postsByAuthor = postsByAuthor
    var likeCounts = [Int](repeating: 0, count: network.authors.count)
    for post in network.likes.elements { likeCounts[Int(post)] += 1 }
    self.likeCounts = likeCounts
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

  /// Users, with whether the viewer follows them, whose name holds the query, or begins with it.
  func search(_ query: String, prefix: Bool, viewer: Int, limit: Int) -> [(user: Int, following: Bool)] {
    let wanted = Array(query.lowercased().utf8)
    var found: [(user: Int, following: Bool)] = []
    for (folded, _, user) in names where user != viewer && found.count < limit {
      let isFound =
        prefix
        ? folded.starts(with: wanted)
        : folded.indices.contains { folded[$0...].starts(with: wanted) }
      if isFound { found.append((user, network.followees[viewer].contains(UInt32(user)))) }
    }
    return found
  }
}
