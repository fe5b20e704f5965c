import Testing

@testable import Kith

/// The top k of keys, of edges and of posts, beside sorting all of them.
@Suite struct TopKTests {
  private static let limits = [1, 2, 21, 64, 65, 200]

  private func keys(_ count: Int, _ order: Int, _ random: inout SeededRandom) -> [Int64] {
    let keys = (0..<count).map { _ in Int64(random.below(count)) }
    return order == 0 ? keys : order == 1 ? keys.sorted() : order == 2 ? keys.sorted(by: >) : keys.map { _ in 7 }
  }

  @Test("The largest keys come first, in any order of arrival, equal ones included", arguments: limits)
  func keys(limit: Int) {
    var random = SeededRandom(seed: UInt64(limit))
    for count in [0, 1, limit - 1, limit, limit + 1, 2 * limit + 70, 1_000] {
      for order in 0..<4 {
        let keys = self.keys(count, order, &random)
        var top = TopK<Int64>(limit: limit)
        for key in keys { top.push(key) }
        #expect(top.sorted() == Array(keys.sorted(by: >).prefix(limit)), "\(count) keys, order \(order)")
      }
    }
  }

  @Test("An unreachable limit keeps all keys")
  func hugeLimit() {
    var top = TopK<Int64>(limit: .max)
    for key in 0..<300 as Range<Int64> { top.push(key) }
    #expect(top.sorted() == (0..<300).reversed())
  }

  @Test(
    "The bar of a small limit rises with each key, that of a large one when twice the limit have come",
    arguments: limits)
  func bar(limit: Int) {
    var top = TopK<Int>(limit: limit)
    let isSorted = limit <= TopK<Int>.insertionLimit
    for key in 1...2 * limit {
      let bar = isSorted && key > limit ? key - limit : nil
      #expect(top.bar == bar && top.count == (isSorted ? min(key - 1, limit) : key - 1))
      top.push(key)
    }
    #expect(top.bar == limit + 1 && top.count == limit)
  }

  @Test("The newest edges after a bound come by timestamp, then id, both descending", arguments: limits)
  func edges(limit: Int) {
    var random = SeededRandom(seed: UInt64(limit))
    for count in [0, limit, 1_000] {
      let edges = (0..<count).map { row in
        EdgeSelection.Edge(timestamp: UInt32(random.below(40)), id: Int64(row * 7_919 % 1_009), row: UInt32(row))
      }
      for bound in [nil, (timestamp: 20, id: 500)] as [(timestamp: UInt32, id: Int64)?] {
        var selection = EdgeSelection(limit: limit, after: bound)
        for edge in edges { selection.push(edge) }
        let expected = edges.filter { edge in bound.map { (edge.timestamp, edge.id) < $0 } ?? true }
          .sorted { ($0.timestamp, $0.id) > ($1.timestamp, $1.id) }.prefix(limit)
        #expect(selection.best().map(\.row) == expected.map(\.row), "\(count) edges")
      }
    }
  }

  @Test("The bound of the newest posts rises only to the oldest of enough posts", arguments: limits)
  func posts(limit: Int) {
    var random = SeededRandom(seed: UInt64(limit))
    let low = PostKey(time: 100, id: 0)
    var newest = NewestPosts(limit: limit, bound: low)
    var taken: [PostKey] = []
    for number in 1...600 as ClosedRange<UInt64> {
      if random.below(50) == 0 { newest.settle() }
      if number % 20 == 0 {
        let best = taken.sorted(by: >).prefix(limit)
        let oldest = best.count == limit ? best.last ?? low : low
        #expect(newest.bound >= low && newest.bound <= oldest, "after \(number) posts")
      }
      let key = PostKey(time: Int64(101 + random.below(1_000)), id: number)
      if key > newest.bound { newest.add(key, UInt32(number)) }
      taken.append(key)
    }
    #expect(newest.rows() == taken.sorted(by: >).prefix(limit).map { UInt32($0.id) })
  }
}
