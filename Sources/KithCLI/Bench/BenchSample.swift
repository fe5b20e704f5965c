import Kith

/// The users and posts that a bench queries: drawn at random from the graph, the same for the same graph and seed.
struct BenchSample: Sendable {
  /// Users with similar numbers of followees.
  struct FanIn: Sendable {
    let users: [UserID]
    /// The median of their followee counts.
    let followeeCount: Int
  }

  /// As many as queries, so that no query finds the cache lines of an earlier one for the same user.
  private static let userCounts = 1_000...100_000
  private static let fanInUserCount = 500
  /// A class begins at every power of four.
  private static let fanInClassCount = 11

  /// Any users, with equal probability.
  private(set) var users: [UserID] = []
  private(set) var names: [String] = []
  /// Parts of names, of one to eight letters.
  private(set) var parts: [String] = []
  /// Prefixes of names, of one to eight letters.
  private(set) var beginnings: [String] = []
  /// Names without one inner letter; short ones unchanged.
  private(set) var edits: [String] = []
  /// Those of the users who follow others.
  private(set) var followers: [UserID] = []
  /// From few to many.
  private(set) var fanIns: [FanIn] = []
  /// Posts in the timelines of the users.
  private(set) var posts: [PostID] = []
  /// Words of these posts, cut to what a query of two can have.
  private(set) var words: [String] = []

  /// - Parameter questionCount: the most queries of each kind.
  /// - Complexity: O(users)
  init(_ view: borrowing GraphView, seed: UInt64, questionCount: Int) throws(KithError) {
    var random = RandomSource(seed: seed, stream: 20)
    let userCount = min(max(questionCount, Self.userCounts.lowerBound), Self.userCounts.upperBound)
    try drawUsers(userCount, view, &random)
    try drawFanIns(view, &random)
    try drawPosts(view, &random)
  }

  private mutating func drawUsers(
    _ count: Int, _ view: borrowing GraphView, _ random: inout RandomSource
  ) throws(KithError) {
    guard view.counts.users > 0 else { return }
    while users.count < count {
      guard let user = view.user(at: random.below(view.rowCount)) else { continue }
      let seen = try view.user(user)
      let name = seen.username
      users.append(user)
      names.append(name)
      let letterCount = 1 + random.below(8)
      let half = name.count / 2
      edits.append(half < 3 ? name : String(name.prefix(half) + name.dropFirst(half + 1)))
      beginnings.append(String(name.prefix(letterCount)))
      parts.append(String(name.dropFirst(random.below(max(1, name.count - letterCount + 1))).prefix(letterCount)))
      if seen.followeeCount > 0 { followers.append(user) }
    }
  }

  /// Reservoir sampling: each user of a class with equal probability.
  private mutating func drawFanIns(
    _ view: borrowing GraphView, _ random: inout RandomSource
  ) throws(KithError) {
    var classes = [[Int]](repeating: [], count: Self.fanInClassCount)
    var seenCounts = [Int](repeating: 0, count: Self.fanInClassCount)
    for row in 0..<view.rowCount {
      let count = view.followeeCount(at: row)
      guard count > 0 else { continue }
      let place = min(Self.fanInClassCount - 1, (Int.bitWidth - 1 - count.leadingZeroBitCount) / 2)
      seenCounts[place] += 1
      if classes[place].count < Self.fanInUserCount {
        classes[place].append(row)
      } else {
        let chance = random.below(seenCounts[place])
        if chance < Self.fanInUserCount { classes[place][chance] = row }
      }
    }
    for rows in classes where !rows.isEmpty {
      let counts = rows.map { view.followeeCount(at: $0) }.sorted()
      fanIns.append(FanIn(users: rows.compactMap { view.user(at: $0) }, followeeCount: counts[counts.count / 2]))
    }
  }

  /// The beginning of a word, of at most half the bytes of a query less a space, and as few terms: letters and digits
  /// that signs divide are several.
  static func query(of word: Substring) -> String {
    let byteLimit = SocialGraph.Limits.queryByteCount / 2 - 1
    var scalars = String.UnicodeScalarView()
    var (byteCount, signCount) = (0, 0)
    for scalar in word.unicodeScalars {
      byteCount += scalar.utf8.count
      signCount += scalar.properties.isAlphabetic || scalar.properties.numericType != nil ? 0 : 1
      if byteCount > byteLimit || signCount > SocialGraph.Limits.queryTermCount / 2 - 1 { break }
      scalars.append(scalar)
    }
    return String(scalars)
  }

  private mutating func drawPosts(
    _ view: borrowing GraphView, _ random: inout RandomSource
  ) throws(KithError) {
    for user in users.prefix(2_000) {
      for post in try view.timeline(of: user) {
        posts.append(post.id)
        let words = post.text.split(separator: " ")
        if let word = words.isEmpty ? nil : random.pick(words) { self.words.append(Self.query(of: word)) }
      }
    }
    // In the order of one timeline, the likes of neighbours would share cache lines.
    let (inOrder, order) = (posts, random.permutation(posts.count))
    posts = order.map { inOrder[Int($0)] }
  }
}
