import Testing

@testable import Kith

/// The hash index against a dictionary.
@Suite struct HashIndexTests {
  private final class Pinned {
    let index: HashIndex
    let twin: [UInt32: UInt64]

    init(_ index: consuming HashIndex, _ twin: [UInt32: UInt64]) {
      self.index = index
      self.twin = twin
    }

    /// Every row is found under its hash, and removed rows are not.
    func isIntact(rowCount: UInt32) -> Bool {
      index.count == twin.count
        && (0..<rowCount).allSatisfy { row in
          guard let hash = twin[row] else { return true }
          return index.find(hash) { $0 == row } == row
        }
    }
  }

  /// Few distinct hashes, so that many are equal and lines overflow, or well-mixed ones.
  private static func hash(_ random: inout SeededRandom, distinct: Int) -> UInt64 {
    var mixer = SeededRandom(seed: UInt64(random.below(distinct)))
    return mixer.next()
  }

  @Test(
    "Entries with equal and with different hashes are added and removed", arguments: [40, 1_000, 1 << 40],
    [1, 2] as [UInt64])
  func churn(distinct: Int, seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var index = HashIndex()
    var twin: [UInt32: UInt64] = [:]
    var pins: [Pinned] = []
    var rowCount: UInt32 = 0
    for step in 0..<3_000 {
      if random.below(10) < (step % 1_000 < 600 ? 7 : 3) {
        let hash = Self.hash(&random, distinct: distinct)
        index.insert(hash, row: rowCount)
        twin[rowCount] = hash
        rowCount += 1
      } else if rowCount > 0 {
        let row = UInt32(random.below(Int(rowCount)))
        if let hash = twin.removeValue(forKey: row) {
          index.remove(hash, row: row)
          #expect(index.find(hash) { $0 == row } == nil, "seed \(seed), step \(step)")
        }
      }
      if step % 500 == 0 {
        pins.append(Pinned(index.pin(), twin))
        #expect(index.checkInvariants("index") == [], "seed \(seed), step \(step)")
        #expect(pins.allSatisfy { $0.isIntact(rowCount: rowCount) }, "seed \(seed), step \(step)")
      }
    }
    #expect(Pinned(index.pin(), twin).isIntact(rowCount: rowCount))
    #expect(pins.allSatisfy { $0.isIntact(rowCount: rowCount) && $0.index.checkInvariants("pin") == [] })
  }

  @Test("Thousands of entries split many pages, and every one is found")
  func splitting() {
    var index = HashIndex()
    for id in 1...40_000 as ClosedRange<Int64> { index.insert(Hashing.hash(id), row: UInt32(id)) }
    #expect(index.count == 40_000 && index.checkInvariants("index") == [])
    #expect((1...40_000).allSatisfy { id in index.find(Hashing.hash(Int64(id))) { $0 == UInt32(id) } == UInt32(id) })
    #expect((40_001...50_000).allSatisfy { id in index.find(Hashing.hash(Int64(id))) { $0 == UInt32(id) } == nil })
    #expect(index.byteCount < 40_000 * 10 + PageTable.pagesPerChunk * 24 + Column<UInt32>.pageByteCount)
    for id in stride(from: 1, through: 40_000 as Int64, by: 2) { index.remove(Hashing.hash(id), row: UInt32(id)) }
    #expect(index.count == 20_000 && index.checkInvariants("index") == [])
    #expect(index.find(Hashing.hash(Int64(7))) { $0 == 7 } == nil)
    #expect(index.find(Hashing.hash(Int64(8))) { $0 == 8 } == 8)
  }

  @Test(
    "Hashes with equal low bits deepen the directory, those with equal high bits fill a page line by line")
  func alike() {
    var index = HashIndex()
    // The lowest of the bits that count differ first.
    func hash(_ row: UInt32) -> UInt64 { UInt64(row) << 40 }
    for row in 0..<2_000 as Range<UInt32> { index.insert(hash(row), row: row) }
    #expect(index.checkInvariants("index") == [])
    for row in 0..<2_000 as Range<UInt32> { #expect(index.find(hash(row)) { $0 == row } == row) }
    for row in 0..<1_900 as Range<UInt32> { index.remove(hash(row), row: row) }
    #expect(index.count == 100 && index.checkInvariants("index") == [])
    for row in 1_850..<2_000 as Range<UInt32> {
      #expect((index.find(hash(row)) { $0 == row } == nil) == (row < 1_900))
    }
  }

  @Test("An entry takes at most ten bytes at any count from a hundred thousand on, and is found after removals")
  func density() {
    var random = SeededRandom(seed: 3)
    var index = HashIndex()
    var most = 0.0
    for row in 0..<210_000 as Range<UInt32> {
      index.insert(Hashing.hash(Int64(row) + 1), row: row)
      if row > 100_000, row % 1_000 == 0 { most = max(most, Double(index.byteCount) / Double(row)) }
    }
    #expect(most <= 10, "\(most) bytes")
    var removed = Set<UInt32>()
    for _ in 0..<100_000 {
      let row = UInt32(random.below(210_000))
      if removed.insert(row).inserted { index.remove(Hashing.hash(Int64(row) + 1), row: row) }
    }
    #expect(index.checkInvariants("index") == [])
    let isWhole = (0..<210_000 as Range<UInt32>).allSatisfy { row in
      (index.find(Hashing.hash(Int64(row) + 1)) { $0 == row } == nil) == removed.contains(row)
    }
    #expect(isWhole)
  }

  @Test(
    "Room that was made in advance takes no more, whether it is filled or exceeded",
    arguments: [0, 900, 50_000, 150_000])
  func reserving(count: Int) {
    var index = HashIndex()
    index.reserve(count)
    let made = index.byteCount
    #expect(made <= count * 11 + 40_000 && index.checkInvariants("index") == [])
    for row in 0..<UInt32(count * 3 / 2) {
      index.insert(Hashing.hash(Int64(row) + 1), row: row)
      if row == UInt32(count) - 1 { #expect(index.byteCount <= made + made / 20 + 9_000) }
    }
    #expect(index.checkInvariants("index") == [])
    let isWhole = (0..<UInt32(count * 3 / 2)).allSatisfy { row in
      index.find(Hashing.hash(Int64(row) + 1)) { $0 == row } == row
    }
    #expect(isWhole)
  }

  @Test("Different ids never share a hash, and bytes hash by their content")
  func hashing() {
    let hashes = Set((-5_000...5_000 as ClosedRange<Int64>).map { Hashing.hash($0) })
    #expect(hashes.count == 10_001)
    #expect(Hashing.hash([1, 2, 3].span) == Hashing.hash(Array(1...3 as ClosedRange<UInt8>).span))
    #expect(Hashing.hash([1, 2].span) != Hashing.hash([1, 2, 0].span))
  }
}
