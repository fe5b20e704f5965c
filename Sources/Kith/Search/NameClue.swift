/// What the index can look for before a name is looked at as a whole: runs of bytes that stand in its loose key.
struct NameClue: Hashable, Sendable {
  /// The longest of the runs; not empty.
  let text: [UInt8]
  /// Of all runs: those of three bytes, and of runs that are shorter, the run itself.
  let grams: [UInt32]

  /// - Parameter text: the only run; not empty.
  init(_ text: [UInt8]) {
    precondition(!text.isEmpty, "a clue looks for something")
    self.text = text
    grams = Grams.ofQuery(text.span)
  }

  /// - Parameter runs: none is empty; at least one.
  init(_ runs: [[UInt8]]) {
    text = runs.reduce([]) { $1.count > $0.count ? $1 : $0 }
    precondition(!text.isEmpty, "a clue looks for something")
    var grams: [UInt32] = []
    for run in runs {
      let own = Grams.ofQuery(run.span)
      grams = grams.isEmpty ? own : grams + own.filter { !grams.contains($0) }
    }
    self.grams = grams
  }

  // MARK: - Of a text with slips

  /// Into so many parts a text is cut at most: each choice of parts that hold a slip is a way to be looked for.
  private static let maximumPartCount = 8

  /// Clues one of which stands in every key that holds `text` with at most so many edits.
  ///
  /// Of the parts of a text, each edit spoils one, or none when it lies between two; what is left stands in the key as
  /// it is (the pigeonhole idea of Wu and Manber, 1992, for every choice of holes). So each choice of spoilt parts is a
  /// clue: the runs between them. A choice that holds all runs of another one needs no clue of its own; the
  /// weakest come first, so that few are left: of eight letters and two edits, nine of 28.
  /// - Parameter text: a key, not empty.
  static func ofText(_ text: [UInt8], edits: Int) -> [NameClue] {
    let bounds = partBounds(text)
    let count = bounds.count - 1
    var choices: [[Range<Int>]] = []
    func choose(_ spoilt: [Int]) {
      if spoilt.count == edits {
        let runs = zip([-1] + spoilt, spoilt + [count]).map { bounds[$0 + 1]..<bounds[$1] }
        choices.append(runs.filter { !$0.isEmpty })
        return
      }
      for part in (spoilt.last.map { $0 + 1 } ?? 0)..<count { choose(spoilt + [part]) }
    }
    choose([])
    var chosen: [[Range<Int>]] = []
    for runs in choices.map(telling).sorted(by: { longest($0) < longest($1) }) {
      let isKnown = chosen.contains { $0.allSatisfy { run in runs.contains { $0.contains(run) } } }
      if !isKnown { chosen.append(runs) }
    }
    return chosen.map { NameClue($0.map { Array(text[$0]) }) }
  }

  /// Where the parts of a text begin, by byte, and where the last one ends: of about as many scalars each.
  private static func partBounds(_ text: [UInt8]) -> [Int] {
    let starts = text.indices.filter { text[$0] & 0xC0 != 0x80 }
    let count = min(starts.count, maximumPartCount)
    return (0..<count).map { starts[$0 * starts.count / count] } + [text.count]
  }

  /// The runs that are worth a look: a single byte stands nearly everywhere.
  private static func telling(_ runs: [Range<Int>]) -> [Range<Int>] {
    let long = runs.filter { $0.count > 1 }
    return long.isEmpty ? runs : long
  }

  private static func longest(_ runs: [Range<Int>]) -> Int { runs.reduce(0) { max($0, $1.count) } }
}

/// Clues one of which stands in the key of every name that a part of an answer is made of.
struct ClueGroup {
  let clues: [NameClue]
  /// If there are any, one of these stands there, too: the block of a name must have one, and no more is made of it.
  var besides: [NameClue] = []
}
