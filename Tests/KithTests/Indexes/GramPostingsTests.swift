import Testing

@testable import Kith

/// Postings of as many blocks as a third of a million names have, against plain sets of blocks: lists that are galloped
/// through, bitmaps of hundreds of words, and both together. Indexes of a few thousand names have none of these.
@Suite struct GramPostingsTests {
  private static let blockCount = 20_011  // the last word of a bitmap is not full

  /// One in this many blocks holds the gram: all, many, as many as make a list a bitmap, few.
  private static let distances = [1, 2, 3, 8, 15, 16, 17, 30, 100, 700, 4_000, 20_000]

  @Test("600 walks through postings of 20,011 blocks give what plain sets of blocks give")
  func walks() {
    var random = SeededRandom(seed: 71)
    let (postings, sets) = Self.fill(&random)
    #expect(postings.checkInvariants() == [])
    for _ in 0..<600 {
      var grams: [UInt32] = []
      for _ in 0...random.below(6) {
        let gram = UInt32(1 + random.below(sets.count))
        if !grams.contains(gram) { grams.append(gram) }
      }
      let first = random.below(3) == 0 ? random.below(Self.blockCount) : 0
      let limit = [1, 20, .max][random.below(3)]
      var common = [UInt64](repeating: ~0, count: sets[0].count)
      for gram in grams {
        for word in common.indices { common[word] &= sets[Int(gram) - 1][word] }
      }
      #expect(
        Self.walk(postings, grams, first, limit) == Self.blocks(common, from: first, limit),
        "grams \(grams) from block \(first), at most \(limit)")
    }
  }

  @Test("A walk with an unknown gram is empty")
  func absent() {
    var random = SeededRandom(seed: 72)
    let (postings, sets) = Self.fill(&random)
    #expect(Self.walk(postings, [1, UInt32(sets.count + 1)], 0, .max) == [])
    #expect(Self.walk(postings, [], 0, .max) == [])
  }

  /// Postings of grams 1, 2, 3…, and the blocks that hold each, as bits.
  private static func fill(_ random: inout SeededRandom) -> (GramPostings, [[UInt64]]) {
    let words = GramPostings.wordsPerBitmap(blockCount)
    // Three grams of each distance: their blocks are random or adjacent.
    var sets = [[UInt64]](repeating: [UInt64](repeating: 0, count: words), count: 3 * distances.count)
    for index in sets.indices {
      let distance = distances[index / 3]
      let start = random.below(blockCount)
      for step in 0..<blockCount / distance {
        let block =
          switch index % 3 {
          case 0: random.below(blockCount)
          case 1: (start + step) % blockCount
          default: step * distance
          }
        sets[index][block / 64] |= 1 << UInt64(block % 64)
      }
      sets[index][(blockCount - 1) / 64] |= 1 << UInt64((blockCount - 1) % 64)
    }
    var builder = GramPostingsBuilder()
    builder.reserve(sets.count)
    for block in 0..<blockCount {
      for index in sets.indices where sets[index][block / 64] >> UInt64(block % 64) & 1 == 1 {
        builder.add(UInt32(index + 1))
      }
      builder.endBlock()
    }
    return (builder.finish(), sets)
  }

  private static func walk(_ postings: GramPostings, _ grams: [UInt32], _ first: Int, _ limit: Int) -> [Int] {
    var blocks: [Int] = []
    var budget = QueryBudget()
    postings.forEachBlock(holding: grams.span, from: first, &budget) { block, _ in
      blocks.append(block)
      return blocks.count < limit
    }
    return blocks
  }

  private static func blocks(_ set: [UInt64], from first: Int, _ limit: Int) -> [Int] {
    var blocks: [Int] = []
    for word in first / 64..<set.count {
      var bits = set[word]
      while bits != 0 {
        let block = word * 64 + bits.trailingZeroBitCount
        bits &= bits - 1
        if block >= first { blocks.append(block) }
        if blocks.count == limit { return blocks }
      }
    }
    return blocks
  }
}
