/// How far a text is from standing in a name: the fewest edits between it and any run of the name's scalars. An edit
/// inserts, deletes or replaces one scalar.
///
/// One column of the table of edit distances is held as differences in two words, a bit for each scalar of the text; a
/// scalar of the name turns it into the next with a dozen operations (Myers 1999, as put by Hyyrö 2003). A text of
/// more than 64 scalars takes the plain table, a column at a time: it has long pieces, so few names come to it.
struct SlipMatcher: Sendable {
  private static let wordSize = 64

  /// Of the text; not empty.
  private let scalars: [UInt32]
  /// For each ASCII scalar, where it stands in the text: bit n for place n.
  private let places: [UInt64]
  /// The same of the text's other scalars.
  private let otherPlaces: [(scalar: UInt32, places: UInt64)]

  /// - Parameter text: valid UTF-8, not empty: a key as the names' are.
  init(_ text: Span<UInt8>) {
    precondition(!text.isEmpty, "edits of nothing are asked for")
    var scalars: [UInt32] = []
    var places = [UInt64](repeating: 0, count: 128)
    var otherPlaces: [(scalar: UInt32, places: UInt64)] = []
    var position = 0
    while position < text.count {
      let (scalar, byteCount) = text.decodedScalar(at: position)
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
  }

  /// The fewest edits that make the text a run of scalars of `key`; at most the length of the text, by deletions.
  /// - Complexity: O(bytes of the key), times the text's scalars where it has more than 64.
  func edits(in key: Span<UInt8>) -> Int {
    if scalars.count > Self.wordSize { return editsByTable(in: key) }
    let last: UInt64 = 1 << UInt64(scalars.count - 1)
    // Where a cell of the column is one more, or one less, than the cell above it.
    var (more, less) = (~UInt64(0), UInt64(0))
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
      let diagonal = (((here & more) &+ more) ^ more) | here
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
      here |= less
      more = falls | ~(here | rises)
      less = rises & here
    }
    return fewest
  }

  private func editsByTable(in key: Span<UInt8>) -> Int {
    var column = Array(0...scalars.count)
    var fewest = scalars.count
    var position = 0
    while position < key.count {
      let (scalar, byteCount) = key.decodedScalar(at: position)
      position += byteCount
      var diagonal = 0
      for index in scalars.indices {
        let left = column[index + 1]
        column[index + 1] = min(diagonal + (scalars[index] == scalar ? 0 : 1), left + 1, column[index] + 1)
        diagonal = left
      }
      fewest = min(fewest, column[scalars.count])
    }
    return fewest
  }
}
