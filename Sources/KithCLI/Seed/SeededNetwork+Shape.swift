import Kith

extension SeededNetwork {
  /// How a network is skewed.
  enum Shape: String, CaseIterable, Sendable {
    /// Out-degrees are lognormal, in-degrees follow Zipf's law.
    case lognormal
    /// Both follow power laws, as measured for Twitter in 2010: of 41,652,230 users, one is followed by about three
    /// million, one follows 770,000.
    case powerLaw = "power-law"
  }

  /// Of all users, in ten thousandths: who follow the most followed one, and whom one follows at most.
  private static let (mostFollowers, mostFollowed) = (720.0, 185.0)
  /// The first of the streams of random numbers that each user has for the follows.
  private static let firstUserStream: UInt64 = 1 << 16

  /// The law of in-degrees and of the activity of authors, and that of out-degrees and of likers. Their ranks are
  /// spread over the users in different ways.
  func powerLaws() -> (popularity: PowerLaw, interest: PowerLaw) {
    func law(_ most: Double, billionths: Int) -> PowerLaw {
      let share = most / 10_000 * Double(userCount) / Double(max(1, followCount))
      return PowerLaw(
        count: userCount, share: min(share, 1), spread: RankSpread(count: userCount, billionths: billionths))
    }
    return (law(Self.mostFollowers, billionths: 618_033_988), law(Self.mostFollowed, billionths: 414_213_562))
  }

  /// The follows, drawn for a block of users at a time, with random numbers of their own: no follow is stored but in
  /// the graph.
  func powerLawFollows(_ laws: (popularity: PowerLaw, interest: PowerLaw)) -> BulkLists {
    let degrees = laws.interest.counts(sum: followCount, limit: userCount - 1)
    let popularity = laws.popularity
    return BulkLists(degrees: degrees) { users, _, buffer in
      var targets: [UInt32] = []
      var place = 0
      for user in users {
        var random = RandomSource(seed: seed, stream: Self.firstUserStream + UInt64(user))
        Self.choose(Int(degrees[user]), from: popularity, excluding: UInt32(user), into: &targets, &random)
        for target in targets {
          let second = UInt32(Self.firstMillisecond / 1_000 + Int64(random.below(UInt64(Self.secondCount))))
          buffer[place] = UInt64(target) << 32 | UInt64(second)
          place += 1
        }
      }
    }
  }

  /// Draws `count` different rows, sorted. Rows drawn before are drawn again, at most this often; then the rest is
  /// taken in turn.
  private static let roundCount = 16

  private static func choose(
    _ count: Int, from rows: some RowDraw, excluding excluded: UInt32, into chosen: inout [UInt32],
    _ random: inout RandomSource
  ) {
    chosen.removeAll(keepingCapacity: true)
    var roundsLeft = roundCount
    while chosen.count < count, roundsLeft > 0 {
      roundsLeft -= 1
      rows.draw(count - chosen.count, &random) { if $0 != excluded { chosen.append($0) } }
      chosen.sort()
      removeRepeats(&chosen)
    }
    if chosen.count == count { return }
    let known = chosen
    var place = random.below(rows.count)
    while chosen.count < count {
      let row = rows.row(place)
      if row != excluded, !isContained(row, in: known) { chosen.append(row) }
      place = place + 1 == rows.count ? 0 : place + 1
    }
    chosen.sort()
  }

  /// Leaves one of equal neighbours.
  private static func removeRepeats(_ rows: inout [UInt32]) {
    var kept = 0
    for index in rows.indices where kept == 0 || rows[kept - 1] != rows[index] {
      rows[kept] = rows[index]
      kept += 1
    }
    rows.removeLast(rows.count - kept)
  }

  /// Whether sorted rows contain one.
  private static func isContained(_ row: UInt32, in rows: [UInt32]) -> Bool {
    var (low, high) = (0, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if rows[middle] < row { low = middle + 1 } else { high = middle }
    }
    return low < rows.count && rows[low] == row
  }
}
