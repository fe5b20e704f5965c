/// A prefilter: runs of bytes that the loose key of a match contains. The index finds them before a name is tested as a
/// whole.
struct NamePrefilter: Hashable, Sendable {
  /// The longest of the runs; not empty.
  let text: [UInt8]
  /// The trigrams of all runs; a run of fewer than three bytes is a gram itself.
  let grams: [UInt32]

  /// - Parameter text: the only run; not empty.
  init(_ text: [UInt8]) {
    precondition(!text.isEmpty, "a prefilter looks for something")
    self.text = text
    grams = Grams.ofQuery(text.span)
  }

  /// - Parameter runs: none is empty; at least one.
  init(_ runs: [[UInt8]]) {
    text = runs.reduce([]) { $1.count > $0.count ? $1 : $0 }
    precondition(!text.isEmpty, "a prefilter looks for something")
    var grams: [UInt32] = []
    for run in runs {
      let own = Grams.ofQuery(run.span)
      grams = grams.isEmpty ? own : grams + own.filter { !grams.contains($0) }
    }
    self.grams = grams
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
  /// neighbours in different parts changes both; `ofSwaps` covers it.
  /// - Parameters:
  ///   - text: a key, not empty.
  ///   - edits: at most two.
  ///   - partCount: more than `edits`.
  static func ofText(_ text: [UInt8], edits: Int, partCount: Int = maximumPartCount) -> [NamePrefilter] {
    let starts = text.indices.filter { text[$0] & 0xC0 != 0x80 } + [text.count]
    let scalarCount = starts.count - 1
    let count = min(scalarCount, partCount)
    // The bounds of the parts in scalars; the parts have about equal lengths.
    let bounds = (0...count).map { $0 * scalarCount / count }
    var choices: [[Range<Int>]] = []
    func choose(_ spoilt: [Int]) {
      if spoilt.count == edits {
        let runs = zip([-1] + spoilt, spoilt + [count]).map { starts[bounds[$0 + 1]]..<starts[bounds[$1]] }
        choices.append(runs.filter { !$0.isEmpty })
        return
      }
      for part in (spoilt.last.map { $0 + 1 } ?? 0)..<count { choose(spoilt + [part]) }
    }
    choose([])
    var chosen: [[Range<Int>]] = []
    for runs in choices.map(selective).sorted(by: { longest($0) < longest($1) }) {
      let isKnown = chosen.contains { $0.allSatisfy { run in runs.contains { $0.contains(run) } } }
      if !isKnown { chosen.append(runs) }
    }
    var prefilters = chosen.map { NamePrefilter($0.map { Array(text[$0]) }) }
    for prefilter in ofSwaps(text, at: bounds[1..<count], edits: edits) where !prefilters.contains(prefilter) {
      prefilters.append(prefilter)
    }
    return prefilters
  }

  /// The prefilters of `text` with a swap across one of some part bounds: every key that contains the text with that
  /// swap and at most so many edits in all contains one of them.
  ///
  /// Without another edit, the key contains the text with the swap applied. With another edit in one half of the text,
  /// it contains the other half. If the other edit swaps the scalars between the halves, it contains the text with both
  /// swaps.
  private static func ofSwaps(_ text: [UInt8], at bounds: ArraySlice<Int>, edits: Int) -> [NamePrefilter] {
    precondition(edits <= 2, "the prefilters to names with swaps are known for two edits at most")
    if edits == 0 { return [] }
    let scalars = scalars(of: text)
    let middle = scalars.count / 2
    var prefilters: [NamePrefilter] = []
    for bound in bounds {
      var swapped = scalars
      swapped.swapAt(bound - 1, bound)
      if edits == 1 {
        prefilters.append(NamePrefilter(utf8(swapped[...])))
        continue
      }
      prefilters += [swapped[..<middle], swapped[middle...]].map { NamePrefilter(utf8($0)) }
      // No scalar is edited twice.
      if abs(bound - middle) < 2 { continue }
      swapped.swapAt(middle - 1, middle)
      prefilters.append(NamePrefilter(utf8(swapped[...])))
    }
    return prefilters
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

  private static func utf8(_ scalars: ArraySlice<UInt32>) -> [UInt8] {
    var bytes: [UInt8] = []
    for scalar in scalars { bytes.append(scalar: scalar) }
    return bytes
  }

  /// The runs that are selective. A single byte occurs nearly everywhere, so longer runs are preferred.
  private static func selective(_ runs: [Range<Int>]) -> [Range<Int>] {
    let long = runs.filter { $0.count > 1 }
    return long.isEmpty ? runs : long
  }

  private static func longest(_ runs: [Range<Int>]) -> Int { runs.reduce(0) { max($0, $1.count) } }
}

/// Alternative prefilters: the key of every match contains one of them.
struct PrefilterGroup {
  let prefilters: [NamePrefilter]
  /// If not empty, the block of a match also contains one of these. They are tested per block only.
  var besides: [NamePrefilter] = []
}
