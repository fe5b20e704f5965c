/// Maps every scalar to its result in one form, and records whether the result depends on its neighbours.
///
/// Built at first use by passing each relevant scalar through `NormalizationBuffer`; all others map to themselves. The
/// concatenated results are the result of the text if
/// - marks come in ascending combining class, where U+0345 counts as the mark that it is before it folds to a letter
///   (no other scalar changes its class by folding, which the generator of the tables checks), and
/// - no scalar decomposes to something that composes with what precedes it. In loose keys only voicing marks do, and
///   one that directly follows its kana is composed here.
final class ScalarMap: Sendable {
  enum Form {
    case loose, strict, nfc
  }

  static let loose = ScalarMap(.loose)
  static let strict = ScalarMap(.strict)
  static let nfc = ScalarMap(.nfc)

  private let entries: ScalarTrie
  /// The UTF-8 that entries refer to.
  private let pool: [UInt8]
  private let splitsHangul: Bool
  private let composesKana: Bool
  private let lowercases: Bool

  /// The limit of a scalar's result in bytes. The longest is 33 bytes, for U+FDFA.
  private static let maximumByteCount = 63

  /// The result of a scalar; zero for a scalar that maps to itself and is no mark.
  private struct Entry: RawRepresentable {
    let rawValue: UInt32

    @inline(__always)
    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(offset: Int, byteCount: Int, isMark: Bool, needsNeighbours: Bool, lastClass: UInt32) {
      precondition(offset < 1 << 16 && byteCount <= ScalarMap.maximumByteCount, "an entry has 16 + 6 bits for a range")
      rawValue =
        UInt32(offset) | UInt32(byteCount) << 16 | (isMark ? 1 << 22 : 0) | (needsNeighbours ? 1 << 23 : 0)
        | lastClass << 24
    }

    var offset: Int { Int(rawValue & 0xFFFF) }
    var byteCount: Int { Int(rawValue >> 16 & 63) }
    /// A single mark, which must not follow one of a higher class; or nothing at all if its class is zero.
    var isMark: Bool { rawValue & 1 << 22 != 0 }
    var needsNeighbours: Bool { rawValue & 1 << 23 != 0 }
    /// The lowest combining class that a following mark may have.
    var lastClass: UInt32 { rawValue >> 24 }
  }

  /// `utf8` in this map's form; nil if its scalars cannot be mapped one by one.
  func mapped(_ utf8: Span<UInt8>) -> [UInt8]? {
    var keys = KeyBuffer(capacity: utf8.count + Self.maximumByteCount)
    return append(utf8, to: &keys) ? keys.copy(0..<keys.count - 1) : nil
  }

  /// Whether a scalar maps to nothing, whatever precedes it.
  func drops(_ scalar: UInt32) -> Bool {
    let entry = Entry(rawValue: entries[scalar])
    return entry.rawValue != 0 && entry.byteCount == 0 && Kana.voicingMark(scalar) == nil
  }

  /// Appends `utf8` in this map's form, and a NUL; nothing, and false, if its scalars cannot be mapped one by one.
  func append(_ utf8: Span<UInt8>, to keys: inout KeyBuffer) -> Bool {
    let (start, pool) = (keys.count, pool)
    var position = 0
    var lastClass: UInt32 = 0
    while true {
      let next = keys.appendASCII(of: utf8, from: position, lowercases: lowercases)
      if next == utf8.count { break }
      if next > position { lastClass = 0 }
      let (scalar, byteCount) = utf8.decodedScalar(at: next)
      let entry = Entry(rawValue: entries[scalar])
      var isMapped = !entry.needsNeighbours || composesKana && keys.compose(voicing: scalar)
      if entry.rawValue == 0 {
        if splitsHangul, Hangul.syllables.contains(scalar) {
          Hangul.forEachJamo(of: scalar) { keys.append(threeByteScalar: $0) }
        } else {
          keys.appendPart(utf8.extracting(next..<next + byteCount))
        }
        lastClass = 0
      } else {
        if !entry.isMark {
          lastClass = entry.lastClass
        } else if entry.lastClass != 0 {
          if entry.lastClass < lastClass { isMapped = false }
          lastClass = entry.lastClass
        }
        keys.appendPart(pool.span.extracting(entry.offset..<entry.offset + entry.byteCount))
      }
      if !isMapped {
        keys.removeLast(downTo: start)
        return false
      }
      position = next + byteCount
    }
    keys.endKey()
    return true
  }

  private init(_ form: Form) {
    splitsHangul = form == .loose
    composesKana = form == .loose
    lowercases = form != .nfc
    var maker = Maker(form: form)
    UnicodeData.shared.properties.forEachScalarNearby { scalar in
      if scalar >= 0x80 { maker.add(scalar) }
    }
    entries = maker.entries
    pool = maker.pool
  }

  private struct Maker {
    let form: Form
    var entries = ScalarTrie()
    var pool: [UInt8] = [0]  // no result starts at 0, so no entry with a result is zero
    private let data = UnicodeData.shared
    private var buffer = NormalizationBuffer()

    init(form: Form) {
      self.form = form
    }

    mutating func add(_ scalar: UInt32) {
      guard isOfInterest(scalar) else { return }
      let decomposition: NormalizationBuffer.Form = form == .loose ? .compatibility : .canonical
      buffer.removeAll()
      buffer.append(decomposing: scalar, decomposition)
      let isSingle = buffer.elements.count == 1
      let startsWithMark = buffer.elements[0] >> 24 != 0
      let lastClass = lastLastingClass()
      var composesBackward = form == .loose ? startsWithVoicingMark() : startsWithSecondOfPair()
      if form != .nfc { buffer.fold(decomposition) }
      if form == .loose {
        buffer.loosen()
      } else {
        composesBackward = composesBackward || startsWithSecondOfPair()
        buffer.compose()
      }

      let isItself = buffer.elements.count == 1 && buffer.elements[0] == scalar
      if isItself, lastClass == 0, !composesBackward { return }
      let isMark = startsWithMark && (isSingle || lastClass == 0)
      let offset = pool.count
      buffer.appendUTF8(to: &pool)
      entries[scalar] =
        Entry(
          offset: offset, byteCount: pool.count - offset, isMark: isMark,
          needsNeighbours: composesBackward || startsWithMark && !isMark, lastClass: lastClass
        ).rawValue
    }

    /// The lowest class that a mark after the scalar in the buffer may have.
    private func lastLastingClass() -> UInt32 {
      var lastClass: UInt32 = 0
      for part in buffer.elements {
        let combiningClass = part >> 24
        if combiningClass == 0 {
          lastClass = 0
        } else if !vanishes(part) {
          lastClass = combiningClass
        }
      }
      return lastClass
    }

    private func isOfInterest(_ scalar: UInt32) -> Bool {
      let properties = data[scalar]
      if form == .loose { return properties.rawValue != 0 || NormalizationBuffer.typedLetters(scalar) != nil }
      let compatibly: UnicodeData.Properties = [.decomposesCompatibly, .isDropped]
      return !properties.subtracting(compatibly).isEmpty
    }

    private func startsWithSecondOfPair() -> Bool {
      guard let first = buffer.elements.first else { return false }
      return data[first & 0xFF_FFFF].contains(.composesBackward)
    }

    private func startsWithVoicingMark() -> Bool {
      guard let first = buffer.elements.first else { return false }
      return Kana.voicingMarks.contains(first & 0xFF_FFFF)
    }

    /// Whether a mark maps to nothing, so that its position among marks does not matter.
    private func vanishes(_ part: UInt32) -> Bool {
      let scalar = part & 0xFF_FFFF
      return form == .loose && data[scalar].contains(.isDropped) && !data[scalar].contains(.folds)
    }
  }
}

extension KeyBuffer {
  /// Composes the kana at the end with a voicing mark, also in halfwidth; false, and nothing, if they do not compose.
  @inline(never)
  fileprivate mutating func compose(voicing scalar: UInt32) -> Bool {
    // Kana that compose begin with this byte in UTF-8; so the last three bytes are one.
    guard let mark = Kana.voicingMark(scalar), count >= 3, bytes[count - 3] == 0xE3 else { return false }
    let kana = bytes.decodedScalar(at: count - 3).scalar
    guard let composite = UnicodeData.shared.composite(kana, mark) else { return false }
    removeLast(downTo: count - 3)
    append(threeByteScalar: composite)
    return true
  }

  @inline(__always)
  fileprivate mutating func append(threeByteScalar scalar: UInt32) {
    appendPart(0xE0 | UInt8(truncatingIfNeeded: scalar >> 12))
    appendPart(0x80 | UInt8(truncatingIfNeeded: scalar >> 6 & 0x3F))
    appendPart(0x80 | UInt8(truncatingIfNeeded: scalar & 0x3F))
  }
}
