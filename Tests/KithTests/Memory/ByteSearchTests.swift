import Testing

@testable import Kith

/// Vectors of sixteen bytes and words of eight against one byte at a time.
@Suite struct ByteSearchTests {
  /// Runs of two letters and of bytes above 127, which would reveal signed comparisons.
  private static func bytes(_ count: Int, _ state: inout UInt64) -> [UInt8] {
    (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return [0x61, 0x62, 0xE9][Int(state >> 33) % 3]
    }
  }

  @Test("The first occurrence of a needle equals a plain scan, in every range")
  func finding() {
    var state: UInt64 = 7
    for length in 0...70 {
      let bytes = Self.bytes(length, &state)
      for needleLength in 0...min(20, length + 1) {
        let start = length / 5
        let isPresent = needleLength > 0 && length >= needleLength && length % 2 == 0
        let needle = isPresent ? Array(bytes.suffix(needleLength)) : Self.bytes(needleLength, &state)
        for end in start...length {
          let places = start...max(start, end - needleLength)
          let expected =
            end - start < needleLength ? nil : places.first { bytes[$0..<end].starts(with: needle) }
          let found = ByteSearch.find(needle.span, in: bytes.span, from: start, to: end)
          #expect(found == expected, "\(needle) in \(bytes) \(start)..<\(end)")
        }
      }
    }
  }

  @Test("The first of two bytes, and whether a third precedes it, equal a plain scan from every start")
  func findingEnds() {
    var random = SeededRandom(seed: 6)
    for length in 0...70 {
      for share in [2, 20, 200] {
        let bytes = (0..<length).map { _ in random.below(share) == 0 ? Array("\t\n\\".utf8)[random.below(3)] : 0xC3 }
        for start in 0...length {
          let place = bytes[start...].firstIndex { $0 == 0x09 || $0 == 0x0A } ?? length
          let found = ByteSearch.first(of: (0x09, 0x0A), noting: 0x5C, in: bytes.span, from: start)
          #expect(found.place == place && found.isNoted == bytes[start..<place].contains(0x5C), "\(bytes) \(start)")
        }
      }
    }
  }

  @Test("A needle in lower case is found in any case, at every length; after it, only ASCII leaves no doubt")
  func findingInAnyCase() {
    var random = SeededRandom(seed: 5)
    // Neighbours of the letters in ASCII, which a case bit would confuse with each other.
    let letters = Array("abABzZ@`[{ 0".utf8)
    for _ in 0..<20_000 {
      var text = (0..<random.below(140)).map { _ in letters[random.below(letters.count)] }
      let length = 1 + random.below(random.below(3) == 0 ? 40 : 4)
      var needle = (0..<length).map { _ in letters[random.below(letters.count)] }
      if text.count >= length && random.below(2) == 0 {
        let start = random.below(text.count - length + 1)
        needle = Array(text[start..<start + length])
      }
      func lowercased(_ bytes: [UInt8]) -> [UInt8] { Array(String(decoding: bytes, as: UTF8.self).lowercased().utf8) }
      needle = lowercased(needle)
      let key = lowercased(text)
      let isThere = key.indices.contains { key[$0...].starts(with: needle) }
      #expect(ByteSearch.containsLowercase(needle.span, in: text.span) == isThere, "\(needle) in \(text)")
      if text.isEmpty { continue }
      text[random.below(text.count)] = UInt8(128 + random.below(128))
      let isCertain = lowercased(text.map { $0 < 128 ? $0 : 0 }).indices.contains { start in
        let rest = text[start...]
        let next = rest.dropFirst(needle.count).first ?? 0
        return next < 128 && zip(rest, needle).allSatisfy { lowercased([$0 < 128 ? $0 : 0]) == [$1] }
          && rest.count >= needle.count
      }
      #expect(
        ByteSearch.containsLowercase(needle.span, in: text.span) == (isCertain ? true : nil), "\(needle) in \(text)")
    }
  }

  @Test("A needle is found at every offset of a long text")
  func findingSeldom() {
    for place in 0..<200 {
      var bytes = [UInt8](repeating: 0x2E, count: 230)
      bytes.replaceSubrange(place..<place + 3, with: [0x61, 0x62, 0x63])
      bytes[(place + 97) % 230] = 0x61
      for length in 1...3 {
        let needle = Array([0x61, 0x62, 0x63].suffix(length)) as [UInt8]
        let expected = bytes.indices.first { bytes[$0...].starts(with: needle) }
        #expect(ByteSearch.find(needle.span, in: bytes.span, from: 0, to: 230) == expected)
        #expect(ByteSearch.find(needle.span, in: bytes.span, from: place + 3, to: 230 - 97) == nil || length == 1)
      }
    }
  }

  @Test("Bit masks of text ends and NULs are right at every length")
  func masks() {
    var state: UInt64 = 5
    for length in [0, 1, 2, 63, 64, 65, 66, 80, 127, 128, 200] {
      let bytes = Self.bytes(length, &state).map { $0 == 0xE9 && length % 2 == 0 ? 0 : $0 }
      for text in [[0x61], [0x61, 0x62], [0x62, 0x61, 0x61], [0xE9, 0x61, 0x62, 0x62, 0xE9]] as [[UInt8]] {
        for place in 0...length {
          for end in [length, min(length, place + 40), min(length, place + 64)] where end >= place {
            let hits = ByteSearch.hits(of: text.span, in: bytes.span, from: place, to: end)
            let terminators = ByteSearch.terminators(in: bytes.span, from: place, to: end)
            for bit in 0..<64 {
              let index = place + bit
              let isThere = index < end
              let last = index + text.count - 1
              let isHit = isThere && last < length && bytes[index] == text[0] && bytes[last] == text[text.count - 1]
              let isEnd = isThere && bytes[index] == 0
              if hits >> UInt64(bit) & 1 != (isHit ? 1 : 0) || terminators >> UInt64(bit) & 1 != (isEnd ? 1 : 0) {
                Issue.record("byte \(index) of \(length), from \(place) to \(end), text \(text)")
              }
            }
          }
        }
      }
    }
  }

  @Test("A run between NULs is found, and the NULs before it are counted")
  func runs() {
    var state: UInt64 = 3
    for round in 0..<400 {
      let texts = (0..<1 + round % 16).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Self.bytes(Int(state >> 33) % (round % 3 == 0 ? 4 : 40), &state)
      }
      let bytes = texts.flatMap { $0 + [0] } + [UInt8](repeating: 0, count: 16)
      var start = 0
      for (index, text) in texts.enumerated() {
        for place in start...start + text.count {
          let (found, passed) = ByteSearch.run(around: place, in: bytes.span, from: 0)
          #expect(found == start && passed == index, "place \(place) of \(texts)")
          let (again, none) = ByteSearch.run(around: place, in: bytes.span, from: start)
          #expect(again == start && none == 0)
        }
        start += text.count + 1
      }
    }
  }

  @Test("Bytes are a text if, and only if, the standard library says that they are valid UTF-8")
  func validText() {
    // Parts of scalars of every length, overlong forms, surrogates, numbers above the last scalar.
    let parts: [[UInt8]] = [
      [0x41], [0], [0xC3, 0xA9], [0xE2, 0x82, 0xAC], [0xF0, 0x9F, 0x98, 0x80], [0xEF, 0xBF, 0xBD], [0xC3],
      [0xE2, 0x82], [0xF0, 0x9F, 0x98], [0x80], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xFF],
    ]
    var random = SeededRandom(seed: 11)
    var validCount = 0
    for _ in 0..<20_000 {
      let known = random.below(2) == 0 ? 6 : parts.count
      let bytes = (0..<random.below(9)).flatMap { _ in parts[random.below(known)] }
      let text = String(validating: bytes, as: UTF8.self)
      if text != nil { validCount += 1 }
      #expect(String.fromUTF8(bytes.span).map { Array($0.utf8) } == text.map { Array($0.utf8) }, "\(bytes)")
    }
    #expect((5_000..<18_000).contains(validCount))
  }

  @Test("Order, common prefix and leading word equal a byte-by-byte comparison")
  func comparing() {
    var state: UInt64 = 9
    for round in 0..<3_000 {
      let shared = Self.bytes(round % 23, &state)
      let left = shared + Self.bytes(round % 5, &state)
      let right = shared + Self.bytes(round % 7, &state)
      let difference = ByteSearch.compare(left.span, right.span)
      #expect((difference < 0) == left.lexicographicallyPrecedes(right))
      #expect((difference > 0) == right.lexicographicallyPrecedes(left))
      let common = zip(left, right).prefix { $0 == $1 }.count
      #expect(ByteSearch.commonPrefix(left.span, right.span) == common)
      #expect(ByteSearch.hasPrefix(left.span, right.span) == left.starts(with: right))
      for length in 0...right.count {
        let prefix = ByteSearch.Prefix(right.span.extracting(first: length))
        #expect(prefix.begins(left.span) == left.starts(with: right[..<length]))
      }
      let word = left.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } << UInt64(8 * (8 - min(8, left.count)))
      #expect(ByteSearch.leadingWord(left.span) == (left.isEmpty ? 0 : word))
    }
  }
}
