extension NameSegment {
  /// Calls `body` with place and loose key of every entry from `first` on, in order, whose key holds the text of some
  /// clue, until it answers false. It may leave out keys that lack other runs of the clue.
  /// - Complexity: O(blocks that hold the grams of a clue, and of the rarest gram of each clue).
  func forEachCandidate(
    of clues: [NameClue], from first: Place, _ work: inout SearchWork, _ body: (Place, Span<UInt8>) -> Bool
  ) {
    if first.rank >= count { return }
    for number in first.rank / namesPerPart..<parts.count {
      let part = parts[number]
      let firstBlock = number * namesPerPart / Self.namesPerBlock
      let blockCount = part.trigrams.blockCount
      let start = max(0, first.rank / Self.namesPerBlock - firstBlock)
      var streams = ClueStreams(clues, in: part)
      var word = start / GramStream.blocksPerWord
      var keep = ~UInt64(0) << UInt64(start % GramStream.blocksPerWord)
      while word < GramPostings.wordsPerBitmap(blockCount) {
        var blocks = streams.read(word, in: part) & keep
        keep = ~0
        while blocks != 0 {
          let bit = blocks.trailingZeroBitCount
          let block = word * GramStream.blocksPerWord + bit
          blocks &= blocks - 1
          // The last group may have fewer than four blocks.
          if block >= blockCount { break }
          if !work.goesOn() || !visit(firstBlock + block, bit, &streams, clues, from: first, body) { return }
        }
        word = streams.next(after: word, in: part)
      }
    }
  }

  /// Looks for the texts of the clues that a block may hold, all at once, so that its names come in order. False when
  /// `body` wants no more.
  private func visit(
    _ block: Int, _ bit: Int, _ streams: inout ClueStreams, _ clues: [NameClue], from first: Place,
    _ body: (Place, Span<UInt8>) -> Bool
  ) -> Bool {
    let (keys, end) = (keys, Int(blockStarts[block + 1]))
    var place = Place(rank: block * Self.namesPerBlock, start: Int(blockStarts[block]))
    var nearest = Int.max
    streams.seek(place.start, end, bit, clues, in: keys.span, nearest: &nearest)
    while nearest != Int.max {
      let (start, passed) = ByteSearch.run(around: nearest, in: keys.span, from: place.start)
      let keyEnd = ByteSearch.terminator(in: keys.span, from: nearest)
      place = Place(rank: place.rank + passed, start: start)
      if place.rank >= first.rank && !body(place, keys.span.extracting(start..<keyEnd)) { return false }
      place = Place(rank: place.rank + 1, start: keyEnd + 1)
      streams.seek(place.start, end, nil, clues, in: keys.span, nearest: &nearest)
    }
    return true
  }
}

/// The clues of one question to one part of the names.
private struct ClueStreams {
  /// Grams of a clue beyond which another one sharpens little.
  private static let maximumStreamCount = 6

  /// Clue after clue; of each, the rarest gram first.
  private var streams: [GramStream] = []
  /// Of each clue that may stand in the part.
  private var clues: [Clue] = []

  private struct Clue {
    let number: Int
    let streams: Range<Int>
    /// The blocks of the present word that hold all of its grams.
    var blocks: UInt64 = 0
    /// Where its text stands next in the present block; the largest number when it does no more.
    var hit = Int.max
  }

  init(_ clues: [NameClue], in part: NameSegment.Part) {
    for (number, clue) in clues.enumerated() {
      let found = clue.grams.compactMap { GramStream($0, in: part) }
      if found.count < clue.grams.count { continue }
      let start = streams.count
      streams += found.sorted { $0.weight < $1.weight }.prefix(Self.maximumStreamCount)
      self.clues.append(Clue(number: number, streams: start..<streams.count))
    }
  }

  /// The blocks of a word that hold all grams of some clue.
  mutating func read(_ word: Int, in part: NameSegment.Part) -> UInt64 {
    var union: UInt64 = 0
    for index in clues.indices {
      var blocks = ~UInt64(0)
      for place in clues[index].streams {
        blocks &= streams[place].bits(of: word, in: part)
        if blocks == 0 { break }
      }
      clues[index].blocks = blocks
      union |= blocks
    }
    return union
  }

  /// The next word that may hold any.
  func next(after word: Int, in part: NameSegment.Part) -> Int {
    var next = Int.max
    for clue in clues {
      if let word = streams[clue.streams.lowerBound].next(after: word, in: part) { next = min(next, word) }
    }
    return next
  }

  /// Finds the nearest text of a clue from `start` on.
  /// - Parameter bit: of a block that is begun: the clues that hold it are looked for; nil to go on in it.
  mutating func seek(
    _ start: Int, _ end: Int, _ bit: Int?, _ all: [NameClue], in keys: Span<UInt8>, nearest: inout Int
  ) {
    nearest = .max
    for index in clues.indices {
      if let bit {
        clues[index].hit = clues[index].blocks >> UInt64(bit) & 1 == 1 ? -1 : .max
      }
      if clues[index].hit < start {
        let text = all[clues[index].number].text
        clues[index].hit = ByteSearch.find(text.span, in: keys, from: start, to: end) ?? .max
      }
      nearest = min(nearest, clues[index].hit)
    }
  }
}
