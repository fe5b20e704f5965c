/// A chart of horizontal bars as SVG inside HTML, of the same size and style as `Chart`.
struct BarChart {
  private static let (width, left, right, top, bottom) = (480.0, 158.0, 84.0, 12.0, 46.0)
  private static let (rowHeight, barHeight) = (22.0, 13.0)

  let title: String
  let horizontal: String
  /// From the largest to the smallest.
  let bars: [(name: String, value: Double, text: String)]

  var html: String {
    let height = Self.top + Self.bottom + Self.rowHeight * Double(bars.count)
    let summary = escaped("\(title): " + bars.map { "\($0.name) \($0.text)" }.joined(separator: "; "))
    return """
      <figure><figcaption>\(escaped(title))</figcaption>
      <svg viewBox="0 0 480 \(decimal(height, places: 0))" role="img" aria-label="\(summary)">
      \(grid(height - Self.bottom))\(bars.indices.map(drawn).joined())\
      <text x=\(decimal((Self.left + Self.width - Self.right) / 2)) y=\(decimal(height - 8)) class="middle label">\
      \(escaped(horizontal))</text>
      </svg>
      </figure>

      """
  }

  private var largest: Double { max(1, bars.first?.value ?? 1) }

  private func x(_ value: Double) -> Double { Self.left + value / largest * (Self.width - Self.left - Self.right) }

  /// Lines at halves or quarters of a power of two, at most five.
  private func grid(_ low: Double) -> String {
    var step = 1.0
    while largest / step > 4 { step *= 2 }
    return stride(from: 0, through: largest, by: step).map { value in
      let x = decimal(x(value))
      return "<path class=grid d=\"M\(x) \(decimal(Self.top))V\(decimal(low))\"/>"
        + "<text x=\(x) y=\(decimal(low + 17)) class=middle>\(escaped(byteText(Int(value))))</text>\n"
    }.joined()
  }

  private func drawn(_ index: Int) -> String {
    let bar = bars[index]
    let y = Self.top + Self.rowHeight * Double(index) + (Self.rowHeight - Self.barHeight) / 2
    let text = decimal(y + Self.barHeight - 2)
    let end = x(bar.value)
    return "<text x=\(decimal(Self.left - 7)) y=\(text) class=end>\(escaped(bar.name))</text>"
      + "<rect x=\(decimal(Self.left)) y=\(decimal(y)) width=\(decimal(max(1, end - Self.left))) height=13 />"
      + "<text x=\(decimal(end + 6)) y=\(text)>\(escaped(bar.text))</text>\n"
  }
}
