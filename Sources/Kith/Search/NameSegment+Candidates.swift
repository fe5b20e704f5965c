extension NameSegment {
  /// The clues of one question to one part of the names.
  private struct ClueStreams {
    /// Rarest gram first.
    var streams: [[GramStream]] = []
    /// Of each, which clue.
    var clues: [Int] = []
    /// Of each, the blocks of the present word that hold all of its grams.
    var bits: [UInt64] = []
    /// Grams of a clue beyond which another one sharpens little.
    private static let maximumStreamCount = 6

    init(_ clues: [NameClue], in part: Part) {
      for (number, clue) in clues.enumerated() {
        let found = clue.grams.compactMap { GramStream($0, in: part) }
        if found.count < clue.grams.count { continue }
        streams.append(Array(found.sorted { $0.weight < $1.weight }.prefix(Self.maximumStreamCount)))
        self.clues.append(number)
        bits.append(0)
      }
    }

    /// The blocks of a word that hold all grams of some clue.
    mutating func read(_ word: Int, in part: Part) -> UInt64 {
      var union: UInt64 = 0
      for index in streams.indices {
        var blocks = streams[index][0].bits(of: word, in: part)
        var place = 1
        while blocks != 0 && place < streams[index].count {
          blocks &= streams[index][place].bits(of: word, in: part)
          place += 1
        }
        bits[index] = blocks
        union |= blocks
      }
      return union
    }

    /// The next word that may hold any.
    func next(after word: Int, in part: Part) -> Int {
      var next = Int.max
      for stream in streams {
        if let word = stream[0].next(after: word, in: part) { next = min(next, word) }
      }
      return next
    }
  }

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
      var word = start / 64
      var keep = ~UInt64(0) << UInt64(start % 64)
      while word < GramPostings.wordsPerBitmap(blockCount) {
        var blocks = streams.read(word, in: part) & keep
        keep = ~0
        while blocks != 0 {
          let bit = blocks.trailingZeroBitCount
          blocks &= blocks - 1
          // The last group may have fewer than four blocks.
          if word * 64 + bit >= blockCount { break }
          if !work.goesOn() { return }
          let marks = marks(of: firstBlock + word * 64 + bit, bit: bit, streams, clues)
          if marks != 0 && !visit(firstBlock + word * 64 + bit, marks, from: first, body) { return }
        }
        word = streams.next(after: word, in: part)
      }
    }
  }

  /// The names of a block that hold the text of a clue that may stand there: bit n for name n.
  private func marks(of block: Int, bit: Int, _ streams: ClueStreams, _ clues: [NameClue]) -> UInt32 {
    let (keys, start, end) = (keys, Int(blockStarts[block]), Int(blockStarts[block + 1]))
    var marks: UInt32 = 0
    for index in streams.clues.indices where streams.bits[index] >> UInt64(bit) & 1 == 1 {
      let text = clues[streams.clues[index]].text
      var place = start
      while let hit = ByteSearch.find(text.span, in: keys.span, from: place, to: end) {
        marks |= 1 << UInt32(ByteSearch.run(around: hit, in: keys.span, from: start).terminatorCount)
        place = ByteSearch.terminator(in: keys.span, from: hit + text.count) + 1
      }
    }
    return marks
  }

  private func visit(
    _ block: Int, _ marks: UInt32, from first: Place, _ body: (Place, Span<UInt8>) -> Bool
  ) -> Bool {
    let keys = keys
    var place = Place(rank: block * Self.namesPerBlock, start: Int(blockStarts[block]))
    var marks = marks
    while marks != 0 {
      let key = Self.key(at: place.start, in: keys.span)
      if marks & 1 == 1 && place.rank >= first.rank && !body(place, key) { return false }
      marks >>= 1
      place = Place(rank: place.rank + 1, start: place.start + key.count + 1)
    }
    return true
  }
}

extension NameHead {
  /// Which blocks may hold all grams of some clue, and which names hold its text.
  struct Clues {
    let clues: [NameClue]
    private let bits: [[Int]]

    init(_ clues: [NameClue]) {
      self.clues = clues
      bits = clues.map { $0.grams.map { GramSignature.bit(of: $0) } }
    }

    func mayStand(in block: Int, of head: NameHead) -> Bool {
      bits.isEmpty || bits.contains { head.mayHold($0, in: block) }
    }

    func stand(in key: Span<UInt8>) -> Bool {
      if clues.isEmpty { return true }
      for clue in clues where ByteSearch.contains(clue.text.span, in: key) { return true }
      return false
    }
  }
}
