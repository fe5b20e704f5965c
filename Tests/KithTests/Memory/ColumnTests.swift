import Testing

@testable import Kith

/// Columns against arrays, with pins that must not change.
@Suite struct ColumnTests {
  private final class Pinned<Element: BitwiseCopyable & Equatable> {
    let column: Column<Element>
    let twin: [Element]

    init(_ column: consuming Column<Element>, _ twin: [Element]) {
      self.column = column
      self.twin = twin
    }

    var isIntact: Bool { column.count == twin.count && twin.indices.allSatisfy { column[$0] == twin[$0] } }
  }

  @Test("A column and its pins read like arrays after any writes", arguments: 1...4 as ClosedRange<UInt64>)
  func churn(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var column = Column<Int64>()
    var twin: [Int64] = []
    var pins: [Pinned<Int64>] = []
    for step in 0..<400 {
      switch random.below(5) {
      case 0, 1:
        for _ in 0..<random.below(60) {
          twin.append(Int64(random.below(1 << 40)))
          column.append(twin[twin.count - 1])
        }
      case 2, 3:
        for _ in 0..<random.below(30) where !twin.isEmpty {
          let index = random.below(twin.count)
          twin[index] = -Int64(random.below(1_000))
          column[index] = twin[index]
        }
      default:
        if pins.count == 5 { pins.remove(at: random.below(5)) }
        pins.append(Pinned(column.pin(), twin))
      }
      if step % 40 == 0 {
        #expect(Pinned(column.pin(), twin).isIntact && pins.allSatisfy { $0.isIntact }, "seed \(seed), step \(step)")
        #expect(column.checkInvariants("column") == [])
      }
    }
    #expect(pins.allSatisfy { $0.isIntact }, "seed \(seed)")
  }

  @Test("A pin can be written to, and neither side sees the other's writes")
  func twoWriters() {
    var first = Column<UInt32>()
    first.grow(to: 10_000, filledWith: 7)
    var second = first.pin()
    var third = second.pin()
    for index in stride(from: 0, to: 10_000, by: 97) {
      first[index] = 1
      second[index] = 2
    }
    for value in 0..<6_000 as Range<UInt32> {
      first.append(value)
      second.append(value + 1)
    }
    third.append(3)
    #expect(first[UInt32(97)] == 1 && second[UInt32(97)] == 2 && third[UInt32(97)] == 7)
    #expect(first.count == 16_000 && second.count == 16_000 && third.count == 10_001)
    #expect((10_000..<16_000).allSatisfy { first[$0] + 1 == second[$0] })
    #expect(third[10_000] == 3 && (0..<10_000).allSatisfy { third[$0] == 7 })
  }

  @Test("Directories grow to many chunks, and a pin keeps its directory")
  func manyPages() {
    // 128 bytes an element: 128 to a page, 16,384 to a chunk, 131,072 to the first root.
    var column = Column<SIMD16<Int64>>()
    func element(_ index: Int) -> SIMD16<Int64> { SIMD16(repeating: Int64(index)) }
    for index in 0..<70_000 { column.append(element(index)) }
    var pinned = column.pin()
    for index in 70_000..<140_000 { column.append(element(index)) }
    for index in stride(from: 0, to: 140_000, by: 5_003) { column[index] = element(-index) }
    pinned[1] = element(-5)
    for index in stride(from: 0, to: 140_000, by: 397) {
      #expect(column[index][3] == Int64(index % 5_003 == 0 ? -index : index))
      if index < 70_000 { #expect(pinned[index][3] == Int64(index)) }
    }
    #expect(pinned.count == 70_000 && pinned[1][0] == -5 && column[1][0] == 1)
    #expect(column.checkInvariants("column") == [] && pinned.checkInvariants("pin") == [])
    #expect(column.byteCount > 140_000 * 128)
  }
}
