/// The query planner of timelines: chooses between two scans. Both give the same page; tests force either.
///
/// A merge reads every followee. For each followee with posts since the bound, it also does a binary search in that
/// list. A backward scan instead reads about limit / (the followees' share of all posts) posts, whatever the number of
/// followees.
enum TimelinePlan {
  case cheaper, scan, merge

  /// Costs in half nanoseconds.
  enum Cost {
    /// Reading a post, with a search of its author among the followees, or only in their Bloom filter.
    static let searchedPost = 16
    static let filteredPost = 4
    /// Adding a followee to the Bloom filter, with the clearing of its slots.
    static let filteredFollowee = 4
    /// In a merge: reading a followee's newest time, from the second-level cache or from beyond it.
    static let cachedFollowee = 2
    static let scatteredFollowee = 20
    /// The users whose newest times, a megabyte, stay in that cache.
    static let cachedUserCount = 1 << 18
    /// In a merge: searching a followee's list, and the first post of a list with the step to it.
    static let searchedList = 160
    static let mergedPost = 120
    /// Reading the numbers of posts of a sample of followees.
    static let sample = 2_000
    /// The most that a scan that soon gives up, or a sample, may cost: this fraction (1/n) of what it delays.
    static let trialShare = 8
    /// How many times as often as the average user followees may post. A scan that this does not make cheaper is not
    /// tried: for later pages of a hundred followees, trials took a tenth of the time.
    static let mostActivity = 6

    static func merge(_ followeeCount: Int, of userCount: Int, searching searchedCount: Int, limit: Int) -> Int {
      let gatheredFollowee = userCount <= cachedUserCount ? cachedFollowee : scatteredFollowee
      return followeeCount * gatheredFollowee + searchedCount * searchedList + min(followeeCount, limit) * mergedPost
    }

    /// The cost of a scan that has no Bloom filter yet, and builds one if that pays.
    static func scan(_ postCount: Int, _ followeeCount: Int) -> Int {
      min(postCount * searchedPost, filter(followeeCount) + postCount * filteredPost)
    }

    static func filter(_ followeeCount: Int) -> Int { followeeCount * filteredFollowee }

    /// How many posts are read before a scan is given up for something of that cost. Fewer say little about the rest.
    static func trial(before cost: Int) -> Int { cost / (trialShare * searchedPost) }
  }

  /// The number of followees sampled to estimate how many lists a merge searches.
  private static let sampleCount = 32
  /// The followees from which on the numbers of posts of a sample are read, too: a cache miss each.
  private static let sampledFolloweeCount = 8 * sampleCount

  /// The most that a backward scan may cost before a merge is cheaper, in half nanoseconds.
  struct CostLimit {
    private(set) var cost: Int
    /// Whether the merge costs that much if it searches no list. Most scans cost less, and no sample need be read.
    private(set) var isLeast = false

    /// How many posts are read before the scan is given up, or a filter of that cost is built. The least that a merge
    /// costs does not shorten that: it need not end the scan.
    func trial(before filterCost: Int) -> Int { Cost.trial(before: isLeast ? filterCost : min(cost, filterCost)) }

    /// Whether a scan may cost that much.
    mutating func allows(
      _ scanCost: Int, _ user: UInt32, _ range: TimelineRange, _ state: borrowing GraphState
    ) -> Bool {
      if scanCost > cost && isLeast { self = CostLimit(cost: TimelinePlan.sampledMergeCost(user, range, state)) }
      return scanCost <= cost
    }
  }

  /// The most that a backward scan may cost before a merge is cheaper; nil if the merge runs at once.
  func scanCostLimit(_ user: UInt32, _ range: TimelineRange, _ state: borrowing GraphState) -> CostLimit? {
    if self == .merge || range.direction == .newer { return nil }
    if self == .scan { return CostLimit(cost: .max) }
    let followeeCount = state.follows.targetCount(user)
    if followeeCount == 0 { return nil }
    let userCount = state.users.count
    let isFirst = range.high == .end
    let isSampled = followeeCount >= Self.sampledFolloweeCount
    let usualCount = range.limit * userCount / followeeCount
    var cost = Cost.merge(followeeCount, of: userCount, searching: 0, limit: range.limit)
    if isScanWorthTrying(usualCount, followeeCount, cost) { return CostLimit(cost: cost, isLeast: !isFirst) }
    if !isFirst {
      let most = Cost.merge(followeeCount, of: userCount, searching: followeeCount, limit: range.limit)
      if !isSampled && !isScanWorthTrying(usualCount, followeeCount, most) { return nil }
      cost = Self.sampledMergeCost(user, range, state)
      if isScanWorthTrying(usualCount, followeeCount, cost) { return CostLimit(cost: cost) }
    }
    if !isSampled || Cost.sample * Cost.trialShare > cost { return nil }
    let postCount = range.limit * state.posts.count / max(1, postCount(followeeCount, user, state))
    return Cost.scan(postCount, followeeCount) <= cost ? CostLimit(cost: cost) : nil
  }

  /// Whether a scan may be cheaper: either it is, if all users post equally often, or it may be, if followees post more
  /// often, and it gives up before the loss matters.
  /// - Parameter postCount: the posts that are read if all users post equally often.
  private func isScanWorthTrying(_ postCount: Int, _ followeeCount: Int, _ mergeCost: Int) -> Bool {
    let mayGiveUp = Cost.trial(before: mergeCost) >= TimelineScan.leastStride
    return Cost.scan(mayGiveUp ? postCount / Cost.mostActivity : postCount, followeeCount) <= mergeCost
  }

  /// An estimate, from a sample, of how many posts the followees have: by few of many users, who post much more than
  /// others, a scan finds a page soon.
  private func postCount(_ followeeCount: Int, _ user: UInt32, _ state: borrowing GraphState) -> Int {
    withTemporaryList(of: UInt32.self, capacity: 2 * Self.sampleCount) { sample in
      let step = max(1, followeeCount / Self.sampleCount)
      state.follows.forward.forEachElement(of: Int(user), from: step / 2, every: step) { edge in
        if sample.isFull { return }
        let followee = Adjacency.target(edge)
        state.users.names.prefetchReference(Int(followee))
        sample.append(followee)
      }
      let sampled = sample.span
      var count = 0
      for index in sampled.indices { count += state.users.names.card(sampled[index]).postCount }
      return count * followeeCount / max(1, sampled.count)
    }
  }

  /// An estimate of what a merge costs, from a sample of the followees: it searches the lists of those whose newest
  /// post is not before the bound.
  private static func sampledMergeCost(
    _ user: UInt32, _ range: TimelineRange, _ state: borrowing GraphState
  ) -> Int {
    let followeeCount = state.follows.targetCount(user)
    let bound = PostTable.coarse(range.high.time)
    let step = max(1, followeeCount / sampleCount)
    var (askedCount, laterCount) = (0, 0)
    state.follows.forward.forEachElement(of: Int(user), from: 0, every: step) { edge in
      askedCount &+= 1
      if state.posts.newest[Adjacency.target(edge)] >= bound { laterCount &+= 1 }
    }
    // One more than were found: none among few says little, and to search a list more is worse than to try a scan.
    let searchedCount = followeeCount * (laterCount + 1) / (askedCount + 1)
    return Cost.merge(followeeCount, of: state.users.count, searching: searchedCount, limit: range.limit)
  }
}
