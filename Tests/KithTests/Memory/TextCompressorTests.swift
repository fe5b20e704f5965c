import CSupport
import Testing

@testable import Kith

/// Compressed texts: they are read as they were written, and damaged codes are refused.
@Suite struct TextCompressorTests {
  /// Texts in the manner of a language: a few thousand words, the first ones most often.
  private struct Language {
    let words: [[UInt8]]

    init(_ random: inout SeededRandom, alphabet: ClosedRange<UInt8> = 0x61...0x7A) {
      words = (0..<2_000).map { _ in
        (0..<2 + random.below(7)).map { _ in alphabet.lowerBound + UInt8(random.below(alphabet.count)) }
      }
    }

    func text(_ random: inout SeededRandom) -> [UInt8] {
      var text: [UInt8] = []
      for _ in 0..<1 + random.below(20) { text += words[random.below(1 + random.below(words.count))] + [0x20] }
      return text
    }
  }

  private static func bytes(_ random: inout SeededRandom, count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(random.below(256)) }
  }

  private static func holds(_ column: borrowing TextColumn, _ texts: [[UInt8]]) -> Bool {
    texts.indices.allSatisfy { column.bytes(of: $0..<$0 + 1) == texts[$0] } && column.checkInvariants("texts") == []
  }

  @Test(
    "Texts of a language take less than 0.55 of their bytes, added one by one or compressed at once",
    arguments: [true, false])
  func ratio(first: Bool) {
    var random = SeededRandom(seed: 1)
    let language = Language(&random)
    var column = TextColumn()
    if first { column.compress() }
    let texts = (0..<60_000).map { _ in language.text(&random) }
    for text in texts { column.append(text.span) }
    if !first { column.compress() }
    let byteCount = texts.reduce(0) { $0 + $1.count }
    // The texts from which it learned stay plain if they came one by one.
    let plainByteCount = first ? TextCompressor.windowByteCount : 0
    #expect(column.liveByteCount - plainByteCount < (byteCount - plainByteCount) * 55 / 100)
    let isWhole = Self.holds(column, texts)
    #expect(isWhole)
    let page = TextColumn.pageByteCount + SharedPage.overheadByteCount + 64
    let fixed = 4 * page + texts.count * 9 + 1_000_000
    #expect(column.memoryByteCount < column.liveByteCount + fixed, "the pages of plain texts are freed")
  }

  @Test("Any bytes are read as they were written", arguments: 1...5 as ClosedRange<UInt64>)
  func anyBytes(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let language = Language(&random)
    var column = TextColumn()
    column.compress(windowByteCount: 30_000)
    var texts: [[UInt8]] = [[], [0], [UInt8](repeating: 0, count: 65_535), Array(0...255)]
    for _ in 0..<2_000 {
      switch random.below(8) {
      case 0: texts.append(Self.bytes(&random, count: random.below(300)))
      case 1: texts.append([UInt8](repeating: UInt8(random.below(256)), count: random.below(2_000)))
      case 2: texts.append(Array(language.text(&random).prefix(random.below(9))))
      default: texts.append(language.text(&random))
      }
    }
    texts.append(Self.bytes(&random, count: 65_535))
    texts.append(Array((0..<9_000).flatMap { _ in language.words[random.below(100)] }.prefix(65_535)))
    for text in texts { column.append(text.span) }
    let isWhole = Self.holds(column, texts)
    #expect(isWhole, "seed \(seed)")
    // Tokens made of anything do not make a text longer.
    #expect(column.liveByteCount <= texts.reduce(0) { $0 + $1.count })
  }

  @Test("New tokens are learned when texts change, and not again and again when nothing can be learned")
  func drift() {
    var random = SeededRandom(seed: 2)
    let compressor = TextCompressor(windowByteCount: 200_000)
    func storedShare(_ text: () -> [UInt8], windows: Int) -> Double {
      var (before, after) = (0, 0)
      while before < windows * 200_000 {
        let text = text()
        before += text.count
        after += unsafe text.withUnsafeBytes { unsafe compressor.encode($0).stored.count }
      }
      return Double(after) / Double(before)
    }
    let (first, second) = (Language(&random), Language(&random, alphabet: 0xC0...0xDF))
    _ = storedShare({ first.text(&random) }, windows: 2)
    #expect(storedShare({ first.text(&random) }, windows: 10) < 0.55 && compressor.tableCount == 1)
    _ = storedShare({ second.text(&random) }, windows: 4)
    #expect(storedShare({ second.text(&random) }, windows: 10) < 0.55 && compressor.tableCount == 2)
    let noise = storedShare({ Self.bytes(&random, count: 80) }, windows: 20)
    #expect(noise == 1 && compressor.tableCount == 3)
  }

  @Test("After the last number of a table no further one is learned, and texts are read as they were written")
  func lastTable() {
    let compressor = TextCompressor(windowByteCount: 4_000)
    let texts = ["what everyone writes, every day; ", "WHAT IS WRITTEN ON OTHER DAYS, 0123456789. "].map { sentence in
      Array(String(repeating: sentence, count: 4_000 / sentence.utf8.count + 1).utf8)
    }
    var numbers: Set<Int> = []
    for round in 0..<TextCompressor.maximumTableCount + 5 {
      // The first takes so much more than the one before that a table is learned from it; the second takes little.
      for text in [texts[round % 2], texts[round % 2]] {
        unsafe text.withUnsafeBytes { text in
          let (number, stored) = unsafe compressor.encode(text)
          if number == 0 { return }
          numbers.insert(number)
          var output = [UInt8](repeating: 0, count: text.count)
          unsafe output.withUnsafeMutableBytes { output in
            guard let target = output.baseAddress, let codes = stored.baseAddress else { return }
            unsafe TextCompressor.decode(
              compressor.tables, number, codes, room: stored.count, to: target, byteCount: text.count)
          }
          #expect(unsafe output.elementsEqual(text))
        }
      }
    }
    #expect(compressor.tableCount == TextCompressor.maximumTableCount)
    #expect(numbers == Set(1...TextCompressor.maximumTableCount))
  }

  @Test(
    "Broken codes are refused, and nothing outside the text is read or written",
    arguments: 1...4 as ClosedRange<UInt64>)
  func brokenCodes(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let language = Language(&random)
    let trainer = UnsafeMutablePointer<kith_token_trainer>.allocate(capacity: 1)
    defer { unsafe trainer.deallocate() }
    unsafe UnsafeMutableRawPointer(trainer).initializeMemory(
      as: UInt8.self, repeating: 0, count: MemoryLayout<kith_token_trainer>.size)
    unsafe kith_tokens_begin(&trainer.pointee.tokens)
    func learn(_ text: [UInt8]) -> Bool { unsafe kith_tokens_learn(trainer, text, text.count) }
    while learn(language.text(&random)) {}
    for _ in 0..<3_000 {
      let text = language.text(&random)
      var room = [UInt8](repeating: 0, count: 2 * text.count)
      let count = unsafe kith_tokens_encode(&trainer.pointee.tokens, text, text.count, &room, room.count)
      // Exactly as many bytes as are allowed, so that the address sanitizer sees any other that is read or written.
      var (codes, length) = (Array(room[..<count]), text.count)
      let damage = random.below(4)
      switch damage {
      case 0: codes[random.below(count)] ^= UInt8(1 << random.below(8))
      case 1: codes.removeLast(1 + random.below(count))
      case 2: (codes, length) = (Self.bytes(&random, count: random.below(40)), random.below(200))
      default: break
      }
      var output = [UInt8](repeating: 0, count: length)
      let taken = unsafe kith_tokens_decode(&trainer.pointee.tokens, codes, codes.count, &output, length)
      let size = unsafe kith_tokens_size(&trainer.pointee.tokens, codes, codes.count, length)
      #expect(taken <= codes.count && taken == size, "seed \(seed)")
      if damage == 1 { #expect(taken == 0, "seed \(seed): a text with too few codes") }
      if damage == 3 { #expect(taken == count && output == text, "seed \(seed)") }
    }
  }
}
