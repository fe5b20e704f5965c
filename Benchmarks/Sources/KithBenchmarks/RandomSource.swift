/// A repeatable stream of random numbers, the same on every machine.
struct RandomSource {
  private var numbers: SeededRandom

  /// Streams of one seed are independent.
  init(seed: UInt64, stream: UInt64) {
    numbers = SeededRandom(seed: seed &* 0x9E37_79B9_7F4A_7C15 ^ stream &* 0xD134_2543_DE82_EF95)
  }

  mutating func next() -> UInt64 { numbers.next() }

  /// One of 0..<bound; the bias of at most bound / 2⁶⁴ does not matter here.
  mutating func below(_ bound: Int) -> Int { Int(next().multipliedFullWidth(by: UInt64(bound)).high) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// One of 0..<count, low ranks more often: all powers of two of ranks with equal probability, close to Zipf's law.
  mutating func zipf(_ count: Int) -> Int {
    let bitCount = Int.bitWidth - count.leadingZeroBitCount
    while true {
      let bit = below(bitCount)
      let rank = (1 << bit) + below(1 << bit) - 1
      if rank < count { return rank }
    }
  }

  /// All of 0..<count in random order.
  mutating func permutation(_ count: Int) -> [UInt32] {
    var order = (0..<UInt32(count)).map(\.self)
    for place in stride(from: count - 1, to: 0, by: -1) { order.swapAt(place, below(place + 1)) }
    return order
  }
}
