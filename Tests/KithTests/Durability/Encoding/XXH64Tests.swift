import Testing

@testable import Kith

/// Vectors: the sanity buffer of xxHash's own test suite and some words, by the PyPI package `xxhash` 3.5.0, which
/// wraps the reference implementation.
@Suite struct XXH64Tests {
  private static let prime32: UInt64 = 2_654_435_761

  /// The reference suite's pseudorandom buffer.
  private static let sanityBuffer: [UInt8] = {
    var generator = prime32
    return (0..<2367).map { _ in
      defer { generator = generator &* 11_400_714_785_074_694_797 }
      return UInt8(truncatingIfNeeded: generator >> 56)
    }
  }()

  @Test(
    "Hashes agree with the reference implementation",
    arguments: [
      (0, 0xEF46_DB37_51D8_E999, 0xAC75_FDA2_929B_17EF), (1, 0xE934_A84A_DB05_2768, 0x5014_6076_43A9_B4C3),
      (4, 0x9136_A0DC_A574_57EE, 0xCAAB_286B_D8E9_FDB5), (14, 0x8282_DCC4_994E_35C8, 0xC3BD_6BF6_3DEB_6DF0),
      (31, 0x299B_39A2_90E6_D783, 0xDA67_3D5F_EB5C_1D79), (32, 0x18B2_1649_2BB4_4B70, 0xB3F3_3BDF_93AD_E409),
      (33, 0x55C8_DC3E_578F_5B59, 0xE92C_292F_64BC_3071), (63, 0xA9EF_BE0F_A0F3_F4E7, 0x6C91_1FAD_B05B_6FC2),
      (64, 0xEF55_8F8A_CAC2_B5CD, 0xB5EE_BA99_264C_C44F), (65, 0xDE0F_20DC_2631_AF7A, 0xD3F6_FF39_41E3_10CA),
      (222, 0xB641_AE8C_B691_C174, 0x20CB_8AB7_AE10_C14A), (2367, 0xA824_18DD_EC0E_A581, 0xA36A_93C1_8052_673A),
    ] as [(Int, UInt64, UInt64)])
  func referenceHashes(count: Int, unseeded: UInt64, seeded: UInt64) {
    let bytes = Array(Self.sanityBuffer.prefix(count))
    #expect(XXH64.hash(bytes.span) == unseeded)
    #expect(XXH64.hash(bytes.span, seed: Self.prime32) == seeded)
  }

  @Test("Words hash as published")
  func publishedWords() {
    let words: [(String, UInt64)] = [
      ("", 0xEF46_DB37_51D8_E999), ("a", 0xD24E_C4F1_A98C_6E5B), ("abc", 0x44BC_2CF5_AD77_0999),
      ("Nobody inspects the spammish repetition", 0xFBCE_A83C_8A37_8BF1),
    ]
    for (word, hash) in words { #expect(XXH64.hash(Array(word.utf8).span) == hash) }
  }

  @Test("An integer hashes like its bytes")
  func integerHash() {
    for (word, seed) in [(0, 0), (1, 7), (0x0123_4567_89AB_CDEF, .max), (.max, 0x9E37_79B1)] as [(UInt64, UInt64)] {
      let bytes = (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(8 * $0)) }
      #expect(XXH64.hash(word, seed: seed) == XXH64.hash(bytes.span, seed: seed))
    }
  }

  @Test("Pieces hash like the whole, at any boundaries")
  func piecewiseHash() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<500 {
      let bytes = Array(Self.sanityBuffer.prefix(random.below(400)))
      var state = XXH64(seed: 7)
      var position = 0
      while position < bytes.count {
        let end = min(bytes.count, position + random.below(70))
        state.update(bytes.span.extracting(position..<end))
        position = end
      }
      #expect(state.finalize() == XXH64.hash(bytes.span, seed: 7))
      #expect(state.finalize() == state.finalize())
    }
  }

  @Test("Every flipped bit and every truncation changes the hash")
  func changedInput() {
    var bytes = Array(Self.sanityBuffer.prefix(300))
    var seen: Set<UInt64> = [XXH64.hash(bytes.span)]
    for bit in 0..<(8 * bytes.count) {
      bytes[bit / 8] ^= 1 << (bit % 8)
      #expect(seen.insert(XXH64.hash(bytes.span)).inserted)
      bytes[bit / 8] ^= 1 << (bit % 8)
    }
    while bytes.popLast() != nil { #expect(seen.insert(XXH64.hash(bytes.span)).inserted) }
  }
}
