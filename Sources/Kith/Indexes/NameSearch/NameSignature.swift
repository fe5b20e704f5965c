/// 24 bits for the letters of a loose key, and 40 for its pairs of letters. A name that contains a text has every bit
/// of it.
///
/// Of names of a dozen letters, the signature of a text of two letters lets 9 % pass where 4 % match, of three letters
/// 2 %, of four 0.7 %. A scan of many users reads their signatures, and fetches the names of those that pass.
struct NameSignature: Equatable {
  private static let letterCount: UInt64 = 24
  private static let pairCount: UInt64 = 64 - letterCount

  let bits: UInt64

  init(bits: UInt64) { self.bits = bits }

  /// - Parameter key: a loose key, or a part of one.
  init(key: Span<UInt8>) {
    var bits: UInt64 = 0
    var last: UInt64 = 0
    for index in key.indices {
      let byte = UInt64(key[index])
      bits |= 1 &<< (byte % Self.letterCount)
      if index > 0 {
        let hash = UInt64(UInt32(truncatingIfNeeded: (last &<< 8 | byte) &* 0x9E37_79B1))
        bits |= 1 &<< (Self.letterCount &+ (hash &* Self.pairCount) &>> 32)
      }
      last = byte
    }
    self.bits = bits
  }

  /// Whether a name of this signature may contain a text of the other one.
  @inline(__always)
  func mayHold(_ other: NameSignature) -> Bool { bits & other.bits == other.bits }
}
