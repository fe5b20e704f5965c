extension NameMemtable {
  /// Tests which blocks may contain all grams of some prefilter of a pattern, and which keys may match the pattern.
  struct Prefilters {
    private let pattern: NamePattern?
    private let prefilters: [NamePrefilter]
    /// The filter bits of all grams, prefilter after prefilter.
    private var bits: [Int] = []
    /// The end of each prefilter in `bits`.
    private var ends: [Int] = []

    init(_ pattern: NamePattern?) {
      self.pattern = pattern
      prefilters = pattern?.prefilters ?? []
      for prefilter in prefilters {
        bits += prefilter.grams.map { GramBloomFilter.bit(of: $0) }
        ends.append(bits.count)
      }
    }

    func mayOccur(in block: Int, of memtable: NameMemtable) -> Bool {
      if prefilters.isEmpty { return true }
      var start = 0
      for end in ends {
        var place = start
        while place < end && memtable.mayHold(bits[place], in: block) { place += 1 }
        if place == end { return true }
        start = end
      }
      return false
    }

    func mayMatch(_ key: Span<UInt8>, _ budget: inout QueryBudget) -> Bool {
      if !prefilters.isEmpty && !prefilters.contains(where: { ByteSearch.contains($0.text.span, in: key) }) {
        return false
      }
      return pattern?.mayHold(key, &budget) ?? true
    }
  }
}
