/// SHA-256, as FIPS 180-4 defines it: PostgreSQL has the same function.
package enum SHA256 {
  package static let byteCount = 32
  private static let blockByteCount = 64

  /// The hash of `bytes`.
  /// - Complexity: O(bytes).
  package static func hash(_ bytes: [UInt8]) -> [UInt8] {
    var state = initial
    var schedule = [UInt32](repeating: 0, count: 64)
    let whole = bytes.count / blockByteCount * blockByteCount
    for start in stride(from: 0, to: whole, by: blockByteCount) {
      absorb(bytes.span.extracting(start..<start + blockByteCount), &schedule, into: &state)
    }
    // The message ends with one set bit, zeros, and its length in bits, which fills a block.
    var tail = Array(bytes[whole...]) + [0x80]
    let tailByteCount = tail.count + 8 <= blockByteCount ? blockByteCount : 2 * blockByteCount
    tail += [UInt8](repeating: 0, count: tailByteCount - 8 - tail.count)
    tail += (UInt64(bytes.count) * 8).bigEndianBytes
    for start in stride(from: 0, to: tail.count, by: blockByteCount) {
      absorb(tail.span.extracting(start..<start + blockByteCount), &schedule, into: &state)
    }
    return state.flatMap(\.bigEndianBytes)
  }

  private static func absorb(_ block: Span<UInt8>, _ schedule: inout [UInt32], into state: inout [UInt32]) {
    for index in 0..<16 {
      let place = 4 &* index
      let (high, low) = (
        UInt32(block[place]) &<< 24 | UInt32(block[place &+ 1]) &<< 16,
        UInt32(block[place &+ 2]) &<< 8 | UInt32(block[place &+ 3])
      )
      schedule[index] = high | low
    }
    for index in 16..<64 {
      let (two, fifteen) = (schedule[index &- 2], schedule[index &- 15])
      let first = fifteen.rotated(7) ^ fifteen.rotated(18) ^ (fifteen &>> 3)
      let second = two.rotated(17) ^ two.rotated(19) ^ (two &>> 10)
      schedule[index] = schedule[index &- 16] &+ first &+ schedule[index &- 7] &+ second
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let sum = h &+ (e.rotated(6) ^ e.rotated(11) ^ e.rotated(25)) &+ ((e & f) ^ (~e & g))
      let first = sum &+ constants[index] &+ schedule[index]
      let second = (a.rotated(2) ^ a.rotated(13) ^ a.rotated(22)) &+ ((a & b) ^ (a & c) ^ (b & c))
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
    }
    for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= value }
  }

  /// The first 32 bits of the fractional parts of the roots of `degree` of the first primes, found with integers.
  private static func roots(_ count: Int, degree: Int) -> [UInt32] {
    var primes: [UInt64] = []
    var candidate: UInt64 = 2
    while primes.count < count {
      if primes.allSatisfy({ candidate % $0 != 0 }) { primes.append(candidate) }
      candidate += 1
    }
    return primes.map { prime in
      // The greatest integer whose power is at most the prime times 2 to the power of 32 · degree.
      var root: UInt64 = 0
      for bit in stride(from: 36, through: 0, by: -1) {
        let trial = root | 1 << UInt64(bit)
        if isPower(trial, degree, atMost: prime) { root = trial }
      }
      return UInt32(truncatingIfNeeded: root)
    }
  }

  private static func isPower(_ base: UInt64, _ degree: Int, atMost prime: UInt64) -> Bool {
    let base = UInt128(base)
    return degree == 2
      ? base * base <= UInt128(prime) << 64
      : base * base * base <= UInt128(prime) << 96
  }

  private static let initial = roots(8, degree: 2)
  private static let constants = roots(64, degree: 3)
}

extension UInt32 {
  @inline(__always)
  fileprivate func rotated(_ bits: UInt32) -> UInt32 { (self &>> bits) | (self &<< (32 &- bits)) }
}
