/// A repeatable stream of random numbers: xoshiro256**, its state filled by SplitMix64 from one seed.
///
/// The same on every machine; the standard library may change its algorithms.
/// Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators", 2018; public domain code.
struct RandomSource: Sendable {
  private var state: (UInt64, UInt64, UInt64, UInt64)

  /// - Parameter stream: numbers of different streams of one seed are independent, so that more posts do not change the
  ///   follows.
  init(seed: UInt64, stream: UInt64) {
    var mixer = seed &+ stream &* 0xD134_2543_DE82_EF95
    func next() -> UInt64 {
      mixer &+= 0x9E37_79B9_7F4A_7C15
      var mixed = mixer
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
    state = (next(), next(), next(), next())
  }

  mutating func next() -> UInt64 {
    let product = state.1 &* 5
    let result = ((product << 7) | (product >> 57)) &* 9
    let shifted = state.1 << 17
    state.2 ^= state.0
    state.3 ^= state.1
    state.1 ^= state.2
    state.0 ^= state.3
    state.2 ^= shifted
    state.3 = (state.3 << 45) | (state.3 >> 19)
    return result
  }

  /// Each of 0..<bound with equal probability (Lemire, "Fast random integer generation in an interval", 2019).
  mutating func below(_ bound: UInt64) -> UInt64 {
    precondition(bound > 0, "nothing lies below zero")
    var product = next().multipliedFullWidth(by: bound)
    if product.low < bound {
      let threshold = (0 &- bound) % bound
      while product.low < threshold { product = next().multipliedFullWidth(by: bound) }
    }
    return product.high
  }

  mutating func below(_ bound: Int) -> Int { Int(below(UInt64(bound))) }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

  /// A multiple of 2⁻⁵³ in 0..<1.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// All of 0..<count in random order.
  mutating func permutation(_ count: Int) -> [UInt32] {
    var order = (0..<UInt32(count)).map(\.self)
    for place in stride(from: count - 1, to: 0, by: -1) { order.swapAt(place, below(place + 1)) }
    return order
  }

  /// All of 0..<count in random order, drawn from the first place on.
  mutating func shuffled(_ count: Int) -> [UInt32] {
    var order = (0..<UInt32(count)).map(\.self)
    for place in order.indices { order.swapAt(place, place + below(count - place)) }
    return order
  }
}
