/// The matches of a query in a name or text, for a host to highlight.
///
/// Half-open ranges of UTF-8 bytes, ascending, without overlaps. They cover whole scalars, and a letter together with
/// its combining marks. Where one scalar folds to several letters, a match of any of them covers the scalar.
enum Highlights {
  /// The matches of a query in a name, from left to right. A prefix or exact query has one match. Empty for an empty
  /// query or a pattern.
  /// - Complexity: O(bytes).
  static func ranges(of query: NameQuery, in name: Span<UInt8>) -> [Range<Int>] {
    if query.isEmpty || query.matchesNothing || query.match == .pattern { return [] }
    let key = query.fold == .loose ? query.loose : query.strict
    return merged(hits(of: key, in: FoldedText(name, query.fold), atStart: query.match != .substring))
  }

  /// The matches of all words in a text. Overlapping matches are merged.
  /// - Complexity: O(words · bytes).
  static func ranges(of terms: borrowing Terms, in text: Span<UInt8>) -> [Range<Int>] {
    if terms.isEmpty || terms.matchNothing { return [] }
    let folded = FoldedText(text, terms.fold)
    let all = terms.keys.flatMap { hits(of: $0, in: folded, atStart: false) }
    return merged(all.sorted { ($0.lowerBound, $0.upperBound) < ($1.lowerBound, $1.upperBound) })
  }

  /// Matches that do not overlap in the key, from left to right, as ranges of the text.
  private static func hits(of key: [UInt8], in text: FoldedText, atStart: Bool) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    while let hit = ByteSearch.find(key.span, in: text.bytes.span, from: start, to: text.bytes.count) {
      if atStart && hit > 0 { break }
      ranges.append(text.source(of: hit..<hit + key.count))
      if atStart { break }
      start = hit + key.count
    }
    return ranges
  }

  /// Merges those of the ascending ranges that overlap.
  private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var result: [Range<Int>] = []
    for range in ranges {
      if let last = result.last, range.lowerBound < last.upperBound {
        result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        result.append(range)
      }
    }
    return result
  }
}

/// A text's key with a map from the key's bytes back to the text's.
private struct FoldedText {
  /// The key.
  private(set) var bytes: [UInt8] = []
  /// By part of the text: its start in the text, and the end of its key.
  private var parts: [(start: Int, keyEnd: Int)] = []
  private let byteCount: Int

  init(_ text: Span<UInt8>, _ fold: TextFolding) {
    byteCount = text.count
    if Folding.isASCII(text) {
      bytes = Folding.loose(text)
      return
    }
    var start = 0
    while start < text.count {
      let end = Self.end(ofPartAt: start, in: text, fold)
      bytes += Folding.key(text.extracting(start..<end), fold)
      parts.append((start, bytes.count))
      start = end
    }
  }

  /// The end of the part of a text that begins at `start`: a scalar with the marks that follow it and the letters that
  /// compose with it. In loose keys a voicing mark reaches its kana across scalars that are dropped.
  private static func end(ofPartAt start: Int, in text: Span<UInt8>, _ fold: TextFolding) -> Int {
    let first = text.decodedScalar(at: start)
    var isReached = fold == .loose && !ScalarMap.loose.drops(first.scalar)
    var (end, place) = (start + first.byteCount, start + first.byteCount)
    var isBehindGap = false
    while place < text.count {
      let next = text.decodedScalar(at: place)
      let standsAlone = Folding.standsAlone(next.scalar)
      if standsAlone {
        guard isReached, ScalarMap.loose.drops(next.scalar) else { break }
        isBehindGap = true
      } else if !isBehindGap, !Folding.isMark(next.scalar),
        isSplit(text, start, place, place + next.byteCount, fold)
      {
        break
      }
      place += next.byteCount
      if isBehindGap {
        if Kana.voicingMark(next.scalar) == nil { continue }
        // The first mark composes, or none does.
        if isSplit(text, start, end, place, fold) { break }
        (isReached, isBehindGap) = (false, false)
      }
      end = place
    }
    return end
  }

  /// Whether the key of a part of a text is that of its beginning, up to `middle`, and that of the rest.
  private static func isSplit(
    _ text: Span<UInt8>, _ start: Int, _ middle: Int, _ end: Int, _ fold: TextFolding
  ) -> Bool {
    let (first, second) = (text.extracting(start..<middle), text.extracting(middle..<end))
    return Folding.key(text.extracting(start..<end), fold) == Folding.key(first, fold) + Folding.key(second, fold)
  }

  /// The bytes of the text from which some bytes of its key were folded. For ASCII they are the same range.
  func source(of range: Range<Int>) -> Range<Int> {
    if parts.isEmpty { return range }
    let first = part(of: range.lowerBound)
    let last = part(of: range.upperBound - 1)
    return parts[first].start..<(last + 1 < parts.count ? parts[last + 1].start : byteCount)
  }

  /// The part from which a byte of the key was folded.
  private func part(of keyByte: Int) -> Int {
    var (low, high) = (0, parts.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if parts[middle].keyEnd <= keyByte { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
