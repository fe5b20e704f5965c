import CBaseline

/// Follows and names as bare arrays for the baseline in C of queries over several hops; they are never freed.
///
/// Each `unsafe` here copies an array into memory that is never freed, or lends it to one call of the baseline, which
/// reads inside the offsets that were made here and writes no more than what there is room for.
@safe struct FollowBaseline {
  /// One user of a result, in the same form for the baseline and the engine.
  struct Person: Equatable {
    let id: Int64
    let username: String
    let weight: Int
    let counts: [Int]
  }

  private static let limit = 64

  private var follows = unsafe baseline_follows()
  private let scratch = UnsafeMutablePointer<baseline_scratch>.allocate(capacity: 1)
  private let users = UnsafeMutablePointer<baseline_user>.allocate(capacity: FollowBaseline.limit)
  private let found: UnsafeMutablePointer<UInt32>
  private let bytes: UnsafeMutablePointer<CChar>
  private let scores: [UnsafeMutablePointer<Double>]
  let userCount: Int

  init(_ network: Network) {
    userCount = network.userCount
    let names = Texts(network.names)
    let followers = network.followees.reversed(count: userCount)
    var postCounts = [UInt32](repeating: 0, count: userCount)
    for author in network.authors { postCounts[Int(author)] += 1 }
    unsafe bytes = .allocate(capacity: Self.limit * names.longest)
    unsafe found = .allocate(capacity: userCount + 1)
    unsafe follows.user_count = UInt32(userCount)
    unsafe follows.followee_offsets = lasting(network.followees.offsets)
    unsafe follows.followees = lasting(network.followees.elements)
    unsafe follows.follower_offsets = lasting(followers.offsets)
    unsafe follows.followers = lasting(followers.elements)
    unsafe follows.post_counts = lasting(postCounts)
    unsafe follows.name_offsets = lasting(names.offsets.map { UInt32($0) })
    unsafe follows.names = lasting(names.bytes)
    let marks = UnsafeMutablePointer<UInt16>.allocate(capacity: userCount)
    unsafe marks.initialize(repeating: 0, count: userCount)
    unsafe scratch.initialize(
      to: baseline_scratch(
        marks: marks, met: .allocate(capacity: userCount + 1),
        queues: (.allocate(capacity: userCount), .allocate(capacity: userCount))))
    unsafe scores = unsafe [
      .allocate(capacity: userCount), .allocate(capacity: userCount), .allocate(capacity: userCount),
    ]
  }

  /// The number of common followees; the first of them are written to the baseline's own memory.
  @inline(__always)
  func mutuals(_ one: Int, _ other: Int, limit: Int) -> Int {
    unsafe withUnsafePointer(to: follows) { follows in
      unsafe Int(baseline_mutuals(follows, UInt32(one), UInt32(other), UInt32(limit), found, users, bytes))
    }
  }

  /// The number of suggestions; they are in the baseline's own memory.
  @inline(__always)
  func suggestions(_ user: Int, limit: Int) -> Int {
    unsafe withUnsafePointer(to: follows) { follows in
      unsafe Int(baseline_suggestions(follows, UInt32(user), UInt32(limit), scratch, users, bytes))
    }
  }

  @inline(__always)
  func distance(_ from: Int, _ to: Int, maximum: Int) -> Int {
    unsafe withUnsafePointer(to: follows) { follows in
      unsafe Int(baseline_distance(follows, UInt32(from), UInt32(to), Int32(maximum), scratch))
    }
  }

  /// Scores after this many rounds.
  func pageRank(rounds: Int, damping: Double) -> UnsafeBufferPointer<Double> {
    var (current, next) = unsafe (scores[0], scores[1])
    unsafe current.update(repeating: 1 / Double(userCount), count: userCount)
    unsafe withUnsafePointer(to: follows) { follows in
      for _ in 0..<rounds {
        _ = unsafe baseline_page_rank(follows, current, scores[2], next, damping)
        unsafe swap(&current, &next)
      }
    }
    return unsafe UnsafeBufferPointer(start: current, count: userCount)
  }

  /// The first score after this many rounds, so that the work is not optimised away.
  func pageRankDigest(rounds: Int, damping: Double) -> Int {
    unsafe Int(pageRank(rounds: rounds, damping: damping)[0] * 1e15)
  }

  /// Scores as an array.
  func pageRankScores(rounds: Int, damping: Double) -> [Double] {
    unsafe Array(pageRank(rounds: rounds, damping: damping))
  }

  /// The first users of the last result, as values.
  func people(_ count: Int) -> [Person] {
    (0..<count).map { place in
      let user = unsafe users[place]
      let name = unsafe UnsafeRawBufferPointer(start: UnsafeRawPointer(user.name), count: Int(user.name_length))
      return unsafe Person(
        id: Int64(user.user) + 1, username: String(decoding: name, as: UTF8.self), weight: Int(user.weight),
        counts: [Int(user.follower_count), Int(user.followee_count), Int(user.post_count)])
    }
  }
}

extension Lists {
  /// The in-edges of every row: its followers.
  fileprivate func reversed(count: Int) -> Lists {
    var starts = [UInt32](repeating: 0, count: count + 1)
    for element in elements { starts[Int(element) + 1] += 1 }
    for row in 0..<count { starts[row + 1] += starts[row] }
    var reversed = Lists()
    reversed.offsets = starts
    reversed.elements = [UInt32](repeating: 0, count: elements.count)
    for row in 0..<count {
      for element in self[row] {
        reversed.elements[Int(starts[Int(element)])] = UInt32(row)
        starts[Int(element)] += 1
      }
    }
    return reversed
  }
}
