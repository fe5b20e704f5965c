/// The deletion neighbourhood of a text: the variants of it that a name with one or two edits must contain. They are
/// prefilters for fuzzy search.
///
/// An edit at an end of the text leaves the text without its first or last scalar. An edit inside deletes a scalar,
/// swaps two, or puts another scalar in. Of the insertions, only those count whose trigrams with the neighbouring
/// scalars occur in the index. A text of eight letters thus has some dozens of variants with one edit among a million
/// names. Each variant yields trigrams over its whole length; the unedited runs beside an edit alone are too short to
/// be selective. See E. Myers, "A sublinear algorithm for approximate keyword searching", 1994 (neighbourhoods, cut
/// down by an index).
///
/// With two edits, there are three cases. One half of the text is unedited. Or each half has at most one edit. Or one
/// edit swaps the two scalars at the boundary of the halves; then one half occurs with that swap applied.
struct DeletionNeighborhood: Sendable {
  /// The longest text in scalars, by number of edits. A longer text has unedited runs that are more selective than its
  /// many variants.
  private static let maximumScalarCounts = [16, 5, 16]
  /// The longest text with two edits whose unedited runs are never as selective.
  private static let shortScalarCount = 8

  private let text: [UInt8]
  /// The byte offsets of the scalars, then the end of the last one.
  private let starts: [Int]
  private let edits: Int

  /// Nil if the text is too short to leave a selective part after the edits, or too long.
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

  /// Whether the text has unedited runs that may be more selective than its many variants: that depends on the names.
  var isOfLongText: Bool { edits == 2 && scalars.count > Self.shortScalarCount }

  /// The prefilters of a part for names that contain the text with at most this many edits. The variants, with at most
  /// one edit, of at least two scalars of the text.
  func prefilters(for part: NameSegment.Part) -> NamePrefilters {
    var prefilters = NamePrefilters()
    if edits == 0 {
      add([scalars], &prefilters)
      prefilters.group(from: 0)
      return prefilters
    }
    let neighbours = Neighbours(text, in: part)
    if edits == 1 {
      addVariants(of: scalars, neighbours, &prefilters)
      prefilters.group(from: 0)
      return prefilters
    }
    let (middle, end) = (scalars.count / 2, scalars.count)
    let halves = [0..<middle, middle..<end]
    let swapped = [[0..<middle - 1, middle..<middle + 1], [middle - 1..<middle, middle + 1..<end]]
    for runs in halves.map({ [$0] }) + swapped {
      add(runs, &prefilters)
      prefilters.group(from: prefilters.count - 1)
    }
    let first = prefilters.count
    addVariants(of: halves[1], neighbours, &prefilters)
    let besides = first..<prefilters.count
    addVariants(of: halves[0], neighbours, &prefilters)
    prefilters.group(from: besides.upperBound, besides: besides)
    return prefilters
  }

  /// Adds some runs of scalars as one.
  private func add(_ runs: [Range<Int>], _ prefilters: inout NamePrefilters) {
    prefilters.add { bytes in
      for run in runs { bytes += text[starts[run.lowerBound]..<starts[run.upperBound]] }
    }
  }

  /// Adds what some scalars of the text, at least two, may be with one edit.
  private func addVariants(of scalars: Range<Int>, _ neighbours: Neighbours, _ prefilters: inout NamePrefilters) {
    let (first, end) = (scalars.lowerBound, scalars.upperBound)
    add([first + 1..<end], &prefilters)
    add([first..<end - 1], &prefilters)
    for scalar in first + 1..<end {
      insert(between: first..<scalar, and: scalar..<end, neighbours, &prefilters)
      add([first..<scalar - 1, scalar..<scalar + 1, scalar - 1..<scalar, scalar + 1..<end], &prefilters)
      if scalar + 1 == end { break }
      add([first..<scalar, scalar + 1..<end], &prefilters)
      insert(between: first..<scalar, and: scalar + 1..<end, neighbours, &prefilters)
    }
  }

  /// Adds the variants with another scalar between two runs of scalars.
  private func insert(
    between left: Range<Int>, and right: Range<Int>, _ neighbours: Neighbours, _ prefilters: inout NamePrefilters
  ) {
    let left = starts[left.lowerBound]..<starts[left.upperBound]
    let right = starts[right.lowerBound]..<starts[right.upperBound]
    if !neighbours.occurs(left) || !neighbours.occurs(right) { return }
    for byte in neighbours.alphabet where neighbours.mayOccur(byte, between: left, and: right) {
      if byte >= 0x80 {
        // The other bytes of the scalar may have any value.
        prefilters.add(runs: [text[left] + [byte], text[right]])
      } else if byte != text[left.upperBound] {
        prefilters.add { bytes in
          bytes += text[left]
          bytes.append(byte)
          bytes += text[right]
        }
      }
    }
  }
}

/// The scalars that occur next to the letters of a text in the names of a part, according to its grams.
private struct Neighbours {
  private let text: [UInt8]
  private let part: NameSegment.Part
  /// The first bytes of all scalars that occur.
  let alphabet: [UInt8]
  /// The start offsets of the text's trigrams that occur nowhere, one bit each.
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

  /// Whether a scalar that begins with `byte` may occur between two nonempty runs of the text.
  @inline(__always)
  func mayOccur(_ byte: UInt8, between left: Range<Int>, and right: Range<Int>) -> Bool {
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
