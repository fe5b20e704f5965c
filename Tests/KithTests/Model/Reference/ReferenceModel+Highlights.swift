@testable import Kith

// MARK: - Highlighted ranges

extension ReferenceModel {
  /// The bytes of a name that a query matches, by the rule alone: cut the name into letters with their marks,
  /// concatenate their keys, and search the query's key from left to right.
  static func ranges(of text: String, _ search: UserQuery, in name: String) -> [Range<Int>] {
    if search.match == .regex { return [] }
    let isAnywhere = search.match == .substring || search.match == .fuzzy
    let fold: (String) -> [UInt8] = search.fold == .loose ? { Folding.loose($0) } : { Folding.strict($0) }
    let wanted = fold(text)
    if wanted.isEmpty { return [] }
    // By byte of the key: the letter it came from.
    var key: [(byte: UInt8, letter: Range<Int>)] = []
    var start = 0
    for letter in letters(of: name, fold) {
      key += fold(letter).map { ($0, start..<start + letter.utf8.count) }
      start += letter.utf8.count
    }
    var lit = Set<Range<Int>>()
    var ranges: [Range<Int>] = []
    var place = 0
    while place + wanted.count <= key.count {
      let hit = key[place..<place + wanted.count]
      guard hit.map(\.byte) == wanted else {
        if !isAnywhere { break }
        place += 1
        continue
      }
      let range = hit[place].letter.lowerBound..<hit[place + wanted.count - 1].letter.upperBound
      if lit.contains(hit[place].letter), let last = ranges.popLast() {
        ranges.append(last.lowerBound..<max(last.upperBound, range.upperBound))
      } else {
        ranges.append(range)
      }
      lit.formUnion(hit.map(\.letter))
      if !isAnywhere { break }
      place += wanted.count
    }
    return ranges
  }

  /// The letters of Unicode whose compatibility decomposition begins with a mark: the halfwidth voicing marks of kana,
  /// and three Tibetan vowels.
  private static let marksInKeys: Set<Unicode.Scalar> = ["\u{FF9E}", "\u{FF9F}", "\u{F73}", "\u{F75}", "\u{F81}"]

  /// Scalars with the marks that follow them, cut only where the keys of the parts make the key of all that was read.
  private static func letters(of name: String, _ fold: (String) -> [UInt8]) -> [String] {
    var (letters, read): ([String], String) = ([], "")
    for scalar in name.unicodeScalars {
      read.unicodeScalars.append(scalar)
      letters.append(String(scalar))
      let isMark = scalar.properties.canonicalCombiningClass != .notReordered || marksInKeys.contains(scalar)
      var mustJoin = isMark
      while letters.count > 1, mustJoin || letters.flatMap(fold) != fold(read) {
        let last = letters.removeLast()
        letters[letters.count - 1] += last
        mustJoin = false
      }
    }
    return letters
  }
}
