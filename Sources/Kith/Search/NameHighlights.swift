/// Where a query stands in a name: what a host shows in bold.
enum NameHighlights {
  /// Half-open ranges of UTF-8 bytes in `name` that a query matches, ascending: its hits from left to right, none of
  /// them overlapping; of a prefix or an exact match the one hit. They hold whole scalars, a letter with its marks:
  /// where one scalar folds to several letters, a hit in any of them takes in all. Empty without a text.
  /// - Complexity: O(bytes).
  static func ranges(of query: NameQuery, in name: Span<UInt8>) -> [Range<Int>] {
    if query.isEmpty || query.matchesNothing { return [] }
    let text = query.fold == .loose ? query.loose : query.strict
    let key = FoldedText(name, query.fold)
    var ranges: [Range<Int>] = []
    var start = 0
    while let hit = ByteSearch.find(text.span, in: key.bytes.span, from: start, to: key.bytes.count) {
      if query.match != .substring && hit > 0 { break }
      let range = key.source(of: hit..<hit + text.count)
      if let last = ranges.last, range.lowerBound < last.upperBound {
        ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        ranges.append(range)
      }
      if query.match != .substring { break }
      start = hit + text.count
    }
    return ranges
  }
}

/// A text's key that knows which bytes of the text each of its bytes came from.
private struct FoldedText {
  /// The key.
  private(set) var bytes: [UInt8] = []
  /// By part of the text: where it begins there, and where its key ends.
  private var parts: [(start: Int, keyEnd: Int)] = []
  private let byteCount: Int

  init(_ text: Span<UInt8>, _ fold: Fold) {
    byteCount = text.count
    if Folding.isASCII(text) {
      bytes = Folding.loose(text)
      return
    }
    var start = 0
    while start < text.count {
      var end = start + text.decodedScalar(at: start).byteCount
      while end < text.count {
        let next = text.decodedScalar(at: end)
        if Folding.standsAlone(next.scalar) { break }
        end += next.byteCount
      }
      let part = text.extracting(start..<end)
      bytes += fold == .loose ? Folding.loose(part) : Folding.strict(part)
      parts.append((start, bytes.count))
      start = end
    }
  }

  /// The bytes of the text that some bytes of its key came from. Of ASCII they are the very same.
  func source(of range: Range<Int>) -> Range<Int> {
    if parts.isEmpty { return range }
    let first = part(of: range.lowerBound)
    let last = part(of: range.upperBound - 1)
    return parts[first].start..<(last + 1 < parts.count ? parts[last + 1].start : byteCount)
  }

  /// The part that a byte of the key came from.
  private func part(of keyByte: Int) -> Int {
    var (low, high) = (0, parts.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if parts[middle].keyEnd <= keyByte { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
