/// Prefilters: runs of bytes that the loose key of a match contains. The index finds them before a name is tested as a
/// whole. All texts are in one array and all grams in another, so that the variants of a text cost no allocations each.
struct NamePrefilters: Sendable {
  /// Alternatives: the key of every match of a pattern contains one prefilter of one of its groups.
  struct Group: Sendable {
    let prefilters: Range<Int>
    /// If not nil, the block of a match also contains one of these. They are tested per block only.
    var besides: Range<Int>?
  }

  private(set) var texts: [UInt8] = []
  private(set) var grams: [UInt32] = []
  private(set) var groups: [Group] = []
  /// Where the text and the grams of each prefilter end.
  private var ends: [(text: Int, grams: Int)] = []

  init() {}

  /// - Parameter alternatives: the runs of each prefilter. If one has none, any name may match: there is no prefilter.
  init(alternatives: [[[UInt8]]]) {
    if alternatives.contains(where: \.isEmpty) { return }
    for runs in alternatives { add(runs: runs.map { $0[...] }) }
    group(from: 0)
  }

  var count: Int { ends.count }

  var isEmpty: Bool { ends.isEmpty }

  /// The longest run of a prefilter, in `texts`; not empty.
  func text(of prefilter: Int) -> Range<Int> { (prefilter == 0 ? 0 : ends[prefilter - 1].text)..<ends[prefilter].text }

  /// The trigrams of all runs of a prefilter, in `grams`; a run of fewer than three bytes is a gram itself.
  func grams(of prefilter: Int) -> Range<Int> {
    (prefilter == 0 ? 0 : ends[prefilter - 1].grams)..<ends[prefilter].grams
  }

  /// Adds a prefilter of one run, which `append` appends.
  @inline(__always)
  mutating func add(_ append: (inout [UInt8]) -> Void) {
    let start = texts.count
    append(&texts)
    precondition(texts.count > start, "a prefilter looks for something")
    addGrams(of: texts[start...])
    ends.append((texts.count, grams.count))
  }

  /// Adds a prefilter of several runs, at least one; none is empty.
  mutating func add(runs: [ArraySlice<UInt8>]) {
    let longest = runs.reduce([]) { $1.count > $0.count ? $1 : $0 }
    precondition(!longest.isEmpty, "a prefilter looks for something")
    texts += longest
    for run in runs { addGrams(of: run) }
    ends.append((texts.count, grams.count))
  }

  /// Adds the grams of a run of the next prefilter that it does not have yet.
  private mutating func addGrams(of run: ArraySlice<UInt8>) {
    let start = ends.last?.grams ?? 0
    Grams.forEach(ofQuery: run.span) { gram in
      if grams.count - start < Grams.maximumQueryCount && !grams[start...].contains(gram) { grams.append(gram) }
    }
  }

  /// Removes the last prefilter if one before it is the same.
  mutating func removeDuplicate() {
    let last = count - 1
    let (text, lastGrams) = (texts[text(of: last)], grams[grams(of: last)])
    let isKnown = (0..<last).contains { texts[self.text(of: $0)] == text && grams[grams(of: $0)] == lastGrams }
    if !isKnown { return }
    texts.removeLast(text.count)
    grams.removeLast(lastGrams.count)
    ends.removeLast()
  }

  /// Makes the prefilters from `first` on a group.
  mutating func group(from first: Int, besides: Range<Int>? = nil) {
    groups.append(Group(prefilters: first..<count, besides: besides))
  }

  // MARK: - Of a text with edits

  /// The most parts that a text is cut into. Each choice of edited parts yields one prefilter.
  static let maximumPartCount = 8

  /// The prefilters of `text`: every key that contains it with at most so many edits contains one of them.
  ///
  /// Each edit changes one part of the text, or none if it lies between two parts. The other parts occur unchanged in
  /// the key (the pigeonhole idea of Wu and Manber, 1992, applied to every choice of edited parts). So each choice of
  /// edited parts yields a prefilter: the runs between them. A choice is dropped if it contains all runs of another
  /// choice, the weakest of which come first. Few are left: for eight letters and two edits, nine of 28. A swap of two
  /// neighbours in different parts changes both; `addSwaps` covers it.
  /// - Parameters:
  ///   - text: a key, not empty.
  ///   - edits: at most two.
  ///   - partCount: more than `edits`, at most `maximumPartCount`.
  static func ofText(_ text: [UInt8], edits: Int, partCount: Int = maximumPartCount) -> NamePrefilters {
    let starts = text.indices.filter { text[$0] & 0xC0 != 0x80 } + [text.count]
    let scalarCount = starts.count - 1
    let count = min(scalarCount, partCount)
    // The bounds of the parts in scalars; the parts have about equal lengths.
    let bounds = (0...count).map { $0 * scalarCount / count }
    let parts = Parts(starts: bounds.map { starts[$0] })
    // Every choice with its longest run before it, so that they sort by it.
    let choices = (0..<1 << count).compactMap { bits -> Int? in
      if bits.nonzeroBitCount != count - edits { return nil }
      let choice = parts.selective(Parts.Set(bits))
      return parts.longestRun(of: choice) << maximumPartCount | Int(choice)
    }
    var chosen: [Parts.Set] = []
    var prefilters = NamePrefilters()
    for sortKey in choices.sorted() {
      let choice = Parts.Set(sortKey & (1 << maximumPartCount - 1))
      if chosen.contains(where: { $0 & ~choice == 0 }) { continue }
      chosen.append(choice)
      prefilters.add(runs: parts.runs(of: choice).map { text[$0] })
    }
    prefilters.addSwaps(of: text, at: bounds[1..<count], edits: edits)
    prefilters.group(from: 0)
    return prefilters
  }

  /// The parts of a text.
  private struct Parts {
    /// Some of the parts, one bit each. A run of one set is in a run of another if its bits are.
    typealias Set = UInt16

    /// The byte offsets of the parts, then the end of the last one.
    let starts: [Int]

    /// The longest sequences of parts without a gap, as bytes.
    func runs(of set: Set) -> [Range<Int>] {
      var runs: [Range<Int>] = []
      forEachRun(of: set) { runs.append($0) }
      return runs
    }

    /// The length in bytes of the longest run.
    func longestRun(of set: Set) -> Int {
      var longest = 0
      forEachRun(of: set) { longest = max(longest, $0.count) }
      return longest
    }

    /// The runs that are selective. A single byte occurs nearly everywhere, so longer runs are preferred.
    func selective(_ set: Set) -> Set {
      var long: Set = 0
      for part in 0..<starts.count - 1 where set >> part & 1 == 1 {
        let hasNeighbour = set >> (part + 1) & 1 == 1 || (part > 0 && set >> (part - 1) & 1 == 1)
        if hasNeighbour || starts[part + 1] - starts[part] > 1 { long |= 1 << part }
      }
      return long == 0 ? set : long
    }

    private func forEachRun(of set: Set, _ body: (Range<Int>) -> Void) {
      var rest = set
      while rest != 0 {
        let first = rest.trailingZeroBitCount
        let count = (~(rest >> first)).trailingZeroBitCount
        body(starts[first]..<starts[first + count])
        rest &= ~0 << (first + count)
      }
    }
  }

  /// Adds the prefilters of `text` with a swap across one of some part bounds: every key that contains the text with
  /// that swap and at most so many edits in all contains one of them.
  ///
  /// Without another edit, the key contains the text with the swap applied. With another edit in one half of the text,
  /// it contains the other half. If the other edit swaps the scalars between the halves, it contains the text with both
  /// swaps.
  private mutating func addSwaps(of text: [UInt8], at bounds: ArraySlice<Int>, edits: Int) {
    precondition(edits <= 2, "the prefilters to names with swaps are known for two edits at most")
    if edits == 0 || bounds.isEmpty { return }
    var scalars = Self.scalars(of: text)
    let middle = scalars.count / 2
    if edits == 2 {
      add(scalars[..<middle])
      add(scalars[middle...])
    }
    for bound in bounds where scalars[bound - 1] != scalars[bound] {
      scalars.swapAt(bound - 1, bound)
      if edits == 1 {
        add(scalars[...])
      } else {
        if bound <= middle { add(scalars[..<middle]) }
        if bound >= middle { add(scalars[middle...]) }
        // No scalar is edited twice.
        if abs(bound - middle) >= 2 {
          scalars.swapAt(middle - 1, middle)
          add(scalars[...])
          scalars.swapAt(middle - 1, middle)
        }
      }
      scalars.swapAt(bound - 1, bound)
    }
  }

  private mutating func add(_ scalars: ArraySlice<UInt32>) {
    add { for scalar in scalars { $0.append(scalar: scalar) } }
    removeDuplicate()
  }

  private static func scalars(of text: [UInt8]) -> [UInt32] {
    var scalars: [UInt32] = []
    var position = 0
    while position < text.count {
      let (scalar, byteCount) = text.span.decodedScalar(at: position)
      scalars.append(scalar)
      position += byteCount
    }
    return scalars
  }
}
