import CSupport

@testable import Kith

/// Texts, a line each, of which tokens are learned: compressed or not, they are read as they were written. The first
/// line is taken for codes: they are refused, or stand for a text that is encoded and decoded as the same.
struct TextsTarget: FuzzTarget {
  let name = "texts"
  let maximumByteCount = 8 << 10
  let allocationLimitMegabytes = 4

  private static let newline = UInt8(ascii: "\n")
  /// A pair of tokens is learned when it was seen several times.
  private static let roundCount = 12

  func seeds() throws -> [[UInt8]] {
    let long = String(repeating: "ab", count: 400)
    let texts = ["the people of the town", "the town of the people", "", "日本語日本語", long]
    return [0, 1, 40].map { count in
      [UInt8](repeating: 0x61, count: count) + Array(("\n" + texts.joined(separator: "\n")).utf8)
    }
  }

  func run(_ input: [UInt8]) {
    var lines = input.split(separator: Self.newline, omittingEmptySubsequences: false).map { Array($0) }
    if lines.isEmpty { return }
    let codes = lines.removeFirst()
    checkColumn(lines)
    checkCodes(codes, lines)
  }

  private func checkColumn(_ texts: [[UInt8]]) {
    var column = TextColumn()
    column.compress(windowByteCount: 1 << 10)
    var expected: [[UInt8]] = []
    for _ in 0..<Self.roundCount {
      for text in texts { column.append(text.span) }
      expected += texts
    }
    for row in stride(from: 0, to: expected.count, by: 3) {
      let text = expected[row / 2]
      column.set(row, text.span)
      expected[row] = text
    }
    for row in stride(from: 0, to: expected.count, by: 5) {
      column.clear(row)
      expected[row] = []
    }
    for row in expected.indices {
      require(column.bytes(of: row..<row + 1) == expected[row], "row \(row) of \(expected.count) differs")
    }
    let problems = column.checkInvariants("texts")
    require(problems == [], "\(problems)")
  }

  private func checkCodes(_ codes: [UInt8], _ texts: [[UInt8]]) {
    let trainer = UnsafeMutablePointer<kith_token_trainer>.allocate(capacity: 1)
    defer { unsafe trainer.deallocate() }
    unsafe UnsafeMutableRawPointer(trainer).initializeMemory(
      as: UInt8.self, repeating: 0, count: MemoryLayout<kith_token_trainer>.size)
    unsafe kith_tokens_begin(&trainer.pointee.tokens)
    for _ in 0..<Self.roundCount {
      for text in texts { _ = unsafe kith_tokens_learn(trainer, text, text.count) }
    }
    // Each code stands for at least a byte. Every length, also of no text at all.
    for length in 0...min(codes.count * 6, 600) {
      var text = [UInt8](repeating: 0, count: length)
      let taken = unsafe kith_tokens_decode(&trainer.pointee.tokens, codes, codes.count, &text, length)
      let size = unsafe kith_tokens_size(&trainer.pointee.tokens, codes, codes.count, length)
      require(taken == size && taken <= codes.count, "\(taken) bytes of codes were taken, \(size) measured")
      if taken == 0 { continue }
      var again = [UInt8](repeating: 0, count: 2 * length + 3)
      let count = unsafe kith_tokens_encode(&trainer.pointee.tokens, text, length, &again, again.count)
      var second = [UInt8](repeating: 0, count: length)
      require(
        unsafe kith_tokens_decode(&trainer.pointee.tokens, again, count, &second, length) == count && second == text,
        "a text of \(length) bytes is decoded as another one")
    }
  }
}
