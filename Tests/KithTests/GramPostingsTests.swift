import Testing

@testable import Kith

/// Postings of grams from the rarest to the most frequent, in all forms that they are kept in.
@Suite struct GramPostingsTests {
  /// Where each gram was posted, kept plainly.
  private struct Plain {
    let blockCount: Int
    var blocks: [UInt32: [Int]] = [:]
    var postings: GramPostings

    /// Gram n has about one block in n², spread evenly; every third gram's stand in one tenth of all.
    init(blockCount: Int, seed: UInt64) {
      var random = SeededRandom(seed: seed)
      var builder = GramPostingsBuilder()
      for block in 0..<blockCount {
        builder.reserve(120)
        for gram in 1...120 {
          let isNear = gram % 3 > 0 || block * 10 / blockCount == gram % 10
          if !isNear || random.below(gram * gram) > 0 { continue }
          builder.add(UInt32(gram))
          blocks[UInt32(gram), default: []].append(block)
        }
        builder.endBlock()
      }
      self.blockCount = blockCount
      postings = builder.finish()
    }

    func found(_ grams: [UInt32], from first: Int, limit: Int = .max) -> [Int] {
      var found: [Int] = []
      var work = SearchWork()
      postings.forEachBlock(holding: grams, from: first, &work) { block in
        found.append(block)
        return found.count < limit
      }
      return found
    }
  }

  @Test("Every gram's blocks come in order, from any block on", arguments: [1, 63, 300, 2_000, 20_000])
  func single(blockCount: Int) {
    let plain = Plain(blockCount: blockCount, seed: 7)
    #expect(plain.postings.checkInvariants() == [])
    #expect(plain.postings.postedPairCount() == plain.blocks.values.reduce(0) { $0 + $1.count })
    var forms: Set<GramPostings.Form> = []
    for gram in UInt32(1)...121 {
      let blocks = plain.blocks[gram] ?? []
      if !blocks.isEmpty { forms.insert(GramPostings.Form(blocks.count, of: blockCount)) }
      #expect(plain.found([gram], from: 0) == blocks, "gram \(gram) of \(blockCount)")
      for first in [blockCount / 3, blockCount - 1, (blocks.last ?? 0), (blocks.first ?? 0) + 1]
      where first < blockCount {
        #expect(plain.found([gram], from: first) == blocks.filter { $0 >= first }, "gram \(gram) from \(first)")
      }
    }
    if blockCount >= 2_000 { #expect(forms.count == 3) }
  }

  @Test("No block that holds all grams is passed by, and each that comes holds the rarest", arguments: [300, 20_000])
  func several(blockCount: Int) {
    let plain = Plain(blockCount: blockCount, seed: 9)
    var random = SeededRandom(seed: 1)
    for _ in 0..<600 {
      let most = [4, 12, 40, 121][random.below(4)]
      let grams = Array(Set((0...random.below(12)).map { _ in UInt32(1 + random.below(most)) })).sorted()
      let lists = grams.map { Set(plain.blocks[$0] ?? []) }
      let common = lists.dropFirst().reduce(lists[0]) { $0.intersection($1) }
      let first = random.below(3) == 0 ? random.below(blockCount) : 0
      let found = plain.found(grams, from: first)
      #expect(found == Array(Set(found)).sorted() && found.allSatisfy { $0 >= first })
      #expect(common.filter { $0 >= first }.isSubset(of: found), "\(grams) from \(first)")
      #expect(lists.contains { $0.isSuperset(of: found) }, "\(grams) from \(first)")
      #expect(plain.found(grams, from: first, limit: 3) == Array(found.prefix(3)))
    }
  }
}
