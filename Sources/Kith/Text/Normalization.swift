/// Computes normal forms of Unicode by their definitions, step by step. `Folding` uses tables, which are built with
/// this type, and falls back to it for the few texts that the tables cannot handle.
struct NormalizationBuffer {
  enum Form {
    case canonical, compatibility
  }

  /// `combining class << 24 | scalar`.
  private(set) var elements: [UInt32] = []
  private var folded: [UInt32] = []
  private let data = UnicodeData.shared

  mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
  }

  /// Appends the full decomposition of every scalar and orders the marks: NFD or NFKD, in which U+2033 stays.
  mutating func append(decomposing utf8: Span<UInt8>, _ form: Form) {
    elements.reserveCapacity(utf8.count)
    var position = 0
    while position < utf8.count {
      let (scalar, byteCount) = utf8.decodedScalar(at: position)
      position += byteCount
      append(decomposing: scalar, form, to: &elements)
    }
    orderMarks()
  }

  mutating func append(decomposing scalar: UInt32, _ form: Form) {
    append(decomposing: scalar, form, to: &elements)
    orderMarks()
  }

  /// Replaces every scalar by the decomposition of its full case fold.
  mutating func fold(_ form: Form) {
    folded.removeAll(keepingCapacity: true)
    for element in elements {
      let scalar = element & 0xFF_FFFF
      if scalar < 0x80 {
        folded.append(scalar &- 65 < 26 ? scalar | 0x20 : scalar)
      } else if data[scalar].contains(.folds) {
        for part in data.caseFolds.targets(of: scalar) {
          append(decomposing: part, form, to: &folded)
        }
      } else {
        folded.append(element)
      }
    }
    swap(&elements, &folded)
    orderMarks()
  }

  /// Drops what people leave out, replaces other scalars by what people type for them, and composes kana with their
  /// voicing marks. A voicing mark that composes with nothing is dropped.
  mutating func loosen() {
    folded.removeAll(keepingCapacity: true)
    var followsVoicingMark = true
    for element in elements {
      let scalar = element & 0xFF_FFFF
      if Kana.voicingMarks.contains(scalar) {
        if !followsVoicingMark, let last = folded.last, let composite = data.composite(last & 0xFF_FFFF, scalar) {
          folded[folded.count - 1] = composite
        }
        followsVoicingMark = true
      } else if let letters = Self.typedLetters(scalar) {
        folded.append(contentsOf: letters)
        followsVoicingMark = false
      } else if !data[scalar].contains(.isDropped) {
        folded.append(element)
        followsVoicingMark = false
      }
    }
    swap(&elements, &folded)
  }

  /// What people type for a scalar, where Unicode has no decomposition that says so.
  static func typedLetters(_ scalar: UInt32) -> [UInt32]? {
    switch scalar {
    case 0x2B9, 0x2BB...0x2BD, 0x2018, 0x2019, 0x201B, 0x2032: [0x27]  // apostrophes, the okina, a prime → '
    case 0x2010...0x2015, 0x2212: [0x2D]  // hyphens, dashes, minus → -
    case 0x201C, 0x201D, 0x201F, doublePrime: [0x22]  // quotation marks, a double prime → "
    case 0x131: [0x69]  // ı → i
    case 0xF8: [0x6F]  // ø → o
    case 0x142: [0x6C]  // ł → l
    case 0x111: [0x64]  // đ → d
    case 0xE6: [0x61, 0x65]  // æ → ae
    case 0x153: [0x6F, 0x65]  // œ → oe
    default: nil
    }
  }

  /// Decomposes compatibly into two primes, but is typed as one quotation mark. So it stays.
  private static let doublePrime: UInt32 = 0x2033

  /// Canonical composition (UAX #15): from NFD to NFC.
  mutating func compose() {
    var count = 0
    var starter: Int?
    var lastClass: UInt32 = 0
    for element in elements {
      let combiningClass = element >> 24
      // A mark composes with its starter unless a mark of the same or a higher class is between them.
      if let starter, lastClass < combiningClass || count == starter + 1,
        let composite = data.composite(elements[starter], element & 0xFF_FFFF)
      {
        elements[starter] = composite
        continue
      }
      if combiningClass == 0 { starter = count }
      lastClass = combiningClass
      elements[count] = element
      count += 1
    }
    elements.removeLast(elements.count - count)
  }

  func appendUTF8(to bytes: inout [UInt8]) {
    for element in elements {
      bytes.append(scalar: element & 0xFF_FFFF)
    }
  }

  private func append(decomposing scalar: UInt32, _ form: Form, to target: inout [UInt32]) {
    if Hangul.syllables.contains(scalar) {
      Hangul.forEachJamo(of: scalar) { target.append($0) }
      return
    }
    let properties = data[scalar]
    if properties.contains(.decomposesCanonically) {
      for part in data.canonicalDecompositions.targets(of: scalar) {
        append(decomposing: part, form, to: &target)
      }
    } else if form == .compatibility, properties.contains(.decomposesCompatibly), scalar != Self.doublePrime {
      for part in data.compatibilityDecompositions.targets(of: scalar) {
        append(decomposing: part, form, to: &target)
      }
    } else {
      target.append(properties.combiningClass << 24 | scalar)
    }
  }

  /// Canonical ordering: sorts each run of marks by combining class, stably.
  private mutating func orderMarks() {
    var start = 0
    while start < elements.count {
      guard elements[start] >> 24 != 0 else {
        start += 1
        continue
      }
      var end = start + 1
      while end < elements.count, elements[end] >> 24 != 0 { end += 1 }
      if end - start > 1 { orderRun(start..<end) }
      start = end
    }
  }

  private mutating func orderRun(_ run: Range<Int>) {
    guard run.count <= 32 else {
      // A malicious text: thousands of marks on one letter must not take quadratic time.
      let keys = run.map { UInt64(elements[$0] >> 24) << 56 | UInt64($0) << 24 | UInt64(elements[$0] & 0xFF_FFFF) }
      for (place, key) in zip(run, keys.sorted()) {
        elements[place] = UInt32(key >> 56) << 24 | UInt32(key & 0xFF_FFFF)
      }
      return
    }
    for next in run.dropFirst() {
      let element = elements[next]
      var place = next
      while place > run.lowerBound, elements[place - 1] >> 24 > element >> 24 {
        elements[place] = elements[place - 1]
        place -= 1
      }
      elements[place] = element
    }
  }
}

/// The arithmetic of Hangul syllables (The Unicode Standard, section 3.12).
enum Hangul {
  static let syllables: Range<UInt32> = 0xAC00..<0xD7A4
  static let leadingConsonants: Range<UInt32> = 0x1100..<0x1113
  static let vowels: Range<UInt32> = 0x1161..<0x1176
  static let trailingConsonants: Range<UInt32> = 0x11A8..<0x11C3

  private static let trailingStep: UInt32 = 28
  private static let leadingStep: UInt32 = 21 * 28

  @inline(__always)
  static func forEachJamo(of syllable: UInt32, _ body: (UInt32) -> Void) {
    let index = syllable &- syllables.lowerBound
    body(leadingConsonants.lowerBound &+ index / leadingStep)
    body(vowels.lowerBound &+ index % leadingStep / trailingStep)
    let trailing = index % trailingStep
    if trailing != 0 { body(trailingConsonants.lowerBound &- 1 &+ trailing) }
  }

  static func composed(_ first: UInt32, _ second: UInt32) -> UInt32? {
    if leadingConsonants.contains(first), vowels.contains(second) {
      return syllables.lowerBound + (first - leadingConsonants.lowerBound) * leadingStep
        + (second - vowels.lowerBound) * trailingStep
    }
    if syllables.contains(first), (first - syllables.lowerBound) % trailingStep == 0,
      trailingConsonants.contains(second)
    {
      return first + (second - trailingConsonants.lowerBound + 1)
    }
    return nil
  }
}

/// The marks that make other letters of kana: か and U+3099 are が.
enum Kana {
  static let voicingMarks: ClosedRange<UInt32> = 0x3099...0x309A

  /// The mark that a scalar is by itself, also in halfwidth; nil for all others.
  static func voicingMark(_ scalar: UInt32) -> UInt32? {
    switch scalar {
    case voicingMarks: scalar
    case 0xFF9E, 0xFF9F: scalar - 0xFF9E + voicingMarks.lowerBound
    default: nil
    }
  }

  /// How many of the three bytes of a kana, from the last on, marks that follow it may change in a loose key: か may
  /// become が, and が, where another mark comes between, か. Nil for all other scalars.
  static func unsettledByteCount(_ scalar: UInt32) -> Int? {
    let data = UnicodeData.shared
    var forms = voicingMarks.compactMap { data.composite(scalar, $0) }
    let parts = data.canonicalDecompositions.targets(of: scalar)
    if let base = parts.first, let mark = parts.last, voicingMarks.contains(mark) { forms.append(base) }
    if forms.isEmpty { return nil }
    return forms.allSatisfy { $0 >> 6 == scalar >> 6 } ? 1 : 2
  }
}

extension Span<UInt8> {
  /// The scalar whose first byte is at `position` of valid UTF-8.
  @inline(__always)
  func decodedScalar(at position: Int) -> (scalar: UInt32, byteCount: Int) {
    let first = UInt32(self[position])
    if first < 0x80 { return (first, 1) }
    let second = UInt32(self[position + 1] & 0x3F)
    if first < 0xE0 { return ((first & 0x1F) << 6 | second, 2) }
    let third = UInt32(self[position + 2] & 0x3F)
    if first < 0xF0 { return ((first & 0x0F) << 12 | second << 6 | third, 3) }
    return ((first & 0x07) << 18 | second << 12 | third << 6 | UInt32(self[position + 3] & 0x3F), 4)
  }
}

extension [UInt8] {
  mutating func append(scalar: UInt32) {
    func continuation(_ shift: UInt32) -> UInt8 { 0x80 | UInt8(scalar >> shift & 0x3F) }
    switch scalar {
    case ..<0x80:
      append(UInt8(scalar))
    case ..<0x800:
      append(0xC0 | UInt8(scalar >> 6))
      append(continuation(0))
    case ..<0x1_0000:
      append(0xE0 | UInt8(scalar >> 12))
      append(continuation(6))
      append(continuation(0))
    default:
      append(0xF0 | UInt8(scalar >> 18))
      append(continuation(12))
      append(continuation(6))
      append(continuation(0))
    }
  }
}
