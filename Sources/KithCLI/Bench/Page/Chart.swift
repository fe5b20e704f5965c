/// A line chart as SVG inside HTML, with colours from the page's style.
struct Chart {
  struct Line {
    let name: String
    /// An addition to the name in the legend.
    let remark: String
    let points: [(x: Double, y: Double)]
  }

  private static let (width, height) = (480.0, 300.0)
  private static let (left, right, top, bottom) = (62.0, 26.0, 12.0, 46.0)

  let title: String
  let horizontal: ChartAxis
  let vertical: ChartAxis
  let lines: [Line]
  /// Whether each point is a separate measurement, shown as a dot.
  var showsPoints = true

  var html: String {
    """
    <figure><figcaption>\(escaped(title))</figcaption>
    <svg viewBox="0 0 480 300" role="img" aria-label="\(escaped(title)): \(escaped(summary))">
    \(grid)\(lines.indices.map(drawn).joined())</svg>
    \(legend)</figure>

    """
  }

  /// The data as text, for screen readers.
  private var summary: String {
    lines.map { $0.remark.isEmpty ? $0.name : "\($0.name) \($0.remark)" }.joined(separator: "; ")
  }

  private func x(_ value: Double) -> String {
    decimal(Self.left + horizontal.place(value) * (Self.width - Self.left - Self.right))
  }

  private func y(_ value: Double) -> String {
    decimal(Self.height - Self.bottom - vertical.place(value) * (Self.height - Self.top - Self.bottom))
  }

  private var grid: String {
    var svg = ""
    let (low, high) = (decimal(Self.height - Self.bottom), decimal(Self.top))
    for tick in horizontal.ticks {
      let x = x(tick.value)
      svg += "<path class=grid d=\"M\(x) \(high)V\(low)\"/>"
      svg += "<text x=\(x) y=\(decimal(Self.height - Self.bottom + 17)) class=middle>\(escaped(tick.text))</text>\n"
    }
    for tick in vertical.ticks {
      let y = y(tick.value)
      svg += "<path class=grid d=\"M\(decimal(Self.left)) \(y)H\(decimal(Self.width - Self.right))\"/>"
      svg += "<text x=\(decimal(Self.left - 7)) y=\(y) dy=4 class=end>\(escaped(tick.text))</text>\n"
    }
    let middle = decimal((Self.left + Self.width - Self.right) / 2)
    return svg + "<text x=\(middle) y=\(decimal(Self.height - 8)) class=\"middle label\">"
      + "\(escaped(horizontal.label))</text>\n"
  }

  private func drawn(_ index: Int) -> String {
    let points = lines[index].points.map { (x: x($0.x), y: y($0.y)) }
    guard let first = points.first else { return "" }
    let path = points.dropFirst().reduce("M\(first.x) \(first.y)") { $0 + "L\($1.x) \($1.y)" }
    let marks = showsPoints ? points.map { "<circle class=\"c\(index)\" cx=\($0.x) cy=\($0.y) r=3.5 />" }.joined() : ""
    return "<path class=\"line c\(index)\" d=\"\(path)\"/>\(marks)\n"
  }

  private var legend: String {
    let items = lines.enumerated().map { index, line in
      """
      <li><svg class=swatch viewBox="0 0 28 10" aria-hidden=true><path class="line c\(index)" d="M1 5H27"/></svg>\
      <span>\(escaped(line.name))</span> <b>\(escaped(line.remark))</b></li>
      """
    }
    return "<ul class=legend>\n\(items.joined(separator: "\n"))\n</ul>\n"
  }
}

/// A text as the content of an element or a quoted attribute; characters that could move a cursor are shown escaped.
func escaped(_ text: String) -> String {
  printable(text).reduce(into: "") { html, letter in
    switch letter {
    case "&": html += "&amp;"
    case "<": html += "&lt;"
    case ">": html += "&gt;"
    case "\"": html += "&quot;"
    default: html.append(letter)
    }
  }
}
