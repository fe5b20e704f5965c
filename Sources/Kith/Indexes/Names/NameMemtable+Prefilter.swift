extension NameMemtable {
  /// Tests which blocks may contain all grams of some prefilter of a pattern, and which keys may match the pattern.
  struct Prefilters {
    private let pattern: NamePattern?
    private let prefilters: NamePrefilters
    /// The filter bits of all grams.
    private let bits: [Int]

    init(_ pattern: NamePattern?) {
      self.pattern = pattern
      prefilters = pattern?.prefilters ?? NamePrefilters()
      bits = prefilters.grams.map { GramBloomFilter.bit(of: $0) }
    }

    func mayOccur(in block: Int, of memtable: NameMemtable) -> Bool {
      if prefilters.isEmpty { return true }
      return (0..<prefilters.count).contains { number in
        prefilters.grams(of: number).allSatisfy { memtable.mayHold(bits[$0], in: block) }
      }
    }

    func mayMatch(_ key: Span<UInt8>, _ budget: inout QueryBudget) -> Bool {
      let texts = prefilters.texts.span
      let isFound = (0..<prefilters.count).contains { number in
        ByteSearch.contains(texts.extracting(prefilters.text(of: number)), in: key)
      }
      if !isFound && !prefilters.isEmpty { return false }
      return pattern?.mayHold(key, &budget) ?? true
    }
  }
}
