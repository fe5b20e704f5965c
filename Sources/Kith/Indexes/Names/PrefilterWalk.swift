/// The blocks of one part that contain all grams of a prefilter, computed window by window. A result page that fills
/// early costs only the first windows.
///
/// Most prefilters of a text have grams in common. The postings of such grams are expanded to bitmaps once a window,
/// for all prefilters. Other postings are searched only where the rarest gram of their prefilter occurs.
struct PrefilterWalk: ~Copyable {
  private static let firstWindow = 64
  private static let windowGrowth = 4
  /// The most grams of a prefilter that are intersected. Further grams reject few blocks.
  private static let maximumGramCount = 4
  /// The least weight of the rarest gram of a broad prefilter: 256 blocks. All its grams are expanded.
  private static let broadWeight: UInt64 = 32
  /// A search for a block in a list takes about as long as expanding so many of its blocks.
  private static let searchCost = 8
  /// The bitmaps of a window are read vector by vector.
  private typealias WordVector = SIMD4<UInt64>

  /// A gram of the prefilters.
  private struct Gram {
    /// Nil if it occurs nowhere in the part.
    let stream: GramStream?
    let gram: UInt32
    /// About how many searches in its list the prefilters need.
    var searchCount = 0
    /// The number of its bitmap, if it is expanded.
    var bitmap: Int?
  }

  /// A prefilter all of whose grams occur in the part.
  private struct GramPrefilter {
    let number: Int
    /// Its grams in `gramNumbers`, the rarest first.
    let grams: Range<Int>
    /// The streams of the grams that are not expanded, the rarest first. Empty if the prefilter is broad.
    var streams = 0..<0
    /// The bitmaps of the others, in `bitmapNumbers`.
    var bitmaps = 0..<0
    /// The first word not yet passed.
    var word = 0
  }

  private var grams: [Gram] = []
  /// Where in `grams` the last gram with some hash is. A gram may occur twice there.
  private var recentGrams = [Int](repeating: 0, count: 256)
  private var gramNumbers: [Int] = []
  private var streams: [GramStream] = []
  private var bitmapNumbers: [Int] = []
  private var expandedStreams: [GramStream] = []
  /// The bitmaps of this window, each filled up with zeros to whole vectors.
  private var words: [UInt64] = []
  private var prefilters: [GramPrefilter] = []
  /// The prefilters of each group, and its `besides`.
  private var groups: [(prefilters: Range<Int>, besides: Range<Int>?)] = []
  private var start: Int
  private let end: Int
  private var width = firstWindow
  private let firstBlock: Int
  private let blockCount: Int

  init(_ all: NamePrefilters, in part: borrowing NameSegment.Part, from firstBlock: Int) {
    self.firstBlock = firstBlock
    blockCount = part.trigrams.blockCount
    start = firstBlock / GramStream.blocksPerWord
    end = GramPostings.wordsPerBitmap(blockCount)
    for group in all.groups {
      let besides = group.besides.map { add($0, of: all, in: part) }
      if besides?.isEmpty == true { continue }
      groups.append((add(group.prefilters, of: all, in: part), besides))
    }
    chooseBitmaps()
    for index in prefilters.indices { plan(index) }
  }

  /// Adds the prefilters that may occur in the part.
  private mutating func add(
    _ numbers: Range<Int>, of all: NamePrefilters, in part: borrowing NameSegment.Part
  ) -> Range<Int> {
    let first = prefilters.count
    for number in numbers {
      let start = gramNumbers.count
      for place in all.grams(of: number) {
        let gram = self.number(of: all.grams[place], in: part)
        guard let weight = grams[gram].stream?.weight else { break }
        var place = gramNumbers.count
        gramNumbers.append(gram)
        while place > start, let before = grams[gramNumbers[place - 1]].stream?.weight, before > weight {
          gramNumbers.swapAt(place, place - 1)
          place -= 1
        }
      }
      let count = gramNumbers.count - start
      if count < all.grams(of: number).count {
        gramNumbers.removeLast(count)
        continue
      }
      gramNumbers.removeLast(max(0, count - Self.maximumGramCount))
      prefilters.append(GramPrefilter(number: number, grams: start..<gramNumbers.count))
    }
    return first..<prefilters.count
  }

  private mutating func number(of gram: UInt32, in part: borrowing NameSegment.Part) -> Int {
    let hash = GramPostings.home(of: gram, mask: recentGrams.count - 1)
    let known = recentGrams[hash]
    if known < grams.count && grams[known].gram == gram { return known }
    grams.append(Gram(stream: GramStream(gram, in: part), gram: gram))
    recentGrams[hash] = grams.count - 1
    return grams.count - 1
  }

  /// Chooses the grams that are expanded.
  private mutating func chooseBitmaps() {
    for prefilter in prefilters {
      let numbers = prefilter.grams
      guard let rarest = grams[gramNumbers[numbers.lowerBound]].stream else { continue }
      let isBroad = rarest.weight >= Self.broadWeight
      for place in isBroad ? numbers : numbers.dropFirst() {
        grams[gramNumbers[place]].searchCount += isBroad ? blockCount : rarest.countEstimate
      }
    }
    for number in grams.indices {
      guard let stream = grams[number].stream else { continue }
      let searchCount = grams[number].searchCount
      if searchCount < blockCount && (stream.isDense || searchCount * Self.searchCost < stream.countEstimate) {
        continue
      }
      grams[number].bitmap = expandedStreams.count
      expandedStreams.append(stream)
    }
  }

  /// Separates the grams of a prefilter that are expanded from the others.
  private mutating func plan(_ index: Int) {
    let (firstStream, firstBitmap) = (streams.count, bitmapNumbers.count)
    let numbers = prefilters[index].grams
    for place in numbers {
      let gram = grams[gramNumbers[place]]
      guard let stream = gram.stream else { continue }
      let isRarestOfFew = place == numbers.lowerBound && stream.weight < Self.broadWeight
      if let bitmap = gram.bitmap, !isRarestOfFew { bitmapNumbers.append(bitmap) } else { streams.append(stream) }
    }
    prefilters[index].streams = firstStream..<streams.count
    prefilters[index].bitmaps = firstBitmap..<bitmapNumbers.count
  }

  /// A block of the part and a prefilter, packed.
  typealias Hit = UInt64

  static func block(of hit: Hit) -> Int { Int(hit >> 32) }

  static func prefilter(of hit: Hit) -> Int { Int(hit & 0xFFFF_FFFF) }

  /// The prefilters that the blocks of the next window may contain, block by block; nil after the last window.
  mutating func next(in part: borrowing GramStream.Source) -> [Hit]? {
    if start >= end { return nil }
    let window = start..<min(end, start + width)
    (start, width) = (window.upperBound, width * Self.windowGrowth)
    // The last group may have fewer than four blocks.
    let blocks = firstBlock..<blockCount
    expand(window, in: part)
    var hits: [Hit] = []
    for group in groups {
      var sieve = [UInt64](repeating: group.besides == nil ? ~0 : 0, count: window.count)
      for prefilter in group.besides ?? 0..<0 {
        forEachWord(of: prefilter, in: window, part) { sieve[$0 - window.lowerBound] |= $1 }
      }
      for prefilter in group.prefilters {
        let number = UInt64(prefilters[prefilter].number)
        forEachWord(of: prefilter, in: window, part) { word, bits in
          var bits = bits & sieve[word - window.lowerBound]
          while bits != 0 {
            let block = word * GramStream.blocksPerWord + bits.trailingZeroBitCount
            bits &= bits - 1
            if blocks.contains(block) { hits.append(UInt64(block) << 32 | number) }
          }
        }
      }
    }
    hits.sort()
    return hits
  }

  private static func vectorCount(of window: Range<Int>) -> Int {
    (window.count + WordVector.scalarCount - 1) / WordVector.scalarCount
  }

  private mutating func expand(_ window: Range<Int>, in part: borrowing GramStream.Source) {
    let wordCount = Self.vectorCount(of: window) * WordVector.scalarCount
    var words = [UInt64](repeating: 0, count: expandedStreams.count * wordCount)
    var span = words.mutableSpan
    for index in expandedStreams.indices {
      expandedStreams[index].expand(window, in: part, to: index * wordCount, of: &span)
    }
    self.words = words
  }

  /// Calls `body` with each word of the window in which some block contains all grams of a prefilter, and with those
  /// blocks.
  @inline(__always)
  private mutating func forEachWord(
    of prefilter: Int, in window: Range<Int>, _ part: borrowing GramStream.Source, _ body: (Int, UInt64) -> Void
  ) {
    let (places, bitmaps) = (prefilters[prefilter].streams, prefilters[prefilter].bitmaps)
    let bitmapSize = Self.vectorCount(of: window) * WordVector.scalarCount
    if places.isEmpty { return forEachWord(ofBitmaps: bitmaps, in: window, body) }
    var word = max(window.lowerBound, prefilters[prefilter].word)
    // A local variable, so that other properties of `self` can be read while the streams change.
    var streams: [GramStream] = []
    swap(&streams, &self.streams)
    do {
      var streams = streams.mutableSpan
      let (words, bitmapNumbers) = (words.span, bitmapNumbers.span)
      while word < window.upperBound {
        var blocks = streams[places.lowerBound].bits(of: word, in: part)
        var bitmap = bitmaps.lowerBound
        while blocks != 0 && bitmap < bitmaps.upperBound {
          blocks &= words[bitmapNumbers[bitmap] * bitmapSize + word - window.lowerBound]
          bitmap += 1
        }
        var place = places.lowerBound + 1
        while blocks != 0 && place < places.upperBound {
          blocks &= streams[place].bits(of: word, in: part)
          place += 1
        }
        if blocks != 0 { body(word, blocks) }
        word = streams[places.lowerBound].next(after: word, in: part) ?? .max
      }
    }
    swap(&streams, &self.streams)
    prefilters[prefilter].word = word
  }

  /// The same for a broad prefilter: its grams are in most words.
  @inline(__always)
  private func forEachWord(ofBitmaps bitmaps: Range<Int>, in window: Range<Int>, _ body: (Int, UInt64) -> Void) {
    let vectorCount = Self.vectorCount(of: window)
    let words = words.span
    let bitmapNumbers = bitmapNumbers.span
    for number in 0..<vectorCount {
      var blocks = WordVector(repeating: ~0)
      var bitmap = bitmaps.lowerBound
      while bitmap < bitmaps.upperBound && blocks != WordVector() {
        blocks &= words.vector(at: (bitmapNumbers[bitmap] * vectorCount + number) * WordVector.scalarCount)
        bitmap += 1
      }
      if blocks == WordVector() { continue }
      for index in 0..<WordVector.scalarCount where blocks[index] != 0 {
        body(window.lowerBound + number * WordVector.scalarCount + index, blocks[index])
      }
    }
  }
}
