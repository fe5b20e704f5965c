extension NameHead {
  /// Which blocks may hold all grams of some clue of a pattern, and which keys may answer it.
  struct Clues {
    private let pattern: NamePattern?
    private let clues: [NameClue]
    /// Of all grams, clue after clue.
    private var bits: [Int] = []
    /// Where the bits of each clue end.
    private var ends: [Int] = []

    init(_ pattern: NamePattern?) {
      self.pattern = pattern
      clues = pattern?.clues ?? []
      for clue in clues {
        bits += clue.grams.map { GramSignature.bit(of: $0) }
        ends.append(bits.count)
      }
    }

    func mayStand(in block: Int, of head: NameHead) -> Bool {
      if clues.isEmpty { return true }
      var start = 0
      for end in ends {
        var place = start
        while place < end && head.mayHold(bits[place], in: block) { place += 1 }
        if place == end { return true }
        start = end
      }
      return false
    }

    func mayLead(to key: Span<UInt8>) -> Bool {
      if !clues.isEmpty && !clues.contains(where: { ByteSearch.contains($0.text.span, in: key) }) { return false }
      return pattern?.mayHold(key) ?? true
    }
  }
}
