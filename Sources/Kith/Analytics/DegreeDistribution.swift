/// The distributions of the numbers of followers and of followees.
public struct DegreeDistribution: Hashable, Sendable {
  /// The distribution of one of these numbers.
  public struct Histogram: Hashable, Sendable {
    /// The numbers that occur, ascending, each with the number of its users.
    public let buckets: [Bucket]

    /// One number, and the number of its users.
    public struct Bucket: Hashable, Sendable {
      /// The number of followers, or of followees.
      public let degree: Int
      /// The number of users with this degree.
      public let userCount: Int
    }

    /// The total number of users.
    public var userCount: Int { buckets.reduce(0) { $0 + $1.userCount } }

    /// The mean degree; 0 without users.
    public var mean: Double {
      let userCount = userCount
      return userCount == 0 ? 0 : Double(buckets.reduce(0) { $0 + $1.degree * $1.userCount }) / Double(userCount)
    }

    /// The smallest degree that at least this share of users does not exceed: 0.5 gives the median. Nil without users.
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

  /// The distribution of the number of followers.
  public let followers: Histogram
  /// The distribution of the number of followees.
  public let followees: Histogram
}

extension SocialGraph.Pin {
  /// Computes the distributions of followers and followees.
  /// - Throws: `KithError.cancelled`, `closed`.
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
