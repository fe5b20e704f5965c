extension NameSegment {
  /// Calls `body` with place and loose key of every entry, in order, that a pattern may hold of, as far as its key
  /// tells, and whose key is not before `start`, until it answers false.
  /// - Complexity: O(blocks that hold the grams of a clue, and of the rarest gram of each clue); without clues, O(names
  ///   that begin as the pattern wants).
  func forEachCandidate(
    of pattern: NamePattern, from start: [UInt8]?, _ work: inout SearchWork, _ body: (Place, Span<UInt8>) -> Bool
  ) {
    func first(_ beginning: [UInt8]) -> Place {
      guard let start, ByteSearch.compare(start.span, beginning.span) > 0 else { return lowerBound(beginning.span) }
      return lowerBound(start.span)
    }
    if !pattern.clues.isEmpty { return lookForClues(of: pattern, from: first(pattern.beginning), &work, body) }
    var goesOn = true
    for beginning in pattern.beginnings where goesOn {
      walk(from: first(beginning), while: { ByteSearch.hasPrefix($0, beginning.span) }, &work) { place, key in
        goesOn = body(place, key)
        return goesOn
      }
      if work.isCancelled { return }
    }
  }

  private func lookForClues(
    of pattern: NamePattern, from first: Place, _ work: inout SearchWork, _ body: (Place, Span<UInt8>) -> Bool
  ) {
    if first.rank >= count { return }
    for number in first.rank / namesPerPart..<parts.count {
      let part = parts[number]
      let firstBlock = number * namesPerPart / Self.namesPerBlock
      let groups = pattern.groups(in: part)
      var walk = ClueWalk(groups, in: part, from: max(0, first.rank / Self.namesPerBlock - firstBlock))
      while let hits = walk.next(in: part) {
        var index = 0
        while index < hits.count {
          if index + 8 < hits.count { prefetch(firstBlock + ClueWalk.block(of: hits[index + 8])) }
          let start = index
          let block = ClueWalk.block(of: hits[start])
          while index < hits.count && ClueWalk.block(of: hits[index]) == block { index += 1 }
          if !work.goesOn() { return }
          if !visit(firstBlock + block, hits[start..<index], walk, pattern, from: first, body) { return }
        }
        if !work.goesOn() { return }
      }
    }
  }

  private func prefetch(_ block: Int) {
    let keys = keys
    keys.span.prefetch(Int(blockStarts[block]), count: Self.namesPerBlock * 12)
  }

  /// Looks for the texts of clues that a block may hold, all at once, so that its names come in order. False when
  /// `body` wants no more, or the pattern has had enough.
  private func visit(
    _ block: Int, _ clues: ArraySlice<ClueWalk.Hit>, _ walk: ClueWalk, _ pattern: NamePattern, from first: Place,
    _ body: (Place, Span<UInt8>) -> Bool
  ) -> Bool {
    let (keys, end) = (keys, Int(blockStarts[block + 1]))
    var place = Place(rank: block * Self.namesPerBlock, start: Int(blockStarts[block]))
    var hits: [Int] = []
    for clue in clues {
      let text = walk.text(of: clue)
      var start = place.start
      while let hit = ByteSearch.find(text.span, in: keys.span, from: start, to: end) {
        hits.append(hit)
        start = ByteSearch.terminator(in: keys.span, from: hit) + 1
      }
    }
    if hits.count > 1 { hits.sort() }
    // A key may be hit by several of them.
    for hit in hits where hit >= place.start {
      let (start, passed) = ByteSearch.run(around: hit, in: keys.span, from: place.start)
      let keyEnd = ByteSearch.terminator(in: keys.span, from: hit)
      let rank = place.rank + passed
      let key = keys.span.extracting(start..<keyEnd)
      if rank >= first.rank && pattern.mayHold(key) && !body(Place(rank: rank, start: start), key) { return false }
      if pattern.isExhausted { return false }
      place = Place(rank: rank + 1, start: keyEnd + 1)
    }
    return true
  }
}

/// Which blocks of one part of the names hold all grams of a clue, window by window, so that a page that is soon full
/// costs a look at the first blocks only.
private struct ClueWalk {
  private static let firstWindow = 64
  private static let windowGrowth = 4
  /// Grams of a clue beyond which another one sharpens little.
  private static let maximumStreamCount = 6

  /// A clue all of whose grams stand in the part.
  private struct Clue {
    let text: [UInt8]
    let streams: Range<Int>
    /// No word before it is to be looked at.
    var word = 0
  }

  /// Clue after clue; of each, the rarest gram first.
  private var streams: [GramStream] = []
  private var clues: [Clue] = []
  /// Of each group its clues, and those besides.
  private var groups: [(clues: Range<Int>, besides: Range<Int>?)] = []
  private var start: Int
  private let end: Int
  private var width = firstWindow
  private let firstBlock: Int
  private let blockCount: Int

  init(_ groups: [ClueGroup], in part: NameSegment.Part, from firstBlock: Int) {
    self.firstBlock = firstBlock
    blockCount = part.trigrams.blockCount
    start = firstBlock / GramStream.blocksPerWord
    end = GramPostings.wordsPerBitmap(blockCount)
    for group in groups {
      let besides = group.besides.isEmpty ? nil : add(group.besides, in: part)
      if besides?.isEmpty == true { continue }
      self.groups.append((add(group.clues, in: part), besides))
    }
  }

  /// The clues that may stand in the part.
  private mutating func add(_ clues: [NameClue], in part: NameSegment.Part) -> Range<Int> {
    let first = self.clues.count
    for clue in clues {
      let start = streams.count
      for gram in clue.grams {
        guard let stream = GramStream(gram, in: part) else { break }
        var place = streams.count
        streams.append(stream)
        while place > start && streams[place - 1].weight > stream.weight {
          streams.swapAt(place, place - 1)
          place -= 1
        }
      }
      if streams.count - start < clue.grams.count {
        streams.removeSubrange(start...)
        continue
      }
      if clue.grams.count > Self.maximumStreamCount { streams.removeSubrange((start + Self.maximumStreamCount)...) }
      self.clues.append(Clue(text: clue.text, streams: start..<streams.count))
    }
    return first..<self.clues.count
  }

  /// Block of the part, and clue.
  typealias Hit = UInt64

  static func block(of hit: Hit) -> Int { Int(hit >> 32) }

  func text(of hit: Hit) -> [UInt8] { clues[Int(hit & 0xFFFF_FFFF)].text }

  /// The clues that the blocks of the next window may hold, block by block; nil behind the last one.
  mutating func next(in part: NameSegment.Part) -> [Hit]? {
    if start >= end { return nil }
    let window = start..<min(end, start + width)
    (start, width) = (window.upperBound, width * Self.windowGrowth)
    // The last group may have fewer than four blocks.
    let blocks = firstBlock..<blockCount
    var hits: [Hit] = []
    for group in groups {
      var sieve = [UInt64](repeating: group.besides == nil ? ~0 : 0, count: window.count)
      for clue in group.besides ?? 0..<0 {
        forEachWord(of: clue, in: window, part) { sieve[$0 - window.lowerBound] |= $1 }
      }
      for clue in group.clues {
        forEachWord(of: clue, in: window, part) { word, bits in
          var bits = bits & sieve[word - window.lowerBound]
          while bits != 0 {
            let block = word * GramStream.blocksPerWord + bits.trailingZeroBitCount
            bits &= bits - 1
            if blocks.contains(block) { hits.append(UInt64(block) << 32 | UInt64(clue)) }
          }
        }
      }
    }
    hits.sort()
    return hits
  }

  /// Calls `body` with each word of the window in which a block holds all grams of a clue, and those blocks.
  @inline(__always)
  private mutating func forEachWord(
    of clue: Int, in window: Range<Int>, _ part: NameSegment.Part, _ body: (Int, UInt64) -> Void
  ) {
    let places = clues[clue].streams
    var word = max(window.lowerBound, clues[clue].word)
    while word < window.upperBound {
      var blocks = streams[places.lowerBound].bits(of: word, in: part)
      for place in places.dropFirst() {
        if blocks == 0 { break }
        blocks &= streams[place].bits(of: word, in: part)
      }
      if blocks != 0 { body(word, blocks) }
      word = streams[places.lowerBound].next(after: word, in: part) ?? .max
    }
    clues[clue].word = word
  }
}
