/// The numbers of follows, posts and likes by time: each over its own span, and over the week.
package struct TimeDistribution: Sendable {
  /// One of the three.
  package enum Kind: Int, CaseIterable, Sendable {
    case follow, post, like
  }

  /// The hours of a week.
  package static let hourCount = 7 * 24

  /// By kind, the time of the first, in milliseconds since 1970; 0 without any.
  package fileprivate(set) var starts: [Int64]
  /// By kind, the time of the last.
  package fileprivate(set) var ends: [Int64]
  /// By kind, the length of a bucket in milliseconds.
  package fileprivate(set) var steps: [Int64]
  /// By kind, then by bucket.
  package fileprivate(set) var buckets: [[Int]]
  /// By kind, then by hour of the week in UTC, from Monday 0:00 on.
  package fileprivate(set) var hours: [[Int]]

  fileprivate init(bucketCount: Int) {
    (starts, ends) = ([0, 0, 0], [0, 0, 0])
    steps = [1, 1, 1]
    buckets = Array(repeating: Array(repeating: 0, count: bucketCount), count: Kind.allCases.count)
    hours = Array(repeating: Array(repeating: 0, count: Self.hourCount), count: Kind.allCases.count)
  }

  @inline(__always)
  fileprivate mutating func add(_ kind: Kind, _ time: Int64) {
    // Only the greatest time that there can be is beyond the last bucket.
    let bucket = min(Int((time - starts[kind.rawValue]) / steps[kind.rawValue]), buckets[kind.rawValue].count - 1)
    buckets[kind.rawValue][bucket] += 1
    hours[kind.rawValue][Self.hour(time)] += 1
  }

  fileprivate mutating func merge(_ other: TimeDistribution) {
    for kind in buckets.indices {
      for bucket in buckets[kind].indices { buckets[kind][bucket] += other.buckets[kind][bucket] }
      for hour in hours[kind].indices { hours[kind][hour] += other.hours[kind][hour] }
    }
  }

  /// The hour of the week. The first of January 1970 was a Thursday; no time is before it.
  private static func hour(_ time: Int64) -> Int { (Int(time / 3_600_000) + 3 * 24) % hourCount }
}

extension SocialGraph.Pin {
  /// The shortest bucket: follows and likes have their times in seconds.
  private static let shortestStep: Int64 = 1_000

  /// Counts follows, posts and likes by their times.
  /// - Parameter bucketCount: at least 1.
  /// - Throws: `KithError.cancelled`, `closed`.
  /// - Complexity: O(users + follows + posts + likes) twice, on all cores; some kilobytes per 1,024 users.
  package func timeDistribution(
    bucketCount: Int, control: PassControl = PassControl()
  ) throws(KithError) -> TimeDistribution {
    let pass = GraphPass(self, control: control, rounds: 2)
    let none = Array(repeating: (first: Int64.max, last: Int64.min), count: TimeDistribution.Kind.allCases.count)
    let spans = try pass.reduce(none) { spans, view, row in
      view.forEachTime(at: row) { kind, time in
        let span = spans[kind.rawValue]
        spans[kind.rawValue] = (min(span.first, time), max(span.last, time))
      }
    } merge: { spans, others in
      for (kind, other) in others.enumerated() {
        spans[kind] = (min(spans[kind].first, other.first), max(spans[kind].last, other.last))
      }
    }
    var empty = TimeDistribution(bucketCount: bucketCount)
    for (kind, span) in spans.enumerated() where span.first <= span.last {
      (empty.starts[kind], empty.ends[kind]) = (span.first, span.last)
      let length = min(span.last - span.first, .max - 1)
      empty.steps[kind] = max(Self.shortestStep, length / Int64(bucketCount) + 1)
    }
    let distribution = try pass.reduce(empty) { distribution, view, row in
      view.forEachTime(at: row) { kind, time in distribution.add(kind, time) }
    } merge: {
      $0.merge($1)
    }
    control.finish()
    return distribution
  }
}

extension GraphView {
  /// Calls `body` with the time, in milliseconds since 1970, of each follow, post and like by the user of a row.
  @inline(__always)
  fileprivate func forEachTime(at row: Int, _ body: (TimeDistribution.Kind, Int64) -> Void) {
    state.follows.forEachTarget(of: UInt32(row)) { _, timestamp in body(.follow, Int64(timestamp) * 1_000) }
    state.likes.forEachTarget(of: UInt32(row)) { _, timestamp in body(.like, Int64(timestamp) * 1_000) }
    state.posts.byAuthor.forEachRun(of: row) { posts in
      for index in posts.indices { body(.post, state.posts.time(posts[index])) }
    }
  }
}
