@testable import Kith

/// The texts that Scripts/generate-unicode-tables.py makes from the same seed (`random_texts`).
struct FoldingTexts {
  private static let lively: [ClosedRange<UInt32>] = [
    0x41...0x7A, 0xC0...0x24F, 0x300...0x36F, 0x300...0x36F, 0x340...0x34F, 0x370...0x3FF, 0x591...0x5C7,
    0x5D0...0x5EA, 0x610...0x670, 0x900...0x97F, 0x9A0...0x9FF, 0xB80...0xBFF, 0xDC0...0xDFF, 0xE30...0xE4E,
    0xF40...0xFBC, 0x1000...0x103F, 0x1100...0x11FF, 0x1E00...0x1EFF, 0x1F00...0x1FFF, 0x200B...0x200F,
    0x3040...0x30FF, 0xAC00...0xAC60, 0xFB00...0xFB4F, 0xFE70...0xFEFF, 0xFF61...0xFFDC, 0x11380...0x113E2,
    0x16D40...0x16D79, 0x1D158...0x1D172, 0x2B9...0x2BD, 0x6D6...0x6ED, 0x2010...0x2033, 0x304B...0x309C,
    0x3099...0x309A,
  ]

  let seed: UInt64
  var generator: SeededRandom

  init(seed: UInt64) {
    self.seed = seed
    generator = SeededRandom(seed: seed)
  }

  mutating func next() -> [UInt8] {
    let rangeCount = 1 + generator.below(3)
    let ranges = (0..<rangeCount).map { _ in Self.lively[generator.below(Self.lively.count)] }
    let scalarCount = 1 + generator.below(12)
    var text: [UInt8] = []
    for _ in 0..<scalarCount {
      let range = ranges[generator.below(ranges.count)]
      text.append(scalar: range.lowerBound + UInt32(generator.below(range.count)))
    }
    return text
  }

  /// All scalars, each followed by a line feed, which separates it from its neighbours; 64 a text.
  static func ofAllScalars() -> some Sequence<[UInt8]> {
    stride(from: UInt32(0), to: 0x11_0000, by: 64).lazy.filter { !(0xD800..<0xE000).contains($0) }.map { first in
      var text: [UInt8] = []
      for scalar in first..<first + 64 {
        text.append(scalar: scalar)
        text.append(0x0A)
      }
      return text
    }
  }

  /// FNV-1a, 64 bits.
  struct Digest {
    var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: [UInt8]) {
      for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
  }
}
