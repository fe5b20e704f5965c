import Testing

@testable import Kith

/// Texts by row against an array of byte arrays.
@Suite struct TextColumnTests {
  private final class Pinned {
    let column: TextColumn
    let twin: [[UInt8]]

    init(_ column: consuming TextColumn, _ twin: [[UInt8]]) {
      self.column = column
      self.twin = twin
    }

    var isIntact: Bool { Self.holds(column, twin) }

    private static func holds(_ column: borrowing TextColumn, _ twin: [[UInt8]]) -> Bool {
      if column.count != twin.count || column.checkInvariants("texts") != [] { return false }
      for row in twin.indices {
        let text = twin[row]
        if column.byteCount(row) != text.count || column.bytes(of: row..<row + 1) != text { return false }
        if !column.withBytes(row, { ByteSearch.compare($0, text.span) == 0 }) { return false }
      }
      return true
    }
  }

  /// Texts that are compressed from the first kilobytes on, and tables that soon follow each other.
  private static func column(compresses: Bool) -> TextColumn {
    var column = TextColumn()
    if compresses { column.compress(windowByteCount: 5_000) }
    return column
  }

  private static func text(_ random: inout SeededRandom, longest: Int) -> [UInt8] {
    let length = random.below(4) == 0 ? 0 : random.below(longest)
    let letter = UInt8(0x61 + random.below(26))
    return [UInt8](repeating: letter, count: length) + (random.below(3) == 0 ? Array("é".utf8) : [])
  }

  @Test("Texts are added, changed and removed; pins keep theirs", arguments: 1...4 as ClosedRange<UInt64>, [30, 9_000])
  func churn(seed: UInt64, longest: Int) {
    var random = SeededRandom(seed: seed)
    var column = Self.column(compresses: seed % 2 == 0)
    var twin: [[UInt8]] = []
    var pins: [Pinned] = []
    for step in 0..<1_200 {
      switch random.below(10) {
      case 0..<5:
        let text = Self.text(&random, longest: longest)
        twin.append(text)
        column.append(text.span)
      case 5..<7 where !twin.isEmpty:
        let row = random.below(twin.count)
        let text = Self.text(&random, longest: longest)
        twin[row] = text
        column.set(row, text.span)
      case 7..<9 where !twin.isEmpty:
        let row = random.below(twin.count)
        twin[row] = []
        column.clear(row)
      default:
        if pins.count == 3 { pins.remove(at: random.below(3)) }
        if step % 4 == 0 { pins.append(Pinned(column.pin(), twin)) }
      }
      if step % 200 == 0 {
        #expect(Pinned(column.pin(), twin).isIntact && pins.allSatisfy { $0.isIntact }, "seed \(seed), step \(step)")
      }
    }
    #expect(Pinned(column.pin(), twin).isIntact && pins.allSatisfy { $0.isIntact }, "seed \(seed)")
  }

  @Test("A text is bytes, a string, and ASCII or not, up to 65,535 bytes")
  func values() {
    var column = TextColumn()
    let texts = ["", "a", "é", "日本語", "e\u{301}", "\0", String(repeating: "x", count: 65_535)]
    for text in texts { column.append(Array(text.utf8).span) }
    for (row, text) in texts.enumerated() {
      #expect(column.string(row).utf8.elementsEqual(text.utf8))
      #expect(column.isASCII(row) == text.utf8.allSatisfy { $0 < 0x80 })
      #expect(column.byteCount(row) == text.utf8.count)
    }
  }

  @Test("Memory of removed texts is reused, but not while a pin reads them")
  func givingBack() {
    var column = TextColumn()
    let text = [UInt8](repeating: 0x61, count: 60_000)
    for _ in 0..<100 { column.append(text.span) }
    let full = column.memoryByteCount
    let pinned = Pinned(column.pin(), [[UInt8]](repeating: text, count: 100))
    for row in 0..<100 { column.clear(row) }
    for _ in 0..<20 { column.append(Array("b".utf8).span) }
    #expect(column.memoryByteCount < full / 3)
    #expect(pinned.isIntact)
    #expect(column.checkInvariants("texts") == [])
    #expect(column.string(100) == "b" && column.string(0) == "")
  }

  @Test("After any number of changes, pages take little more than twice the texts")
  func churnInPlace() {
    var random = SeededRandom(seed: 4)
    var column = TextColumn()
    var twin = (0..<4_000).map { row in [UInt8](repeating: UInt8(row % 251), count: 1_000 + random.below(2_000)) }
    for text in twin { column.append(text.span) }
    var pinned = Pinned(column.pin(), twin)
    for step in 0..<60_000 {
      // Every third row is unchanged, and keeps its page alive.
      let row = random.below(4_000)
      if row % 3 == 0 { continue }
      let text = [UInt8](repeating: UInt8(step % 251), count: 1_000 + random.below(2_000))
      twin[row] = text
      column.set(row, text.span)
      if step % 10_000 == 0 {
        #expect(pinned.isIntact)
        pinned = Pinned(column.pin(), twin)
        #expect(column.checkInvariants("texts") == [])
      }
    }
    let live = twin.reduce(0) { $0 + $1.count }
    #expect(column.memoryByteCount < live * 5 / 2 + 4 * TextColumn.pageByteCount, "for \(live) bytes of texts")
    #expect(Pinned(column.pin(), twin).isIntact && pinned.isIntact)
  }

  @Test("Compressed texts that are moved off sparse pages are read as before, and are still compressed")
  func movingCompressed() {
    var random = SeededRandom(seed: 11)
    let letters = (0..<100_000).map { _ in UInt8(0x61 + random.below(20)) }
    var column = Self.column(compresses: true)
    var twin = (0..<600).map { _ in Array(letters[random.below(60_000)...].prefix(40_000)) }
    for text in twin { column.append(text.span) }
    let pinned = Pinned(column.pin(), twin)
    let (full, references) = (column.memoryByteCount, twin.indices.map { column.reference($0) })
    #expect(references.dropFirst().allSatisfy { $0 >= TextColumn.firstCompressed })
    // Every twelfth text stays. Further writes move it.
    for round in 0..<3 {
      for row in twin.indices where row % 12 != 5 {
        let text = round == 2 ? [] : [UInt8(round)]
        twin[row] = text
        column.set(row, text.span)
      }
    }
    let moved = twin.indices.filter { $0 % 12 == 5 && column.reference($0) != references[$0] }
    #expect(moved.count > 40 && moved.allSatisfy { column.reference($0) >= TextColumn.firstCompressed })
    #expect(Pinned(column.pin(), twin).isIntact && pinned.isIntact)
    #expect(column.memoryByteCount < full / 2)
  }

  @Test("Pins of pins are written to in turn, and none sees another's texts", arguments: 1...4 as ClosedRange<UInt64>)
  func forks(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var first = Self.column(compresses: seed % 2 == 0)
    var second = first.pin()
    var (firstTwin, secondTwin): ([[UInt8]], [[UInt8]]) = ([], [])
    for step in 0..<2_000 {
      let text = Self.text(&random, longest: 3_000)
      switch random.below(20) {
      case 0:
        second = first.pin()
        secondTwin = firstTwin
      case 1:
        first = second.pin()
        firstTwin = secondTwin
      case 2..<10:
        first.append(text.span)
        firstTwin.append(text)
      default:
        second.append(text.span)
        secondTwin.append(text)
      }
      if step % 100 == 0 {
        #expect(Pinned(first.pin(), firstTwin).isIntact && Pinned(second.pin(), secondTwin).isIntact, "seed \(seed)")
      }
    }
  }

  @Test("The further words of rows outlive changes of the texts, and are the writer's own beside a pin")
  func furtherWords() {
    var column = TextColumn(wordsPerRow: 4)
    column.grow(to: 100)
    for row in 0..<2_000 {
      if row < 100 {
        column.fill(row, Array("name \(row)".utf8).span)
      } else {
        column.append(Array("name \(row)".utf8).span)
      }
      for word in 1..<4 { column[row, word] = UInt64(row * 4 + word) }
    }
    let pinned = column.pin()
    for row in 0..<2_000 {
      if row % 3 == 0 { column.set(row, Array("renamed \(row)".utf8).span) }
      if row % 3 == 1 { column.clear(row) }
      column[row, 2] += 1
    }
    #expect(column.count == 2_000 && pinned.count == 2_000)
    for row in 0..<2_000 {
      let name = ["renamed \(row)", "", "name \(row)"][row % 3]
      #expect(column.string(row) == name && pinned.string(row) == "name \(row)")
      #expect((1..<4).allSatisfy { column[row, $0] == UInt64(row * 4 + $0 + ($0 == 2 ? 1 : 0)) })
      #expect((1..<4).allSatisfy { pinned[row, $0] == UInt64(row * 4 + $0) })
    }
    #expect(column.checkInvariants("texts") == [] && pinned.checkInvariants("texts") == [])
  }

  @Test("A rolled-back column overwrites what was never committed")
  func rollingBack() {
    var column = TextColumn()
    column.append(Array("kept".utf8).span)
    for round in 0..<40 {
      let before = column.pin()
      for _ in 0..<5 { column.append([UInt8](repeating: UInt8(round), count: 50_000).span) }
      column.clear(0)
      column = before
      column.append(Array("round \(round)".utf8).span)
    }
    #expect(column.string(0) == "kept" && column.count == 41)
    #expect((0..<40).allSatisfy { column.string($0 + 1) == "round \($0)" })
    #expect(column.memoryByteCount < 3 * TextColumn.pageByteCount)
    #expect(column.checkInvariants("texts") == [])
  }
}
