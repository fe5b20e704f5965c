/// An answer to a search, and where its key lies.
struct Hit {
  let row: UInt32
  /// Which tier; the number of tiers means the head.
  let source: Int
  /// Block of the head; else 0.
  let block: Int
  let start: Int
  let keyByteCount: Int
  /// The key's leading word: it decides most comparisons.
  let word: UInt64

  init(row: UInt32, source: Int, block: Int, start: Int, key: Span<UInt8>) {
    self.row = row
    self.source = source
    self.block = block
    self.start = start
    keyByteCount = key.count
    word = ByteSearch.leadingWord(key)
  }
}

/// The first answers of several sources, each of which gives its own in order, one source after the other.
///
/// The answers of earlier sources are the rivals of the present one's. A source stops as soon as `limit` answers come
/// before what it would give next.
struct HitMerge {
  private let limit: Int
  private var rivals: [Hit] = []
  private var rivalIndex = 0
  /// Rivals and the present source's hits as far as they are merged; empty until the source gives a hit that counts.
  private var merged: [Hit] = []

  init(limit: Int) {
    self.limit = limit
    merged.reserveCapacity(min(limit, 32))
  }

  /// The rival that a source's first hit must come before; nil while the answers are not complete.
  var lastRival: Hit? { rivals.count == limit && merged.isEmpty ? rivals[limit - 1] : nil }

  var nextRival: Hit? { rivalIndex < rivals.count ? rivals[rivalIndex] : nil }

  /// Puts the next rival before what the source gives. False when the answers are complete.
  mutating func takeRival() -> Bool {
    merged.append(rivals[rivalIndex])
    rivalIndex += 1
    return merged.count < limit
  }

  /// Takes the source's next hit, which comes before the next rival. False when the answers are complete.
  mutating func take(_ hit: Hit) -> Bool {
    merged.append(hit)
    return merged.count < limit
  }

  /// What is merged by now are the rivals of the next source.
  mutating func endSource() {
    if merged.isEmpty { return }
    while merged.count < limit && rivalIndex < rivals.count { _ = takeRival() }
    swap(&rivals, &merged)
    merged.removeAll(keepingCapacity: true)
    rivalIndex = 0
  }

  var rows: [UInt32] { rivals.map(\.row) }
}
