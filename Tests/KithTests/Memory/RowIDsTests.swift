import Testing

@testable import Kith

/// Ids by row.
@Suite struct RowIDsTests {
  @Test(
    "Ids are those of an array, through pins, wherever they stop being dense",
    arguments: 1...8 as ClosedRange<UInt64>)
  func likeAnArray(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let denseCount = [0, 1, 2, 500][random.below(4)]
    var ids = RowIDs()
    var model: [Int64] = []
    var pins: [(Holder, [Int64])] = []
    for row in 0..<1_000 {
      // After the dense ones, an id may be the row plus one again.
      let id = row < denseCount || random.below(4) == 0 ? Int64(row) + 1 : Int64(5_000 + random.below(1_000_000))
      ids.append(id)
      model.append(id)
      if random.below(100) == 0 { pins.append((Holder(ids.pin()), model)) }
    }
    #expect(ids.denseCount >= denseCount)
    Self.check(ids, model)
    for (pin, model) in pins { Self.check(pin.ids, model) }
  }

  @Test("Dense ids take no memory") func bytes() {
    var ids = RowIDs()
    for row in 0..<100_000 { ids.append(Int64(row) + 1) }
    #expect(ids.byteCount < 10_000 && ids.denseCount == 100_000)
    ids.append(7_000_000)
    #expect(ids[100_000] == 7_000_000 && ids[UInt32(99_999)] == 100_000)
  }

  private final class Holder {
    let ids: RowIDs
    init(_ ids: consuming RowIDs) { self.ids = ids }
  }

  private static func check(_ ids: borrowing RowIDs, _ model: [Int64]) {
    #expect(ids.count == model.count)
    let found = model.indices.map { ids[$0] }
    let problems = ids.checkInvariants("ids")
    #expect(found == model && problems == [])
  }
}
