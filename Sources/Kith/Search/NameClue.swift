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
}

/// Clues one of which stands in the key of every name that a part of an answer is made of.
struct ClueGroup {
  let clues: [NameClue]
  /// If there are any, one of these stands there, too: the block of a name must have one, and no more is made of it.
  var besides: [NameClue] = []
}
