/// Draws indices in proportion to integer weights, in constant time: Walker's alias method in Vose's form.
///
/// Only integers are used, so that rounding is the same on every machine.
struct AliasTable: Sendable {
  /// Below this share of `total` the index is chosen, otherwise its alias.
  private var threshold: [UInt64]
  private var alias: [UInt32]
  private let total: UInt64

  var count: Int { alias.count }

  /// - Parameter weights: at least one above zero, each below 2³³, at most 2³⁰ of them.
  /// - Complexity: O(n)
  init(weights: [UInt64]) {
    total = weights.reduce(0, +)
    precondition(total > 0, "weights that are all zero draw nothing")
    alias = (0..<UInt32(weights.count)).map(\.self)
    threshold = weights.map { $0 * UInt64(weights.count) }
    var light: [UInt32] = []
    var heavy: [UInt32] = []
    for index in alias.reversed() {
      if threshold[Int(index)] < total { light.append(index) } else { heavy.append(index) }
    }
    while let giver = heavy.last, let taker = light.popLast() {
      alias[Int(taker)] = giver
      threshold[Int(giver)] -= total - threshold[Int(taker)]
      if threshold[Int(giver)] < total {
        heavy.removeLast()
        light.append(giver)
      }
    }
  }

  /// Rank 0 twice as often as rank 1, three times as often as rank 2, and so on: Zipf's law with exponent 1.
  init(zipf count: Int) {
    self.init(weights: (1...UInt64(count)).map { (1 << 32) / $0 })
  }

  func draw(_ random: inout RandomSource) -> Int { Int(end(begin(&random))) }

  /// The random numbers of a draw.
  struct Draw {
    var index: UInt32
    let share: UInt64
  }

  @inline(__always)
  func begin(_ random: inout RandomSource) -> Draw {
    let index = UInt32(random.below(alias.count))
    return Draw(index: index, share: random.below(total))
  }

  /// The index that random numbers draw.
  @inline(__always)
  func end(_ draw: Draw) -> UInt32 {
    draw.share < threshold[Int(draw.index)] ? draw.index : alias[Int(draw.index)]
  }
}

/// Draws rows with given probabilities.
protocol RowDraw: Sendable {
  /// How many rows there are.
  var count: Int { get }
  /// Calls `body` with `drawCount` drawn rows.
  func draw(_ drawCount: Int, _ random: inout RandomSource, _ body: (UInt32) -> Void)
  /// A row by its place in an order of all of them.
  func row(_ place: Int) -> UInt32
}

/// Draws rows by a table, whose ranks select the elements of an order.
struct TableDraw: RowDraw {
  let table: AliasTable
  /// Nil for the order of rows.
  let order: [UInt32]?

  /// The most rows drawn at once: enough for their cache misses to overlap.
  private static let batchCount = 32

  var count: Int { table.count }

  func row(_ place: Int) -> UInt32 { order.map { $0[place] } ?? UInt32(place) }

  @inline(__always)
  func draw(_ drawCount: Int, _ random: inout RandomSource, _ body: (UInt32) -> Void) {
    var drawn = [AliasTable.Draw](repeating: .init(index: 0, share: 0), count: min(drawCount, Self.batchCount))
    var left = drawCount
    while left > 0 {
      let batch = min(left, Self.batchCount)
      for place in 0..<batch { drawn[place] = table.begin(&random) }
      for place in 0..<batch { drawn[place].index = table.end(drawn[place]) }
      if let order {
        for place in 0..<batch { drawn[place].index = order[Int(drawn[place].index)] }
      }
      for place in 0..<batch { body(drawn[place].index) }
      left -= batch
    }
  }
}

/// Draws sets without repetition.
struct DistinctChooser {
  /// For each candidate, the number of the last set it was drawn into.
  private var lastSet: [UInt32]
  private var set: UInt32 = 0

  init(candidateCount: Int) { lastSet = [UInt32](repeating: 0, count: candidateCount) }

  /// Draws `count` different candidates, sorted.
  ///
  /// Candidates drawn before are drawn again, which keeps the proportions. If nearly all are wanted, that would take
  /// long: after eight tries a candidate, the rest is taken in turn from a random place.
  mutating func choose(
    _ count: Int, from rows: some RowDraw, excluding excluded: UInt32?, _ random: inout RandomSource
  ) -> [UInt32] {
    set += 1
    if let excluded { lastSet[Int(excluded)] = set }
    var chosen: [UInt32] = []
    chosen.reserveCapacity(count)
    var triesLeft = 8 * count + 8
    while chosen.count < count, triesLeft > 0 {
      // Each adds at most one, so all of them are needed.
      let missing = min(count - chosen.count, triesLeft)
      triesLeft -= missing
      rows.draw(missing, &random) { take($0, into: &chosen) }
    }
    var place = random.below(rows.count)
    while chosen.count < count {
      take(rows.row(place), into: &chosen)
      place = place + 1 == rows.count ? 0 : place + 1
    }
    chosen.sort()
    return chosen
  }

  @inline(__always)
  private mutating func take(_ candidate: UInt32, into chosen: inout [UInt32]) {
    guard lastSet[Int(candidate)] != set else { return }
    lastSet[Int(candidate)] = set
    chosen.append(candidate)
  }
}
