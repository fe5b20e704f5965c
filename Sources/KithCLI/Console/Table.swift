/// Rows of cells in aligned columns.
struct Table {
  enum Alignment {
    case left, right
    /// On the left, and never shortened.
    case whole
  }

  /// The least width to which a column is shortened.
  private static let leastWidth = 8
  private static let gap = 2

  private let alignments: [Alignment]
  private var rows: [(cells: [String], isHeading: Bool)] = []

  init(_ alignments: [Alignment]) { self.alignments = alignments }

  /// A row can have fewer cells than the table has columns.
  mutating func add(_ cells: String...) { add(cells: cells) }
  mutating func add(cells: [String]) { rows.append((cells, false)) }
  /// A row of the names of columns.
  mutating func addHeading(_ cells: String...) { addHeading(cells: cells) }
  mutating func addHeading(cells: [String]) { rows.append((cells, true)) }

  /// The rows as lines, each indented, without trailing spaces.
  ///
  /// - Parameter width: the most characters of a line: the widest columns of text are shortened. Nil for any.
  func text(indentation: Int = 2, width: Int? = ByteStream.output.columnCount) -> String {
    let widths = widths(indentation, width)
    let lines = rows.map { row in
      let cells = row.cells.enumerated().map { column, cell in
        let cell = cell.shortened(to: widths[column])
        return alignments[column] == .right ? cell.paddedLeft(to: widths[column]) : cell.padded(to: widths[column])
      }
      var line = cells.joined(separator: String(repeating: " ", count: Self.gap))
      while line.last == " " { line.removeLast() }
      return String(repeating: " ", count: indentation) + (row.isHeading ? Color.bold(line) : line) + "\n"
    }
    return lines.joined()
  }

  private func widths(_ indentation: Int, _ limit: Int?) -> [Int] {
    var widths = alignments.indices.map { column in
      rows.compactMap { column < $0.cells.count ? $0.cells[column].count : nil }.max() ?? 0
    }
    guard let limit else { return widths }
    var excess = indentation + widths.reduce(0, +) + Self.gap * (widths.count - 1) - limit
    while excess > 0 {
      let texts = alignments.indices.filter { alignments[$0] == .left && widths[$0] > Self.leastWidth }
      guard let widest = texts.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }
}
