import Kith

/// A synthetic graph, skewed like real ones, and the same for the same numbers on every machine.
///
/// Out-degrees are lognormal. In-degrees, the activity of authors and the likes of posts follow Zipf's law with
/// exponent 1, where the number of users does not bound them. Likers are drawn in proportion to their number of
/// follows. Ids ascend from 1. Times are in the years 2022 to 2024. Everything is computed from integers, or with
/// arithmetic that IEEE 754 defines exactly.
struct SeededNetwork: Sendable {
  static let firstMillisecond: Int64 = 1_640_995_200_000
  static let lastMillisecond: Int64 = 1_735_689_599_999
  private static let secondCount = (lastMillisecond + 1 - firstMillisecond) / 1_000
  /// One post in a hundred arrives late: its time is up to a week before its place.
  private static let longestDelay: Int64 = 7 * 86_400_000

  let userCount: Int
  let followCount: Int
  let postCount: Int
  let likeCount: Int
  let seed: UInt64

  /// Why such a network is impossible; nil if it is possible.
  var impossibility: String? {
    if userCount == 0, postCount > 0 { return "\(grouped(postCount)) posts need a user" }
    let followLimit = userCount * max(0, userCount - 1)
    if followCount > followLimit {
      let users = counted(userCount, "user")
      return "\(users) can follow each other \(grouped(followLimit)) times, not \(grouped(followCount))"
    }
    let likeLimit = userCount.multipliedReportingOverflow(by: postCount)
    if !likeLimit.overflow, likeCount > likeLimit.partialValue {
      let possible = "\(counted(userCount, "user")) can like \(counted(postCount, "post"))"
      return "\(possible) \(grouped(likeLimit.partialValue)) times, not \(grouped(likeCount))"
    }
    return nil
  }

  /// Applies the whole network.
  func apply(to batch: inout SocialGraph.Batch, _ progress: inout Progress) throws(KithError) {
    try addUsers(to: &batch, &progress)
    guard userCount > 0 else { return }
    var random = RandomSource(seed: seed, stream: 2)
    let degrees = Lognormal.counts(userCount, sum: followCount, limit: userCount - 1, &random)
    try addFollows(degrees, to: &batch, &progress)
    try addPosts(to: &batch, &progress)
    try addLikes(likers: AliasTable(weights: degrees.map { UInt64($0) + 1 }), to: &batch, &progress)
  }

  private func addUsers(to batch: inout SocialGraph.Batch, _ progress: inout Progress) throws(KithError) {
    var names = NameGenerator(RandomSource(seed: seed, stream: 1))
    progress.begin("users")
    for user in 0..<userCount {
      var name = names.next()
      while try !isAdded(Self.userID(user), name, to: &batch) { name = names.longer(name) }
      if user & 0xFFF == 0 { report(user, of: userCount, &progress) }
    }
  }

  /// False when the name is taken, also by one that differs only in case: see `SocialGraph.Options.uniqueNames`.
  private func isAdded(_ user: UserID, _ name: String, to batch: inout SocialGraph.Batch) throws(KithError) -> Bool {
    do throws(KithError) {
      return try batch.importChange(.addUser(id: user, username: name)).didChange
    } catch {
      if case .usernameTaken = error { return false }
      throw error
    }
  }

  /// In the order of their times, as in real use: each list of followers then only grows at its end.
  private func addFollows(
    _ degrees: [Int], to batch: inout SocialGraph.Batch, _ progress: inout Progress
  ) throws(KithError) {
    guard followCount > 0 else { return }
    var random = RandomSource(seed: seed, stream: 3)
    let popularity = AliasTable(zipf: userCount)
    let order = random.permutation(userCount)
    var chooser = DistinctChooser(candidateCount: userCount)
    var edges: [(user: UInt32, target: UInt32)] = []
    edges.reserveCapacity(followCount)
    progress.begin("drawing follows")
    for (user, degree) in degrees.enumerated() {
      let targets = chooser.choose(degree, from: popularity, as: order, excluding: UInt32(user), &random)
      for target in targets { edges.append((UInt32(user), target)) }
      if user & 0xFF == 0 { report(edges.count, of: followCount, &progress) }
    }
    progress.begin("follows")
    for place in edges.indices {
      edges.swapAt(place, place + random.below(edges.count - place))
      let second = Self.firstMillisecond / 1_000 + Int64(place) * Self.secondCount / Int64(followCount)
      let (user, target) = edges[place]
      let time = Timestamp(second * 1_000)
      _ = try batch.importChange(.follow(by: Self.userID(Int(user)), target: Self.userID(Int(target)), at: time))
      if place & 0xFFF == 0 { report(place, of: followCount, &progress) }
    }
  }

  /// The posts' times are drawn from a stream of their own, so that the likes can draw them again.
  private func addPosts(to batch: inout SocialGraph.Batch, _ progress: inout Progress) throws(KithError) {
    guard postCount > 0 else { return }
    var random = RandomSource(seed: seed, stream: 4)
    var times = RandomSource(seed: seed, stream: 5)
    let vocabulary = Vocabulary(&random)
    let activity = AliasTable(zipf: userCount)
    let order = random.permutation(userCount)
    progress.begin("posts")
    for post in 0..<postCount {
      let author = Self.userID(Int(order[activity.draw(&random)]))
      let text = vocabulary.text(&random)
      let time = Timestamp(postTime(post, &times))
      _ = try batch.importChange(.addPost(id: Self.postID(post), author: author, text: text, createdAt: time))
      if post & 0xFFF == 0 { report(post, of: postCount, &progress) }
    }
  }

  private func addLikes(
    likers: AliasTable, to batch: inout SocialGraph.Batch, _ progress: inout Progress
  ) throws(KithError) {
    guard likeCount > 0 else { return }
    var random = RandomSource(seed: seed, stream: 6)
    var times = RandomSource(seed: seed, stream: 5)
    let counts = likeCounts(&random)
    let order = (0..<UInt32(userCount)).map(\.self)
    var chooser = DistinctChooser(candidateCount: userCount)
    var done = 0
    progress.begin("likes")
    for (post, count) in counts.enumerated() {
      let postTime = postTime(post, &times)
      let likes = chooser.choose(count, from: likers, as: order, excluding: nil, &random).map { user in
        // Most likes come soon, some after weeks: a delay of 1 to 2³¹ ms, its order of magnitude drawn first.
        let delay = Int64(random.below(UInt64(1) << UInt64(10 + random.below(22))))
        return (second: min(postTime + delay, Self.lastMillisecond) / 1_000, user: Int(user))
      }
      for like in likes.sorted(by: { ($0.second, $0.user) < ($1.second, $1.user) }) {
        let time = Timestamp(like.second * 1_000)
        _ = try batch.importChange(.like(by: Self.userID(like.user), post: Self.postID(post), at: time))
      }
      done += count
      if post & 0xFFF == 0 { report(done, of: likeCount, &progress) }
    }
  }

  /// The number of likes of each post: a quarter of all users at most, unless there are too many likes for that.
  private func likeCounts(_ random: inout RandomSource) -> [Int] {
    let popularity = AliasTable(zipf: postCount)
    let order = random.permutation(postCount)
    let quarter = (userCount + 3) / 4
    let limit = likeCount <= quarter * postCount / 2 ? quarter : userCount
    var counts = [Int](repeating: 0, count: postCount)
    for _ in 0..<likeCount {
      var post = Int(order[popularity.draw(&random)])
      // A full post passes the like on to the next one with room.
      while counts[post] == limit { post = post + 1 == postCount ? 0 : post + 1 }
      counts[post] += 1
    }
    return counts
  }

  private func postTime(_ post: Int, _ times: inout RandomSource) -> Int64 {
    let slot = max(1, (Self.lastMillisecond - Self.firstMillisecond) / Int64(postCount))
    let time = Self.firstMillisecond + Int64(post) * slot + Int64(times.below(UInt64(slot)))
    let isLate = times.below(100) == UInt64(0)
    let delay = Int64(times.below(UInt64(Self.longestDelay)))
    return isLate ? max(Self.firstMillisecond, time - delay) : time
  }

  private func report(_ done: Int, of total: Int, _ progress: inout Progress) {
    progress.update(done: done, of: "rows", share: total > 0 ? Double(done) / Double(total) : nil)
  }

  private static func userID(_ index: Int) -> UserID { UserID(Int64(index) + 1) }
  private static func postID(_ index: Int) -> PostID { PostID(Int64(index) + 1) }
}
