import Testing

@testable import Kith

/// Counts by time, against those of an export.
@Suite struct TimeDistributionTests {
  @Test("Every follow, post and like is counted once, in its bucket and its hour", arguments: [1, 7, 120])
  func counts(bucketCount: Int) throws {
    let graph = SocialGraph()
    var random = SeededRandom(seed: 3)
    func time() -> Timestamp { Timestamp(Int64(random.below(2_000_000_000)) * 1_000) }
    try graph.bulk { batch throws(KithError) in
      for row in 0..<3_000 { try batch.apply(.addUser(id: nil, username: "user \(row)")) }
      for row in 1...3_000 {
        try batch.apply(.follow(as: UserID(Int64(row)), target: UserID(Int64(row % 3_000 + 1)), at: time()))
        let posted = Timestamp(time().rawValue + 123)
        try batch.apply(.addPost(id: nil, by: UserID(Int64(row)), text: "a", createdAt: posted))
        try batch.apply(.like(as: UserID(Int64(row)), post: PostID(Int64(random.below(row)) + 1), at: time()))
      }
    }
    try graph.apply(.removeUser(UserID(77)))
    let pin = graph.pin()
    let found = try pin.timeDistribution(bucketCount: bucketCount)
    var times: [[Int64]] = [[], [], []]
    pin.view.forEachEdge(of: .follow) { _, _, time in times[0].append(time?.rawValue ?? 0) }
    pin.view.forEachPost { _, _, time, _, _, _ in times[1].append(time.rawValue) }
    pin.view.forEachEdge(of: .like) { _, _, time in times[2].append(time?.rawValue ?? 0) }
    for kind in TimeDistribution.Kind.allCases {
      let (first, last) = (times[kind.rawValue].min() ?? 0, times[kind.rawValue].max() ?? 0)
      let step = found.steps[kind.rawValue]
      #expect(found.starts[kind.rawValue] == first && found.ends[kind.rawValue] == last)
      #expect(step * Int64(bucketCount) > last - first && step <= (last - first) / Int64(bucketCount) + 1)
      var buckets = Array(repeating: 0, count: bucketCount)
      var hours = Array(repeating: 0, count: TimeDistribution.hourCount)
      for time in times[kind.rawValue] {
        buckets[Int((time - first) / step)] += 1
        // Hours since a Monday long before all of them: the fifth of January 1931.
        hours[Int((time + 1_230_422_400_000) / 3_600_000) % TimeDistribution.hourCount] += 1
      }
      #expect(found.buckets[kind.rawValue] == buckets)
      #expect(found.hours[kind.rawValue] == hours)
    }
  }

  @Test("Times at both ends of the range do not trap, and an empty graph has no counts")
  func extremes() throws {
    let graph = SocialGraph()
    #expect(try graph.pin().timeDistribution(bucketCount: 3).buckets == [[0, 0, 0], [0, 0, 0], [0, 0, 0]])
    let ann = try graph.addUser("ann")
    _ = try graph.addPost("a", by: ann, createdAt: Timestamp(.max))
    #expect(try graph.pin().timeDistribution(bucketCount: 2).buckets[1] == [1, 0])
    _ = try graph.addPost("a", by: ann, createdAt: Timestamp(0))
    #expect(try graph.pin().timeDistribution(bucketCount: 2).buckets[1] == [1, 1])
    #expect(try graph.pin().timeDistribution(bucketCount: 1).buckets[1] == [2])
  }
}
