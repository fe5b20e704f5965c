import Kith

/// Drawing the edges of a network. It needs no graph, so it runs beside the making of users and posts.
extension SeededNetwork {
  /// The follows. Their times are in random order, spread evenly.
  func drawnFollows(_ degrees: [Int]) -> DrawnEdges {
    guard followCount > 0 else { return DrawnEdges(degrees: [UInt32](repeating: 0, count: userCount)) }
    var random = RandomSource(seed: seed, stream: 3)
    let popularity = TableDraw(table: AliasTable(zipf: userCount), order: random.permutation(userCount))
    var chooser = DistinctChooser(candidateCount: userCount)
    var targets: [UInt32] = []
    targets.reserveCapacity(followCount)
    for (user, degree) in degrees.enumerated() {
      targets += chooser.choose(degree, from: popularity, excluding: UInt32(user), &random)
    }
    let seconds = shuffledSeconds(&random)
    return DrawnEdges(degrees: degrees.map { UInt32($0) }, targets: targets, seconds: seconds)
  }

  /// The second of each follow.
  private func shuffledSeconds(_ random: inout RandomSource) -> [UInt32] {
    let places = random.shuffled(followCount)
    var seconds = [UInt32](repeating: 0, count: followCount)
    for place in places.indices {
      let second = Self.firstMillisecond / 1_000 + Int64(place) * Self.secondCount / Int64(followCount)
      seconds[Int(places[place])] = UInt32(second)
    }
    return seconds
  }

  /// The likes, by users whom `likers` draws.
  func drawnLikes(likers: some RowDraw) -> DrawnEdges {
    guard likeCount > 0 else { return DrawnEdges(degrees: [UInt32](repeating: 0, count: userCount)) }
    var random = RandomSource(seed: seed, stream: 6)
    var times = RandomSource(seed: seed, stream: 5)
    let counts = likeCounts(&random)
    var chooser = DistinctChooser(candidateCount: userCount)
    var users: [UInt32] = []
    users.reserveCapacity(likeCount)
    var seconds: [UInt32] = []
    seconds.reserveCapacity(likeCount)
    for post in counts.indices {
      let postTime = postTime(post, &times)
      for user in chooser.choose(Int(counts[post]), from: likers, excluding: nil, &random) {
        // Most likes come soon, some after weeks: a delay of 1 to 2³¹ ms, its order of magnitude drawn first.
        let delay = Int64(random.below(UInt64(1) << UInt64(10 + random.below(22))))
        users.append(user)
        seconds.append(UInt32(min(postTime + delay, Self.lastMillisecond) / 1_000))
      }
    }
    return DrawnEdges(sources: users, seconds: seconds, targetDegrees: counts, sourceCount: userCount)
  }

  /// The number of likes of each post: a quarter of all users at most, unless there are too many likes for that.
  private func likeCounts(_ random: inout RandomSource) -> [UInt32] {
    let popularity = TableDraw(table: AliasTable(zipf: postCount), order: random.permutation(postCount))
    let quarter = (userCount + 3) / 4
    let limit = UInt32(likeCount <= quarter * postCount / 2 ? quarter : userCount)
    var counts = [UInt32](repeating: 0, count: postCount)
    popularity.draw(likeCount, &random) { drawn in
      var post = Int(drawn)
      // A full post passes the like on to the next one with room.
      while counts[post] == limit { post = post + 1 == postCount ? 0 : post + 1 }
      counts[post] += 1
    }
    return counts
  }
}

/// Drawn edges by source, the targets of each ascending.
struct DrawnEdges: Sendable {
  /// The number of edges of each source.
  var degrees: [UInt32]
  var targets: [UInt32] = []
  var seconds: [UInt32] = []
}

extension DrawnEdges {
  /// Brings edges that are in order of their targets into the order of their sources.
  init(sources: [UInt32], seconds: [UInt32], targetDegrees: [UInt32], sourceCount: Int) {
    degrees = [UInt32](repeating: 0, count: sourceCount)
    for source in sources { degrees[Int(source)] += 1 }
    var next: [Int] = []
    next.reserveCapacity(sourceCount)
    var start = 0
    for degree in degrees {
      next.append(start)
      start += Int(degree)
    }
    targets = [UInt32](repeating: 0, count: sources.count)
    self.seconds = targets
    var index = 0
    for target in targetDegrees.indices {
      for _ in 0..<targetDegrees[target] {
        let source = Int(sources[index])
        let place = next[source]
        next[source] += 1
        targets[place] = UInt32(target)
        self.seconds[place] = seconds[index]
        index += 1
      }
    }
  }

  /// The edges as the engine takes them.
  var lists: BulkLists {
    BulkLists(degrees: degrees) { _, elements, buffer in
      for index in elements {
        buffer[index &- elements.lowerBound] = UInt64(targets[index]) << 32 | UInt64(seconds[index])
      }
    }
  }
}
