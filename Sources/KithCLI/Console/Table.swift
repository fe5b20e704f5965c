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
  /// Columns that are left out, in this order, before others are shortened.
  private let dispensable: [Int]
  private var rows: [(cells: [String], isHeading: Bool)] = []

  init(_ alignments: [Alignment], dispensable: [Int] = []) {
    self.alignments = alignments
    self.dispensable = dispensable
  }

  /// A row can have fewer cells than the table has columns.
  mutating func add(_ cells: String...) { add(cells: cells) }
  mutating func add(cells: [String]) { rows.append((cells, false)) }
  /// A row of the names of columns.
  mutating func addHeading(_ cells: String...) { addHeading(cells: cells) }
  mutating func addHeading(cells: [String]) { rows.append((cells, true)) }

  /// The rows as lines, each indented, without trailing spaces.
  ///
  /// - Parameter width: the most characters of a line: columns that can be dispensed with are left out, then the widest
  ///   columns of text are shortened. Nil for any.
  func text(indentation: Int = 2, width: Int? = ByteStream.output.columnCount) -> String {
    let shown = shownColumns(indentation, width)
    let widths = widths(indentation, width, shown)
    let lines = rows.map { row in
      let cells = shown.filter { $0 < row.cells.count }.map { column in
        let cell = row.cells[column].shortened(to: widths[column])
        return alignments[column] == .right ? cell.paddedLeft(to: widths[column]) : cell.padded(to: widths[column])
      }
      var line = cells.joined(separator: String(repeating: " ", count: Self.gap))
      while line.last == " " { line.removeLast() }
      return String(repeating: " ", count: indentation) + (row.isHeading ? Color.bold(line) : line) + "\n"
    }
    return lines.joined()
  }

  /// The characters of the widest line.
  var fullWidth: Int { lineWidth(2, fullWidths, Array(alignments.indices)) }

  private var fullWidths: [Int] {
    alignments.indices.map { column in
      rows.compactMap { column < $0.cells.count ? $0.cells[column].count : nil }.max() ?? 0
    }
  }

  private func lineWidth(_ indentation: Int, _ widths: [Int], _ shown: [Int]) -> Int {
    indentation + shown.reduce(0) { $0 + widths[$1] } + Self.gap * (shown.count - 1)
  }

  private func shownColumns(_ indentation: Int, _ limit: Int?) -> [Int] {
    var shown = Array(alignments.indices)
    guard let limit else { return shown }
    let widths = fullWidths
    for column in dispensable where lineWidth(indentation, widths, shown) > limit {
      shown.removeAll { $0 == column }
    }
    return shown
  }

  private func widths(_ indentation: Int, _ limit: Int?, _ shown: [Int]) -> [Int] {
    var widths = fullWidths
    guard let limit else { return widths }
    var excess = lineWidth(indentation, widths, shown) - limit
    while excess > 0 {
      let texts = shown.filter { alignments[$0] == .left && widths[$0] > Self.leastWidth }
      guard let widest = texts.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }
}
