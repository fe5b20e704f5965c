/// Sixteen bits for the letters of a loose key, and sixteen for its pairs of letters. A name that contains a text has
/// every bit of it.
///
/// Of names of a dozen letters, the signature of a text of two letters lets 18 % pass, of three letters 6 %, of four
/// 2.5 %. A user's is in the last word of the card, above the number of posts, where a scan of many users reads it
/// without fetching their names.
struct NameSignature: Equatable {
  let bits: UInt32

  init(bits: UInt32) { self.bits = bits }

  /// - Parameter key: a loose key, or a part of one.
  init(key: Span<UInt8>) {
    var bits: UInt32 = 0
    var last: UInt32 = 0
    for index in key.indices {
      let byte = UInt32(key[index])
      bits |= 1 &<< (byte & 15)
      if index > 0 { bits |= 1 &<< (16 | ((last &<< 8 | byte) &* 0x9E37_79B1) &>> 28) }
      last = byte
    }
    self.bits = bits
  }

  init(name: Span<UInt8>) {
    var key = KeyBuffer(capacity: name.count)
    Folding.appendLoose(name, to: &key)
    self.init(key: key.bytes.extracting(first: key.count - 1))
  }

  /// Whether a name of this signature may contain a text of the other one.
  @inline(__always)
  func mayHold(_ other: NameSignature) -> Bool { bits & other.bits == other.bits }
}

extension TextColumn {
  private static let signatureWord = 3

  /// The signature of a user's name.
  @inline(__always)
  func signature(_ row: UInt32) -> NameSignature {
    NameSignature(bits: UInt32(truncatingIfNeeded: self[Int(row), Self.signatureWord] &>> 32))
  }

  mutating func setSignature(_ row: UInt32, _ signature: NameSignature) {
    let count = self[Int(row), Self.signatureWord] & 0xFFFF_FFFF
    self[Int(row), Self.signatureWord] = UInt64(signature.bits) << 32 | count
  }
}
