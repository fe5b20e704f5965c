/// The word that a mistyped one probably means: the nearest within two edits (swapped neighbours are one), or the only
/// one that it is a prefix of; nil if there is none.
func nearestWord(to word: String, among words: [String]) -> String? {
  let near = words.map { (word: $0, distance: editDistance(Array(word.utf8), Array($0.utf8))) }
    .filter { $0.distance <= min(2, $0.word.utf8.count / 2) }
  if let nearest = near.min(by: { $0.distance < $1.distance }) { return nearest.word }
  // A prefix needs the dashes of an option and a letter, or three letters.
  let begun = words.filter { $0.hasPrefix(word) && word.utf8.count >= 3 }
  return begun.count == 1 ? begun[0] : nil
}

/// Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours.
///
/// - Complexity: O(n·m) time.
private func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...right.count)
  for (row, byte) in left.enumerated() {
    var line = [row + 1]
    for (column, other) in right.enumerated() {
      var best = min(last[column] + (byte == other ? 0 : 1), last[column + 1] + 1, line[column] + 1)
      if row > 0, column > 0, byte == right[column - 1], other == left[row - 1] {
        best = min(best, beforeLast[column - 1] + 1)
      }
      line.append(best)
    }
    beforeLast = last
    last = line
  }
  return last[right.count]
}
