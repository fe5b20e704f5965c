import Kith

/// Where the fields of a row are, by a header that names them in another order, or names other columns beside them.
struct ColumnOrder: Sendable {
  private static let tab = UInt8(ascii: "\t")
  private static let lineFeed = UInt8(ascii: "\n")

  /// The place in the file of each field of a row, in the order of the fields; nil for one that the header does not
  /// name, which is empty.
  private let places: [Int?]
  /// How many columns the header names.
  private let fieldCount: Int

  /// Nil if the fields of a first line name no column of a row.
  /// - Throws: if they name some, but not each that a row needs, once.
  init?(header fields: [String], of kind: RowKind) throws(MalformedRow) {
    var found: [(column: String, places: [Int])] = []
    var free = Set(fields.indices)
    for column in kind.columns {
      let names = [[RowKind.plainName(column)], kind.otherNames(of: column)]
      let places = names.lazy.map { names in
        fields.indices.filter { free.contains($0) && names.contains(RowKind.plainName(fields[$0])) }
      }.first { !$0.isEmpty }
      found.append((column, places ?? []))
      free.subtract(places ?? [])
    }
    guard found.contains(where: { !$0.places.isEmpty }) else { return nil }
    for (column, places) in found where places.count > 1 {
      let names = places.map { "\"\(fields[$0].shortened(to: 40))\"" }.joined(separator: " and ")
      throw MalformedRow("in the header, \(names) can all be \(column)")
    }
    if let missing = found.prefix(kind.fieldCounts.lowerBound).first(where: { $0.places.isEmpty }) {
      throw MalformedRow("the header names no column \(missing.column)")
    }
    let last = found.lastIndex { !$0.places.isEmpty } ?? -1
    places = found.prefix(last + 1).map(\.places.first)
    fieldCount = fields.count
  }

  /// Whole lines with the fields of a row alone, in their order, up to one that has not as many fields as the header,
  /// and what is wrong with that one.
  func arranged(_ lines: ArraySlice<UInt8>) -> (bytes: [UInt8], badRow: String?) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(lines.count)
    var fields: [Range<Int>] = []
    var (start, index) = (lines.startIndex, lines.startIndex)
    while index < lines.endIndex {
      let byte = lines[index]
      if byte == Self.tab || byte == Self.lineFeed {
        fields.append(start..<index)
        start = index + 1
      }
      if byte == Self.lineFeed {
        let isEmpty = fields.count == 1 && fields[0].isEmpty
        guard isEmpty || fields.count == fieldCount else {
          return (bytes, "\(counted(fields.count, "field")); the header names \(fieldCount)")
        }
        for (order, place) in places.enumerated() where !isEmpty {
          if order > 0 { bytes.append(Self.tab) }
          if let place { bytes.append(contentsOf: lines[fields[place]]) }
        }
        bytes.append(Self.lineFeed)
        fields.removeAll(keepingCapacity: true)
      }
      index += 1
    }
    return (bytes, nil)
  }
}
