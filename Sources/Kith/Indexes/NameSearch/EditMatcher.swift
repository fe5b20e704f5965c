/// A Levenshtein matcher: the fewest edits between a text and any run of a name's scalars. An edit inserts, deletes or
/// replaces one scalar, or swaps two neighbours. No scalar is edited twice (optimal string alignment).
///
/// One column of the edit distance table is held as differences in two words, one bit per scalar of the text. Each
/// scalar of the name advances the column with about twenty operations (Myers 1999; with swaps, Hyyrö 2003). A text of
/// more than 64 scalars uses the plain table, a column at a time. Such a text has long pieces to prefilter by, so few
/// names are tested.
struct EditMatcher: Sendable {
  private static let wordSize = 64

  /// The scalars of the text; not empty.
  private let scalars: [UInt32]
  /// For each ASCII scalar, its positions in the text: bit n for position n.
  private let places: [UInt64]
  /// The positions of the text's other scalars.
  private let otherPlaces: [(scalar: UInt32, places: UInt64)]
  /// Bit b & 63 for each ASCII scalar b of the text.
  private let letters: UInt64

  /// - Parameter text: a folded key in valid UTF-8, not empty.
  init(_ text: Span<UInt8>) {
    precondition(!text.isEmpty, "edits of nothing are asked for")
    var scalars: [UInt32] = []
    var places = [UInt64](repeating: 0, count: 128)
    var otherPlaces: [(scalar: UInt32, places: UInt64)] = []
    var letters: UInt64 = 0
    var position = 0
    while position < text.count {
      let (scalar, byteCount) = text.decodedScalar(at: position)
      if scalar < 128 { letters |= 1 << UInt64(scalar & 63) }
      let bit: UInt64 = scalars.count < Self.wordSize ? 1 << UInt64(scalars.count) : 0
      if scalar < 128 {
        places[Int(scalar)] |= bit
      } else if let known = otherPlaces.firstIndex(where: { $0.scalar == scalar }) {
        otherPlaces[known].places |= bit
      } else {
        otherPlaces.append((scalar, bit))
      }
      scalars.append(scalar)
      position += byteCount
    }
    (self.scalars, self.places, self.otherPlaces) = (scalars, places, otherPlaces)
    self.letters = letters
  }

  /// The same up to a bound: where there are more edits, any number above `most`.
  func edits(in key: Span<UInt8>, atMost most: Int) -> Int {
    if scalars.count <= Self.wordSize,
      let edits = EditKernel.edits(of: places, count: scalars.count, letters: letters, in: key, atMost: most)
    {
      return edits
    }
    return self.edits(in: key)
  }

  /// The fewest edits that turn the text into a run of scalars of `key`. At most the length of the text, all deleted.
  /// - Complexity: O(bytes of the key), times the text's scalars where it has more than 64.
  func edits(in key: Span<UInt8>) -> Int {
    if scalars.count > Self.wordSize { return editsByTable(in: key) }
    let last: UInt64 = 1 << UInt64(scalars.count - 1)
    // The cells of the column that are one more, or one less, than the cell above them.
    var (more, less) = (~UInt64(0), UInt64(0))
    // The cells that equal the cell diagonally above them; and the positions in the text of the name's previous scalar.
    var (diagonal, before) = (~UInt64(0), UInt64(0))
    var edits = scalars.count
    var fewest = edits
    var position = 0
    while position < key.count {
      var here: UInt64
      if key[position] < 0x80 {
        here = places[Int(key[position])]
        position += 1
      } else {
        let (scalar, byteCount) = key.decodedScalar(at: position)
        here = 0
        for other in otherPlaces where other.scalar == scalar { here = other.places }
        position += byteCount
      }
      let swapped = (~diagonal & here) << 1 & before
      diagonal = (((here & more) &+ more) ^ more) | here | less | swapped
      before = here
      var rises = less | ~(diagonal | more)
      var falls = more & diagonal
      if rises & last != 0 { edits += 1 }
      if falls & last != 0 {
        edits -= 1
        fewest = min(fewest, edits)
        if fewest == 0 { return 0 }
      }
      // A match may begin anywhere: the row above the text is all zeros.
      rises <<= 1
      falls <<= 1
      more = falls | ~(diagonal | rises)
      less = rises & diagonal
    }
    return fewest
  }

  private func editsByTable(in key: Span<UInt8>) -> Int {
    var column = Array(0...scalars.count)
    // The two previous columns.
    var (last, beforeLast) = (column, column)
    var lastScalar: UInt32?
    var fewest = scalars.count
    var position = 0
    while position < key.count {
      let (scalar, byteCount) = key.decodedScalar(at: position)
      position += byteCount
      (beforeLast, last, column) = (last, column, beforeLast)
      for index in scalars.indices {
        var edits = min(last[index] + (scalars[index] == scalar ? 0 : 1), last[index + 1] + 1, column[index] + 1)
        if index > 0, scalars[index - 1] == scalar, scalars[index] == lastScalar {
          edits = min(edits, beforeLast[index - 1] + 1)
        }
        column[index + 1] = edits
      }
      lastScalar = scalar
      fewest = min(fewest, column[scalars.count])
    }
    return fewest
  }
}
