/// A two-stage table with a value for every Unicode scalar, in one array: blocks of 128 scalars, where all empty blocks
/// are shared.
struct ScalarTrie: Sendable {
  private static let blockSize = 128
  private static let blockCount = 0x110000 / blockSize

  /// First the index of every block, then the blocks. The first block is all zeros and never written.
  private var cells: [UInt32]

  init() {
    cells = Array(repeating: UInt32(Self.blockCount), count: Self.blockCount)
    cells.append(contentsOf: repeatElement(0, count: Self.blockSize))
  }

  /// The value of `scalar`; 0 if none was set.
  subscript(scalar: UInt32) -> UInt32 {
    @inline(__always) get {
      cells[Int(truncatingIfNeeded: cells[Int(scalar >> 7)] &+ (scalar & 127))]
    }
    set {
      let block = Int(scalar >> 7)
      if cells[block] == UInt32(Self.blockCount) {
        cells[block] = UInt32(cells.count)
        cells.append(contentsOf: repeatElement(0, count: Self.blockSize))
      }
      cells[Int(cells[block] + (scalar & 127))] = newValue
    }
  }

  /// All scalars in the blocks with a nonzero value, ascending.
  func forEachScalarNearby(_ body: (UInt32) -> Void) {
    for block in 0..<Self.blockCount where cells[block] != UInt32(Self.blockCount) {
      for scalar in block * Self.blockSize..<(block + 1) * Self.blockSize {
        body(UInt32(scalar))
      }
    }
  }
}

/// The Unicode properties that define normal forms and folds, unpacked from `UnicodeTables` at first use.
final class UnicodeData: Sendable {
  static let shared = UnicodeData()

  /// The properties of a scalar. The low byte is its canonical combining class.
  struct Properties: OptionSet, Sendable {
    let rawValue: UInt32

    static let decomposesCanonically = Properties(rawValue: 1 << 8)
    static let decomposesCompatibly = Properties(rawValue: 1 << 9)
    static let folds = Properties(rawValue: 1 << 10)
    /// Left out of loose keys: default-ignorable, or a mark that people leave out.
    static let isDropped = Properties(rawValue: 1 << 11)
    /// May be the second scalar of a composing pair.
    static let composesBackward = Properties(rawValue: 1 << 12)

    var combiningClass: UInt32 { rawValue & 0xFF }
  }

  let canonicalDecompositions: ScalarMappings
  let compatibilityDecompositions: ScalarMappings
  let caseFolds: ScalarMappings

  /// Scalars in the blocks of 128 in which at least one has a property.
  let properties: ScalarTrie

  /// Pairs, ascending, with their composites at the same indices.
  private let composingPairs: [UInt64]
  private let composites: [UInt32]

  private init() {
    canonicalDecompositions = ScalarMappings(UnicodeTables.canonicalDecompositions)
    compatibilityDecompositions = ScalarMappings(UnicodeTables.compatibilityDecompositions)
    caseFolds = ScalarMappings(UnicodeTables.caseFolds)

    var excluded = ScalarTrie()
    Self.forEachRun(UnicodeTables.compositionExclusions) { scalar, value in excluded[scalar] = value }
    var pairs: [(pair: UInt64, composite: UInt32)] = []
    for row in canonicalDecompositions.keys.indices {
      let composite = canonicalDecompositions.keys[row]
      let parts = canonicalDecompositions.targets(row: row)
      if parts.count == 2, excluded[composite] == 0 {
        pairs.append((Self.pair(parts[parts.startIndex], parts[parts.startIndex + 1]), composite))
      }
    }
    pairs.sort { $0.pair < $1.pair }
    composingPairs = pairs.map(\.pair)
    composites = pairs.map(\.composite)

    var known = ScalarTrie()
    for key in canonicalDecompositions.keys { known.insert(.decomposesCanonically, for: key) }
    for key in compatibilityDecompositions.keys { known.insert(.decomposesCompatibly, for: key) }
    for key in caseFolds.keys { known.insert(.folds, for: key) }
    for pair in composingPairs { known.insert(.composesBackward, for: UInt32(truncatingIfNeeded: pair)) }
    for jamo in Hangul.vowels { known.insert(.composesBackward, for: jamo) }
    for jamo in Hangul.trailingConsonants { known.insert(.composesBackward, for: jamo) }
    Self.forEachRun(UnicodeTables.dropped) { scalar, _ in known.insert(.isDropped, for: scalar) }
    Self.forEachRun(UnicodeTables.combiningClasses) { scalar, value in
      known.insert(Properties(rawValue: value), for: scalar)
    }
    properties = known
  }

  subscript(scalar: UInt32) -> Properties {
    @inline(__always) get { Properties(rawValue: properties[scalar]) }
  }

  /// The scalar that `first` and `second` compose to in NFC.
  func composite(_ first: UInt32, _ second: UInt32) -> UInt32? {
    guard self[second].contains(.composesBackward) else { return nil }
    if let syllable = Hangul.composed(first, second) { return syllable }
    return composingPairs.place(of: Self.pair(first, second)).map { composites[$0] }
  }

  private static func pair(_ first: UInt32, _ second: UInt32) -> UInt64 {
    UInt64(first) << 32 | UInt64(second)
  }

  private static func forEachRun(_ table: String, _ body: (_ scalar: UInt32, _ value: UInt32) -> Void) {
    var reader = UnicodeTableReader(table)
    var end: UInt32 = 0
    while let distance = reader.next(), let count = reader.next(), let value = reader.next() {
      let first = end + distance
      end = first + count
      for scalar in first..<end { body(scalar, value) }
    }
  }
}

extension ScalarTrie {
  fileprivate mutating func insert(_ property: UnicodeData.Properties, for scalar: UInt32) {
    self[scalar] |= property.rawValue
  }
}

/// A map from scalars to their replacements.
struct ScalarMappings: Sendable {
  /// The mapped scalars, ascending.
  private(set) var keys: [UInt32] = []
  /// The start of each row's targets, and the end of the last one.
  private var starts: [Int] = [0]
  private var allTargets: [UInt32] = []

  fileprivate init(_ table: String) {
    var reader = UnicodeTableReader(table)
    var key: UInt32 = 0
    var last = [UInt32](repeating: 0, count: 32)
    while let distance = reader.next(), let count = reader.next() {
      key += distance
      for place in 0..<Int(count) {
        last[place] &+= reader.nextDifference()
        allTargets.append(last[place])
      }
      keys.append(key)
      starts.append(allTargets.count)
    }
  }

  func targets(row: Int) -> ArraySlice<UInt32> {
    allTargets[starts[row]..<starts[row + 1]]
  }

  /// The replacement of `scalar`; empty if it has none.
  func targets(of scalar: UInt32) -> ArraySlice<UInt32> {
    keys.place(of: scalar).map { targets(row: $0) } ?? []
  }
}

/// Reads the numbers of a packed table. Scripts/generate-unicode-tables.py documents the encoding.
private struct UnicodeTableReader {
  private var bytes: String.UTF8View.Iterator

  init(_ table: String) {
    bytes = table.utf8.makeIterator()
  }

  mutating func next() -> UInt32? {
    var value: UInt32 = 0
    var shift: UInt32 = 0
    while let byte = bytes.next() {
      guard byte >= 0x30 else { continue }  // the end of a line
      let digit = UInt32(byte - 0x30)
      value |= (digit & 31) << shift
      if digit < 32 { return value }
      shift += 5
    }
    return nil
  }

  mutating func nextDifference() -> UInt32 {
    let zigzag = next() ?? 0
    return zigzag >> 1 ^ (0 &- (zigzag & 1))
  }
}

extension Array where Element: Comparable {
  /// The index of `element` in this ascending array; nil if absent.
  fileprivate func place(of element: Element) -> Int? {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low < count && self[low] == element ? low : nil
  }
}
