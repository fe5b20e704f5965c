/// Ranks whose probability falls by a power: (rank + 1)^−s, with the s that gives rank 0 a wanted share.
///
/// Beyond the first 4,096, ranks of nearly equal probability form classes, so that a table of a few thousand entries
/// serves millions of ranks. Everything is computed with arithmetic that IEEE 754 defines exactly.
struct PowerLaw: RowDraw {
  private static let singleCount = 4_096
  private static let classesPerDoubling = 512
  private static let searchCount = 40
  private static let steepest = 4.0
  private static let one = 0x1p32

  let count: Int
  /// The first rank of each class, and the end of the last one.
  private let starts: [Int]
  /// The weight of one rank of each class.
  private let weights: [UInt64]
  private let classes: AliasTable
  private let spread: RankSpread

  /// - Parameters:
  ///   - count: how many ranks; at least one.
  ///   - share: the probability of rank 0, as near as a power can bring it.
  ///   - spread: brings ranks to rows.
  init(count: Int, share: Double, spread: RankSpread) {
    var starts = [0]
    while let last = starts.last, last < count {
      starts.append(min(count, last + max(1, last < Self.singleCount ? 1 : last / Self.classesPerDoubling)))
    }
    let logarithms = (1..<starts.count).map { Lognormal.naturalLogarithm(Double(starts[$0 - 1] + starts[$0] + 1) / 2) }
    var (low, high) = (0.0, Self.steepest)
    for _ in 0..<Self.searchCount {
      let middle = (low + high) / 2
      var sum = 0.0
      for (index, logarithm) in logarithms.enumerated() {
        sum += Double(starts[index + 1] - starts[index]) * Lognormal.exponential(-middle * logarithm)
      }
      if sum * share > 1 { low = middle } else { high = middle }
    }
    let weights = logarithms.map { UInt64(Lognormal.exponential(-low * $0) * Self.one) + 1 }
    self.count = count
    self.starts = starts
    self.weights = weights
    self.spread = spread
    classes = AliasTable(weights: weights.indices.map { weights[$0] * UInt64(starts[$0 + 1] - starts[$0]) })
  }

  func row(_ place: Int) -> UInt32 { spread.row(place) }

  @inline(__always)
  func draw(_ drawCount: Int, _ random: inout RandomSource, _ body: (UInt32) -> Void) {
    for _ in 0..<drawCount {
      let number = classes.draw(&random)
      let start = starts[number]
      let rank = start + random.below(starts[number + 1] - start)
      body(spread.row(rank))
    }
  }

  /// Divides a sum among the rows in proportion, at most `limit` each.
  /// - Precondition: `sum` ≤ `count` · `limit`.
  func counts(sum: Int, limit: Int) -> [UInt32] {
    var counts = [UInt32](repeating: 0, count: count)
    var total: UInt64 = 0
    for index in weights.indices { total += weights[index] * UInt64(starts[index + 1] - starts[index]) }
    var missing = sum
    for index in weights.indices {
      let (high, low) = weights[index].multipliedFullWidth(by: UInt64(sum))
      let each = min(limit, Int(total.dividingFullWidth((high, low)).quotient))
      for rank in starts[index]..<starts[index + 1] { counts[Int(spread.row(rank))] = UInt32(each) }
      missing -= each * (starts[index + 1] - starts[index])
    }
    while missing > 0 {
      for rank in 0..<count where missing > 0 && counts[Int(spread.row(rank))] < limit {
        counts[Int(spread.row(rank))] += 1
        missing -= 1
      }
    }
    return counts
  }
}

/// Spreads ranks over rows, each once, without a table: by multiples of a number that is prime to their count.
struct RankSpread: Sendable {
  private let count: Int
  private let step: Int

  /// - Parameter billionths: of the rows, how far adjacent ranks are apart.
  init(count: Int, billionths: Int) {
    func commonDivisor(_ left: Int, _ right: Int) -> Int { right == 0 ? left : commonDivisor(right, left % right) }
    var step = max(1, count / 1_000 * billionths / 1_000_000)
    while commonDivisor(step, count) != 1 { step += 1 }
    self.count = count
    self.step = step
  }

  @inline(__always)
  func row(_ rank: Int) -> UInt32 { UInt32(rank &* step % count) }
}
