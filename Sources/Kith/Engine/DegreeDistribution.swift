/// How many users have how many followers, and how many follow how many.
public struct DegreeDistribution: Hashable, Sendable {
  /// The distribution of one kind of number.
  public struct Histogram: Hashable, Sendable {
    /// Numbers that occur, ascending, each with how many users have it.
    public let buckets: [Bucket]

    /// One number.
    public struct Bucket: Hashable, Sendable {
      /// How many followers, or followees.
      public let degree: Int
      /// How many users have so many.
      public let userCount: Int
    }

    /// Users in all.
    public var userCount: Int { buckets.reduce(0) { $0 + $1.userCount } }

    /// The mean; 0 without users.
    public var mean: Double {
      let userCount = userCount
      return userCount == 0 ? 0 : Double(buckets.reduce(0) { $0 + $1.degree * $1.userCount }) / Double(userCount)
    }

    /// The smallest number that at least this share of users does not exceed: 0.5 is the median. Nil without users.
    public func quantile(_ share: Double) -> Int? {
      let wanted = share * Double(userCount)
      var seen = 0
      for bucket in buckets {
        seen += bucket.userCount
        if Double(seen) >= wanted { return bucket.degree }
      }
      return buckets.last?.degree
    }
  }

  /// Of numbers of followers.
  public let followers: Histogram
  /// Of numbers of followees.
  public let followees: Histogram
}

extension Pin {
  /// The distribution of followers and followees. Errors: `cancelled`, `closed`.
  /// - Complexity: O(users), on all cores.
  public func degreeDistribution(control: PassControl = PassControl()) throws(KithError) -> DegreeDistribution {
    let pass = GraphPass(self, control: control)
    let counts = try pass.reduce(DegreeCounts()) { counts, view, row in
      if view.user(at: row) == nil { return }
      counts.followers[view.followerCount(at: row), default: 0] += 1
      counts.followees[view.followeeCount(at: row), default: 0] += 1
    } merge: { whole, part in
      whole.followers.merge(part.followers, uniquingKeysWith: +)
      whole.followees.merge(part.followees, uniquingKeysWith: +)
    }
    control.finish()
    return DegreeDistribution(followers: .init(counts.followers), followees: .init(counts.followees))
  }
}

private struct DegreeCounts: Sendable {
  var followers: [Int: Int] = [:]
  var followees: [Int: Int] = [:]
}

extension DegreeDistribution.Histogram {
  fileprivate init(_ counts: [Int: Int]) {
    buckets = counts.sorted { $0.key < $1.key }.map { Bucket(degree: $0.key, userCount: $0.value) }
  }
}
