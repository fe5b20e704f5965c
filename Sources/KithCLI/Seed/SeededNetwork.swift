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
  static let secondCount = (lastMillisecond + 1 - firstMillisecond) / 1_000
  /// One post in a hundred arrives late: its time is up to a week before its place.
  private static let longestDelay: Int64 = 7 * 86_400_000

  let userCount: Int
  let followCount: Int
  let postCount: Int
  let likeCount: Int
  let seed: UInt64
  var shape = Shape.lognormal

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

  /// Applies the whole network. Edges are drawn on another thread meanwhile, and become whole lists at once.
  func apply(to batch: inout SocialGraph.Batch, _ progress: inout Progress) throws(KithError) {
    guard userCount > 0 else { return }
    if shape == .powerLaw { return try applyPowerLaw(to: &batch, &progress) }
    var random = RandomSource(seed: seed, stream: 2)
    let degrees = Lognormal.counts(userCount, sum: followCount, limit: userCount - 1, &random)
    let queue = WorkQueue()
    let follows = Background(on: queue) { drawnFollows(degrees) }
    let likes = Background(on: queue) {
      drawnLikes(likers: TableDraw(table: AliasTable(weights: degrees.map { UInt64($0) + 1 }), order: nil))
    }
    try addUsers(to: &batch, &progress)
    if postCount > 0 {
      var random = RandomSource(seed: seed, stream: 4)
      let vocabulary = Vocabulary(&random)
      let activity = TableDraw(table: AliasTable(zipf: userCount), order: random.permutation(userCount))
      try addPosts(by: activity, vocabulary, &random, to: &batch, &progress)
    }
    progress.note("follows and likes…")
    try batch.addEdges(.follow, follows.wait().lists)
    try batch.addEdges(.like, likes.wait().lists)
  }

  /// The same by power laws, whose follows are drawn while their lists are made.
  private func applyPowerLaw(
    to batch: inout SocialGraph.Batch, _ progress: inout Progress
  ) throws(KithError) {
    let laws = powerLaws()
    let likes = Background(on: WorkQueue()) { drawnLikes(likers: laws.interest) }
    try addUsers(to: &batch, &progress)
    var random = RandomSource(seed: seed, stream: 4)
    let vocabulary = Vocabulary(&random)
    try addPosts(by: laws.popularity, vocabulary, &random, to: &batch, &progress)
    progress.note("follows and likes…")
    try batch.addEdges(.like, likes.wait().lists)
    try batch.addEdges(.follow, powerLawFollows(laws))
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

  /// The posts' times are drawn from a stream of their own, so that the likes can draw them again.
  private func addPosts(
    by authors: some RowDraw, _ vocabulary: Vocabulary, _ random: inout RandomSource,
    to batch: inout SocialGraph.Batch, _ progress: inout Progress
  ) throws(KithError) {
    var times = RandomSource(seed: seed, stream: 5)
    progress.begin("posts")
    for post in 0..<postCount {
      var row: UInt32 = 0
      authors.draw(1, &random) { row = $0 }
      let author = Self.userID(Int(row))
      let text = vocabulary.text(&random)
      let time = Timestamp(postTime(post, &times))
      _ = try batch.importChange(.addPost(id: Self.postID(post), by: author, text: text, createdAt: time))
      if post & 0xFFF == 0 { report(post, of: postCount, &progress) }
    }
  }

  func postTime(_ post: Int, _ times: inout RandomSource) -> Int64 {
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
