/// XXH64: the 64-bit checksum of everything Kith writes.
///
/// It detects accidental damage (flipped bits, torn and swapped sectors), not forgery: it is not a cryptographic hash.
/// Algorithm: Yann Collet, "xxHash fast digest algorithm", specification 0.2.0, section XXH64
/// (github.com/Cyan4973/xxHash, doc/xxhash_spec.md). zstd uses the same hash for its frame checksums.
///
/// Safe code: each stripe of 32 bytes is extracted from the span with one bounds check, and the shifts below compile to
/// 8-byte loads. Indexing the whole span is three times slower.
struct XXH64 {
  private var lane1: UInt64
  private var lane2: UInt64
  private var lane3: UInt64
  private var lane4: UInt64
  private let seed: UInt64
  private var byteCount: UInt64 = 0
  /// The bytes of an incomplete stripe: fewer than 32.
  private var rest: [UInt8] = []

  init(seed: UInt64 = 0) {
    self.seed = seed
    lane1 = seed &+ Self.prime1 &+ Self.prime2
    lane2 = seed &+ Self.prime2
    lane3 = seed
    lane4 = seed &- Self.prime1
  }

  /// The hash of `bytes` in one call.
  /// - Complexity: O(bytes): 8–17 GB/s on the author's machine.
  static func hash(_ bytes: Span<UInt8>, seed: UInt64 = 0) -> UInt64 {
    var state = XXH64(seed: seed)
    state.byteCount = UInt64(bytes.count)
    let position = state.absorbStripes(of: bytes, from: 0)
    return state.finalize(with: bytes.extracting(position..<bytes.count))
  }

  /// The hash of the eight bytes of `word`, lowest first.
  static func hash(_ word: UInt64, seed: UInt64) -> UInt64 {
    avalanche(take(word, into: seed &+ prime5 &+ 8))
  }

  mutating func update(_ bytes: Span<UInt8>) {
    byteCount &+= UInt64(bytes.count)
    var position = 0
    if !rest.isEmpty {
      while position < bytes.count, rest.count < Self.stripe {
        rest.append(bytes[position])
        position += 1
      }
      if rest.count == Self.stripe {
        let stripe = rest
        _ = absorbStripes(of: stripe.span, from: 0)
        rest.removeAll(keepingCapacity: true)
      }
    }
    position = absorbStripes(of: bytes, from: position)
    while position < bytes.count {
      rest.append(bytes[position])
      position += 1
    }
  }

  /// The hash of all bytes so far. More may be added afterwards.
  func finalize() -> UInt64 { finalize(with: rest.span) }

  /// - Parameter tail: the bytes after the last whole stripe.
  private func finalize(with tail: Span<UInt8>) -> UInt64 {
    var hash = byteCount >= UInt64(Self.stripe) ? mergedLanes() : seed &+ Self.prime5
    hash &+= byteCount
    var position = 0
    while tail.count - position >= 8 {
      hash = Self.take(Self.load64(tail, position), into: hash)
      position += 8
    }
    if tail.count - position >= 4 {
      hash = (hash ^ (Self.load32(tail, position) &* Self.prime1)).rotated(23) &* Self.prime2 &+ Self.prime3
      position += 4
    }
    while position < tail.count {
      hash = (hash ^ (UInt64(tail[position]) &* Self.prime5)).rotated(11) &* Self.prime1
      position += 1
    }
    return Self.avalanche(hash)
  }

  private static func take(_ word: UInt64, into hash: UInt64) -> UInt64 {
    (hash ^ round(0, word)).rotated(27) &* prime1 &+ prime4
  }

  private static func avalanche(_ hash: UInt64) -> UInt64 {
    var hash = (hash ^ (hash &>> 33)) &* prime2
    hash = (hash ^ (hash &>> 29)) &* prime3
    return hash ^ (hash &>> 32)
  }

  /// Processes every whole stripe from `start` on. Returns the start of the rest.
  private mutating func absorbStripes(of bytes: Span<UInt8>, from start: Int) -> Int {
    var (one, two, three, four) = (lane1, lane2, lane3, lane4)
    var position = start
    while bytes.count &- position >= Self.stripe {
      let stripe = bytes.extracting(position..<(position &+ Self.stripe))
      one = Self.round(one, Self.load64(stripe, 0))
      two = Self.round(two, Self.load64(stripe, 8))
      three = Self.round(three, Self.load64(stripe, 16))
      four = Self.round(four, Self.load64(stripe, 24))
      position &+= Self.stripe
    }
    (lane1, lane2, lane3, lane4) = (one, two, three, four)
    return position
  }

  private func mergedLanes() -> UInt64 {
    var hash = lane1.rotated(1) &+ lane2.rotated(7) &+ lane3.rotated(12) &+ lane4.rotated(18)
    hash = Self.merge(hash, lane1)
    hash = Self.merge(hash, lane2)
    hash = Self.merge(hash, lane3)
    return Self.merge(hash, lane4)
  }

  private static let stripe = 32
  private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
  private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
  private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
  private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
  private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

  @inline(__always)
  private static func round(_ lane: UInt64, _ input: UInt64) -> UInt64 {
    (lane &+ input &* prime2).rotated(31) &* prime1
  }

  private static func merge(_ hash: UInt64, _ lane: UInt64) -> UInt64 {
    (hash ^ round(0, lane)) &* prime1 &+ prime4
  }

  @inline(__always)
  private static func load32(_ bytes: Span<UInt8>, _ index: Int) -> UInt64 {
    UInt64(bytes[index]) | UInt64(bytes[index &+ 1]) &<< 8 | UInt64(bytes[index &+ 2]) &<< 16
      | UInt64(bytes[index &+ 3]) &<< 24
  }

  @inline(__always)
  private static func load64(_ bytes: Span<UInt8>, _ index: Int) -> UInt64 {
    load32(bytes, index) | load32(bytes, index &+ 4) &<< 32
  }
}

extension UInt64 {
  @inline(__always)
  fileprivate func rotated(_ bits: UInt64) -> UInt64 {
    (self &<< bits) | (self &>> (64 &- bits))
  }
}
