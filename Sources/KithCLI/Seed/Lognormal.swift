/// Lognormally distributed whole numbers with a given sum, at most `limit` each.
///
/// Logarithm and exponential are implemented here: those of the C library differ in their last digits between machines,
/// while +, −, ×, ÷ and the square root are exact by IEEE 754.
enum Lognormal {
  /// Spread of the logarithms: with it and a mean of 40, one user in a thousand follows over a thousand.
  static let deviation = 1.25

  /// - Precondition: `sum` ≤ `count` · `limit`.
  static func counts(_ count: Int, sum: Int, limit: Int, _ random: inout RandomSource) -> [Int] {
    guard count > 0, sum > 0 else { return [Int](repeating: 0, count: count) }
    // Weights are truncated to integers, at most 2³² each, so that the division is exact.
    let weights = (0..<count).map { _ in UInt64(min(exponential(deviation * normal(&random)) * 0x1p16, 0x1p32)) + 1 }
    let total = weights.reduce(0, +)
    var counts = weights.map { weight in
      let (high, low) = weight.multipliedFullWidth(by: UInt64(sum))
      return min(limit, Int(total.dividingFullWidth((high, low)).quotient))
    }
    var missing = sum - counts.reduce(0, +)
    let order = random.permutation(count)
    while missing > 0 {
      for index in order where missing > 0 && counts[Int(index)] < limit {
        counts[Int(index)] += 1
        missing -= 1
      }
    }
    return counts
  }

  /// One number of the standard normal distribution (Marsaglia's polar method).
  static func normal(_ random: inout RandomSource) -> Double {
    while true {
      let x = random.fraction() * 2 - 1
      let y = random.fraction() * 2 - 1
      let square = x * x + y * y
      if square > 0, square < 1 { return x * (-2 * naturalLogarithm(square) / square).squareRoot() }
    }
  }

  /// ln by the series of artanh, for positive normal numbers.
  static func naturalLogarithm(_ value: Double) -> Double {
    let ratio = (value.significand - 1) / (value.significand + 1)
    let square = ratio * ratio
    var power = ratio
    var sum = 0.0
    for divisor in stride(from: 1.0, through: 35, by: 2) {
      sum += power / divisor
      power *= square
    }
    return 2 * sum + Double(value.exponent) * naturalLogarithmOfTwo
  }

  /// e to a power from about −700 to 700, by Taylor's series around the nearest power of two.
  static func exponential(_ value: Double) -> Double {
    let exponent = (value / naturalLogarithmOfTwo).rounded()
    let rest = value - exponent * naturalLogarithmOfTwo
    var term = 1.0
    var sum = 1.0
    for divisor in stride(from: 1.0, through: 20, by: 1) {
      term *= rest / divisor
      sum += term
    }
    return Double(sign: .plus, exponent: Int(exponent), significand: sum)
  }

  private static let naturalLogarithmOfTwo = 0x1.62e42fefa39efp-1
}
