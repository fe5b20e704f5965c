/// What may be left of a text after an edit or two: clues to the names that hold it with slips.
///
/// An edit at an end of the text leaves it without a scalar there. One inside of it takes a scalar out, or puts any
/// other in: of those, only what stands between its neighbours in some name counts, as the index's trigrams tell. So a
/// text of eight letters has some dozens of variants of one edit among a million names, each of them with trigrams from
/// end to end, where the runs beside a slip are too short to narrow anything down (neighbourhoods, cut down by an
/// index: E. Myers, "A sublinear algorithm for approximate keyword searching", 1994).
///
/// With two edits, either half of the text stands as it is, or each has one edit at most.
struct SlipVariants: Sendable {
  /// By edits: a longer text has runs beside its slips that narrow more down than so many variants do.
  private static let maximumScalarCounts = [16, 5, 8]

  private let text: [UInt8]
  /// Where the scalars begin, and where the last one ends.
  private let starts: [Int]
  private let edits: Int

  /// Nil when nothing need be left of the text, or it is long.
  /// - Parameters:
  ///   - text: a key, not empty.
  ///   - edits: at most two.
  init?(_ text: [UInt8], edits: Int) {
    var starts = text.indices.filter { text[$0] & 0xC0 != 0x80 }
    guard edits <= 2, (2 * edits...Self.maximumScalarCounts[edits]).contains(starts.count) else { return nil }
    starts.append(text.count)
    self.starts = starts
    self.text = text
    self.edits = edits
  }

  private var scalars: Range<Int> { 0..<starts.count - 1 }

  /// As many parts of the text as there may be edits, and one more: one of them stands as it is.
  var parts: [NameClue] {
    (0...edits).map { number in
      let (start, end) = (number * scalars.count / (edits + 1), (number + 1) * scalars.count / (edits + 1))
      return NameClue(bytes(starts[start]..<starts[end]))
    }
  }

  /// Clues to the names of a part that hold the text with so many edits or fewer.
  func groups(in part: NameSegment.Part) -> [ClueGroup] {
    let whole = starts[0]..<starts[scalars.count]
    if edits == 0 { return [ClueGroup(clues: [NameClue(bytes(whole))])] }
    let neighbours = Neighbours(text, in: part)
    if edits == 1 { return [ClueGroup(clues: variants(of: scalars, neighbours))] }
    let middle = scalars.count / 2
    let halves = [0..<middle, middle..<scalars.count]
    return halves.map { ClueGroup(clues: [NameClue(bytes(starts[$0.lowerBound]..<starts[$0.upperBound]))]) } + [
      ClueGroup(clues: variants(of: halves[0], neighbours), besides: variants(of: halves[1], neighbours))
    ]
  }

  private func bytes(_ range: Range<Int>) -> [UInt8] { Array(text[range]) }

  private func bytes(_ left: Range<Int>, _ middle: UInt8?, _ right: Range<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(left.count + 1 + right.count)
    bytes += text[left]
    if let middle { bytes.append(middle) }
    bytes += text[right]
    return bytes
  }

  /// What some scalars of the text, at least two, may be with one edit.
  private func variants(of scalars: Range<Int>, _ neighbours: Neighbours) -> [NameClue] {
    let (first, end) = (starts[scalars.lowerBound], starts[scalars.upperBound])
    let ends = [starts[scalars.lowerBound + 1]..<end, first..<starts[scalars.upperBound - 1]]
    var clues = ends.map { NameClue(bytes($0)) }
    for scalar in scalars.dropFirst() {
      let here = starts[scalar]
      insert(between: first..<here, and: here..<end, neighbours, &clues)
      if scalar + 1 == scalars.upperBound { break }
      let next = starts[scalar + 1]
      clues.append(NameClue(bytes(first..<here, nil, next..<end)))
      insert(between: first..<here, and: next..<end, neighbours, &clues)
    }
    return clues
  }

  /// The variants with another scalar between two runs of the text.
  private func insert(
    between left: Range<Int>, and right: Range<Int>, _ neighbours: Neighbours, _ clues: inout [NameClue]
  ) {
    if !neighbours.occurs(left) || !neighbours.occurs(right) { return }
    for byte in neighbours.alphabet where neighbours.mayStand(byte, between: left, and: right) {
      if byte >= 0x80 {
        // The rest of the scalar may be anything.
        clues.append(NameClue([bytes(left) + [byte], bytes(right)]))
      } else if byte != text[left.upperBound] {
        clues.append(NameClue(bytes(left, byte, right)))
      }
    }
  }
}

/// Which scalars stand beside the letters of a text in the names of a part, as far as grams tell.
private struct Neighbours {
  private let text: [UInt8]
  private let part: NameSegment.Part
  /// The first bytes of all scalars that occur.
  let alphabet: [UInt8]
  /// The places where trigrams of the text begin that occur nowhere, a bit for each.
  private let absent: UInt64

  /// - Parameter text: at most 64 bytes.
  init(_ text: [UInt8], in part: NameSegment.Part) {
    precondition(text.count <= 64, "a bit for each byte")
    self.text = text
    self.part = part
    alphabet = (UInt8(1)...0xF4).filter { ($0 < 0x80 || $0 >= 0xC2) && part.shortGrams.entry(of: UInt32($0)) != nil }
    var absent: UInt64 = 0
    for place in text.indices.dropLast(2) where part.trigrams.entry(of: Self.gram(text[place...])) == nil {
      absent |= 1 << UInt64(place)
    }
    self.absent = absent
  }

  private static func gram(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.prefix(3).reduce(0) { $0 << 8 | UInt32($1) } }

  /// Whether all trigrams of a run of the text occur.
  func occurs(_ run: Range<Int>) -> Bool {
    if run.count < 3 { return true }
    return absent >> UInt64(run.lowerBound) & (UInt64.max >> UInt64(66 - run.count)) == 0
  }

  /// Whether a scalar that begins with `byte` may stand between two runs of the text, neither of them empty.
  @inline(__always)
  func mayStand(_ byte: UInt8, between left: Range<Int>, and right: Range<Int>) -> Bool {
    let (before, behind) = (UInt32(text[left.upperBound - 1]), UInt32(text[right.lowerBound]))
    let byte = UInt32(byte)
    if byte < 0x80 && part.trigrams.entry(of: before << 16 | byte << 8 | behind) == nil { return false }
    if left.count > 1 {
      let gram = UInt32(text[left.upperBound - 2]) << 16 | before << 8 | byte
      if part.trigrams.entry(of: gram) == nil { return false }
    } else if part.shortGrams.entry(of: before << 8 | byte) == nil {
      return false
    }
    if byte >= 0x80 || right.count == 1 { return true }
    return part.trigrams.entry(of: byte << 16 | behind << 8 | UInt32(text[right.lowerBound + 1])) != nil
  }
}
