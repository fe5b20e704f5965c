extension NameSegment {
  /// Calls `body` with position and loose key of every entry, in order, whose key may match a pattern and is not below
  /// `start`, until it returns false.
  /// - Complexity: O(blocks that contain the grams of a prefilter, and of the rarest gram of each prefilter). Without
  ///   prefilters, O(names with the pattern's beginning).
  func forEachCandidate(
    of pattern: NamePattern, from start: [UInt8]?, _ budget: inout QueryBudget,
    _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) {
    func first(_ beginning: [UInt8]) -> Place {
      guard let start, ByteSearch.compare(start.span, beginning.span) > 0 else { return lowerBound(beginning.span) }
      return lowerBound(start.span)
    }
    if !pattern.prefilters.isEmpty {
      return searchByPrefilters(of: pattern, from: first(pattern.beginning), &budget, body)
    }
    for beginning in pattern.beginnings {
      let end = beginning.isEmpty ? count : lowerBound(NameKey.behindAll(beginningWith: beginning).loose.span).rank
      if !walk(from: first(beginning), to: end, of: pattern, &budget, body) { return }
    }
  }

  /// Calls `body` with the entries from a position to a rank, but for some that do not match.
  /// - Returns: false if `body` returned false, or the budget is exhausted.
  private func walk(
    from first: Place, to end: Int, of pattern: NamePattern, _ budget: inout QueryBudget,
    _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) -> Bool {
    let keys = keys
    var place = first
    while place.rank < end {
      let equal = min(equalKeysCount(from: place.rank), end - place.rank)
      let passed = pattern.pass(keys.span, from: place.start, count: equal)
      place = Place(rank: place.rank + passed.count, start: place.start + passed.byteCount)
      if !budget.takeSteps(passed.count + 1) { return false }
      if passed.count == equal && equal > 0 { continue }
      let key = Self.key(at: place.start, in: keys.span)
      if !body(place, key, &budget) { return false }
      place = Place(rank: place.rank + 1, start: place.start + key.count + 1)
    }
    return budget.canContinue
  }

  private func searchByPrefilters(
    of pattern: NamePattern, from first: Place, _ budget: inout QueryBudget,
    _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) {
    if first.rank >= count { return }
    for number in first.rank / namesPerPart..<parts.count {
      let part = parts[number]
      let firstBlock = number * namesPerPart / Self.namesPerBlock
      let groups = pattern.groups(in: part)
      var walk = PrefilterWalk(groups, in: part, from: max(0, first.rank / Self.namesPerBlock - firstBlock))
      var found: [Int] = []
      // Taken once: a class in a class is retained each time it is taken.
      let edits = pattern.edits
      while let hits = walk.next(in: GramStream.Source(part)) {
        var index = 0
        while index < hits.count {
          if index + 8 < hits.count { prefetch(firstBlock + PrefilterWalk.block(of: hits[index + 8])) }
          let start = index
          let block = PrefilterWalk.block(of: hits[start])
          while index < hits.count && PrefilterWalk.block(of: hits[index]) == block { index += 1 }
          if !budget.takeStep() { return }
          find(hits[start..<index], in: firstBlock + block, walk, &found)
          if !visit(firstBlock + block, found, pattern, edits, from: first, &budget, body) { return }
        }
        if !budget.takeStep() { return }
      }
    }
  }

  private func prefetch(_ block: Int) {
    let keys = keys
    keys.span.prefetch(Int(blockStarts[block]), count: Self.namesPerBlock * 12)
  }

  /// Searches a block for the texts of several prefilters, and sorts where they are.
  private func find(
    _ prefilters: ArraySlice<PrefilterWalk.Hit>, in block: Int, _ walk: borrowing PrefilterWalk, _ found: inout [Int]
  ) {
    let (keys, end) = (keys, Int(blockStarts[block + 1]))
    found.removeAll(keepingCapacity: true)
    for prefilter in prefilters {
      let text = walk.text(of: prefilter)
      var start = Int(blockStarts[block])
      while let hit = ByteSearch.find(walk.texts.span.extracting(text), in: keys.span, from: start, to: end) {
        found.append(hit)
        start = ByteSearch.terminator(in: keys.span, from: hit) + 1
      }
    }
    if found.count > 1 { found.sort() }
  }

  /// Calls `body` with the names of a block around some places, ascending, that may match.
  /// - Returns: false if `body` returned false, or the budget is exhausted.
  private func visit(
    _ block: Int, _ places: [Int], _ pattern: NamePattern, _ edits: EditTest?, from first: Place,
    _ budget: inout QueryBudget, _ body: (Place, Span<UInt8>, inout QueryBudget) -> Bool
  ) -> Bool {
    let keys = keys
    // The last name that matched, or the first of the block; and where the last name that was tested ends.
    var known = Place(rank: block * Self.namesPerBlock, start: Int(blockStarts[block]))
    var tested = known.start
    // Several of them may occur in one key.
    for place in places where place >= tested {
      let start = ByteSearch.runStart(before: place, in: keys.span, from: tested)
      let keyEnd = ByteSearch.terminator(in: keys.span, from: place)
      let key = keys.span.extracting(start..<keyEnd)
      tested = keyEnd + 1
      let mayHold = if let edits { edits.mayHold(key, &budget) } else { pattern.mayHold(key, &budget) }
      if mayHold {
        let rank = known.rank + ByteSearch.run(around: start, in: keys.span, from: known.start).terminatorCount
        if rank >= first.rank && !body(Place(rank: rank, start: start), key, &budget) { return false }
        known = Place(rank: rank, start: start)
      }
      if !budget.canContinue { return false }
    }
    return true
  }
}

extension NameSegment.Part {
  /// About how many blocks contain one of some prefilters, at most: by the rarest gram of each.
  func blockEstimate(of prefilters: [NamePrefilter]) -> Int {
    prefilters.reduce(0) { $0 + ($1.grams.map(blockEstimate).min() ?? 0) }
  }

  private func blockEstimate(of gram: UInt32) -> Int {
    if gram >= 1 << 16 { return trigrams.entry(of: gram)?.countEstimate ?? 0 }
    return (shortGrams.entry(of: gram)?.countEstimate ?? 0) * NameSegment.blocksPerGroup
  }
}

/// The blocks of one part that contain all grams of a prefilter, computed window by window. A result page that fills
/// early costs only the first windows.
private struct PrefilterWalk: ~Copyable {
  private static let firstWindow = 64
  private static let windowGrowth = 4
  /// The most grams of a prefilter that are intersected. Further grams reject few blocks.
  private static let maximumStreamCount = 6
  /// The least weight of the rarest gram of a broad prefilter: 256 blocks.
  private static let broadWeight: UInt64 = 32

  /// A prefilter all of whose grams occur in the part.
  private struct GramPrefilter {
    let text: Range<Int>
    /// Empty if it is broad.
    let streams: Range<Int>
    /// Its grams in `broadPlaces`; empty unless it is broad.
    let broad: Range<Int>
    /// The first word not yet passed.
    var word = 0
  }

  /// A gram of broad prefilters: its words of a window are read once for all of them.
  private struct BroadGram {
    var stream: GramStream
    /// Where the words of this window are in `words`; nil until they are read.
    var start: Int?
  }

  private var broadGrams: [BroadGram] = []
  /// For each broad prefilter: the places of its grams in `broadGrams`, the rarest first.
  private var broadPlaces: [Int] = []
  private var words: [UInt64] = []
  /// The gram streams of the other prefilters; within a prefilter, the rarest gram first.
  private var streams: [GramStream] = []
  private var prefilters: [GramPrefilter] = []
  /// The texts of all prefilters.
  private(set) var texts: [UInt8] = []
  /// The prefilters of each group, and its `besides`.
  private var groups: [(prefilters: Range<Int>, besides: Range<Int>?)] = []
  private var start: Int
  private let end: Int
  private var width = firstWindow
  private let firstBlock: Int
  private let blockCount: Int

  init(_ groups: [PrefilterGroup], in part: borrowing NameSegment.Part, from firstBlock: Int) {
    self.firstBlock = firstBlock
    blockCount = part.trigrams.blockCount
    start = firstBlock / GramStream.blocksPerWord
    end = GramPostings.wordsPerBitmap(blockCount)
    for group in groups {
      let besides = group.besides.isEmpty ? nil : add(group.besides, in: part)
      if besides?.isEmpty == true { continue }
      self.groups.append((add(group.prefilters, in: part), besides))
    }
  }

  /// Adds the prefilters that may occur in the part.
  private mutating func add(_ prefilters: [NamePrefilter], in part: borrowing NameSegment.Part) -> Range<Int> {
    let first = self.prefilters.count
    for prefilter in prefilters {
      let start = streams.count
      for gram in prefilter.grams {
        guard let stream = GramStream(gram, in: part) else { break }
        var place = streams.count
        streams.append(stream)
        while place > start && streams[place - 1].weight > stream.weight {
          streams.swapAt(place, place - 1)
          place -= 1
        }
      }
      if streams.count - start < prefilter.grams.count {
        streams.removeSubrange(start...)
        continue
      }
      if prefilter.grams.count > Self.maximumStreamCount {
        streams.removeSubrange((start + Self.maximumStreamCount)...)
      }
      let broad = streams[start].weight < Self.broadWeight ? 0..<0 : moveToBroad(start)
      texts += prefilter.text
      self.prefilters.append(
        GramPrefilter(
          text: texts.count - prefilter.text.count..<texts.count, streams: start..<streams.count, broad: broad))
    }
    return first..<self.prefilters.count
  }

  /// Moves the last streams to the broad grams.
  private mutating func moveToBroad(_ start: Int) -> Range<Int> {
    let first = broadPlaces.count
    for stream in streams[start...] {
      if let known = broadGrams.firstIndex(where: { $0.stream.gram == stream.gram }) {
        broadPlaces.append(known)
      } else {
        broadPlaces.append(broadGrams.count)
        broadGrams.append(BroadGram(stream: stream))
      }
    }
    streams.removeSubrange(start...)
    return first..<broadPlaces.count
  }

  /// A block of the part and a prefilter, packed.
  typealias Hit = UInt64

  static func block(of hit: Hit) -> Int { Int(hit >> 32) }

  /// Where the text of a prefilter is in `texts`.
  func text(of hit: Hit) -> Range<Int> { prefilters[Int(hit & 0xFFFF_FFFF)].text }

  /// The prefilters that the blocks of the next window may contain, block by block; nil after the last window.
  mutating func next(in part: borrowing GramStream.Source) -> [Hit]? {
    if start >= end { return nil }
    let window = start..<min(end, start + width)
    (start, width) = (window.upperBound, width * Self.windowGrowth)
    // The last group may have fewer than four blocks.
    let blocks = firstBlock..<blockCount
    words.removeAll(keepingCapacity: true)
    for index in broadGrams.indices { broadGrams[index].start = nil }
    var hits: [Hit] = []
    for group in groups {
      var sieve = [UInt64](repeating: group.besides == nil ? ~0 : 0, count: window.count)
      for prefilter in group.besides ?? 0..<0 {
        forEachWord(of: prefilter, in: window, part) { sieve[$0 - window.lowerBound] |= $1 }
      }
      for prefilter in group.prefilters {
        forEachWord(of: prefilter, in: window, part) { word, bits in
          var bits = bits & sieve[word - window.lowerBound]
          while bits != 0 {
            let block = word * GramStream.blocksPerWord + bits.trailingZeroBitCount
            bits &= bits - 1
            if blocks.contains(block) { hits.append(UInt64(block) << 32 | UInt64(prefilter)) }
          }
        }
      }
    }
    hits.sort()
    return hits
  }

  /// Calls `body` with each word of the window in which some block contains all grams of a prefilter, and with those
  /// blocks.
  @inline(__always)
  private mutating func forEachWord(
    of prefilter: Int, in window: Range<Int>, _ part: borrowing GramStream.Source, _ body: (Int, UInt64) -> Void
  ) {
    let places = prefilters[prefilter].streams
    if places.isEmpty { return forEachWord(ofBroad: prefilter, in: window, part, body) }
    var word = max(window.lowerBound, prefilters[prefilter].word)
    do {
      var streams = streams.mutableSpan
      while word < window.upperBound {
        var blocks = streams[places.lowerBound].bits(of: word, in: part)
        var place = places.lowerBound + 1
        while blocks != 0 && place < places.upperBound {
          blocks &= streams[place].bits(of: word, in: part)
          place += 1
        }
        if blocks != 0 { body(word, blocks) }
        word = streams[places.lowerBound].next(after: word, in: part) ?? .max
      }
    }
    prefilters[prefilter].word = word
  }

  /// The same for a broad prefilter: its grams are in most words.
  @inline(__always)
  private mutating func forEachWord(
    ofBroad prefilter: Int, in window: Range<Int>, _ part: borrowing GramStream.Source, _ body: (Int, UInt64) -> Void
  ) {
    let places = prefilters[prefilter].broad
    for place in places where broadGrams[broadPlaces[place]].start == nil {
      broadGrams[broadPlaces[place]].start = words.count
      broadGrams[broadPlaces[place]].stream.append(window, in: part, to: &words)
    }
    func start(_ place: Int) -> Int { broadGrams[broadPlaces[place]].start ?? 0 }
    let (first, second) = (start(places.lowerBound), start(min(places.lowerBound + 1, places.upperBound - 1)))
    let words = words.span
    for offset in 0..<window.count {
      var blocks = words[first + offset] & words[second + offset]
      if blocks == 0 { continue }
      var place = places.lowerBound + 2
      while blocks != 0 && place < places.upperBound {
        blocks &= words[start(place) + offset]
        place += 1
      }
      if blocks != 0 { body(window.lowerBound + offset, blocks) }
    }
  }
}
