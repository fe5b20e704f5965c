/// Rows of cells in aligned columns.
struct Table {
  enum Alignment { case left, right }

  private let alignments: [Alignment]
  private var rows: [[String]] = []

  init(_ alignments: [Alignment]) { self.alignments = alignments }

  /// A row may be shorter than the table is wide.
  mutating func add(_ cells: String...) { rows.append(cells) }
  mutating func add(cells: [String]) { rows.append(cells) }

  /// The rows as lines, each indented, without spaces at their ends.
  func text(indentation: Int = 2) -> String {
    let widths = alignments.indices.map { column in
      rows.compactMap { column < $0.count ? $0[column].count : nil }.max() ?? 0
    }
    let lines = rows.map { row in
      let cells = row.enumerated().map { column, cell in
        alignments[column] == .left ? cell.padded(to: widths[column]) : cell.paddedLeft(to: widths[column])
      }
      var line = String(repeating: " ", count: indentation) + cells.joined(separator: "  ")
      while line.last == " " { line.removeLast() }
      return line + "\n"
    }
    return lines.joined()
  }
}
