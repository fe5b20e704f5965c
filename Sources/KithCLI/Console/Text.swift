import Kith

/// Numbers, times and texts in a readable form, independent of the locale.

/// 1234567 as `1,234,567`.
func grouped(_ number: some BinaryInteger) -> String {
  let digits = String(number.magnitude)
  var text = number < 0 ? "-" : ""
  for (place, digit) in digits.enumerated() {
    if place > 0, (digits.count - place).isMultiple(of: 3) { text += "," }
    text.append(digit)
  }
  return text
}

/// With this many digits after the point, rounded half up.
func decimal(_ number: Double, places: Int = 1) -> String {
  guard number.isFinite, number.magnitude < 1e15 else { return "?" }
  let scale = (0..<places).reduce(1.0) { scale, _ in scale * 10 }
  let scaled = Int64((number.magnitude * scale).rounded())
  let sign = number < 0 && scaled > 0 ? "-" : ""
  guard places > 0 else { return sign + grouped(scaled) }
  let unit = Int64(scale)
  let fraction = String(scaled % unit)
  return sign + grouped(scaled / unit) + "." + String(repeating: "0", count: places - fraction.count) + fraction
}

/// `1 frame`, `12,345 frames`
func counted(_ number: some BinaryInteger, _ noun: String) -> String {
  "\(grouped(number)) \(noun)\(number == 1 ? "" : "s")"
}

/// `a`, `a or b`, `a, b or c`
func alternatives(_ words: [String]) -> String {
  let last = words.suffix(1).joined()
  return words.count < 2 ? last : words.dropLast().joined(separator: ", ") + " or " + last
}

/// 12345 as `12.1 KB`, in powers of 1024.
func byteText(_ byteCount: Int) -> String {
  let units = ["B", "KB", "MB", "GB", "TB"]
  var value = Double(byteCount)
  var unit = 0
  while value >= 1_000, unit < units.count - 1 {
    value /= 1_024
    unit += 1
  }
  return unit == 0 ? "\(byteCount) B" : "\(decimal(value)) \(units[unit])"
}

extension Duration {
  var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
  var microseconds: Double { seconds * 1e6 }

  /// In the unit that suits its size: µs, ms or s.
  var text: String {
    let microseconds = microseconds
    if microseconds < 1_000 { return "\(decimal(microseconds)) µs" }
    if microseconds < 1_000_000 { return "\(decimal(microseconds / 1_000)) ms" }
    return "\(decimal(seconds, places: 2)) s"
  }
}

/// Milliseconds since 1970 as `2024-02-29 23:59:07`, UTC.
func timeText(_ milliseconds: Int64) -> String { Timestamp(milliseconds).text }

/// The text with every character that could move a terminal's cursor, hide or reorder text, and every byte of a path
/// that is not UTF-8, shown as an escape.
func printable(_ text: String) -> String {
  guard text.unicodeScalars.contains(where: { !$0.isHarmless }) else { return text }
  var shown = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\n": shown += "\\n"
    case "\r": shown += "\\r"
    case "\t": shown += "\\t"
    case _ where scalar.pathByte != nil: shown += String(scalar).shownPath
    case _ where scalar.isHarmless: shown.unicodeScalars.append(scalar)
    default: shown += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
    }
  }
  return shown
}

extension Unicode.Scalar {
  /// Neither a control character, nor one that overrides the direction of writing or has no width. Joiners are kept:
  /// emoji need them.
  fileprivate var isHarmless: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x200B, 0x2028...0x202E, 0x2060...0x2064, 0x2066...0x2069, 0xFEFF: false
    default: pathByte == nil
    }
  }
}

/// Words in lines of at most this many characters, all but the first indented. A longer word has a line of its own.
func wrapped(_ words: some Sequence<some StringProtocol>, to width: Int, indentation: Int = 0) -> String {
  var (text, length) = ("", 0)
  for word in words {
    if text.isEmpty {
      text = String(word)
      length = word.count
    } else if length + 1 + word.count > width {
      text += "\n" + String(repeating: " ", count: indentation) + word
      length = indentation + word.count
    } else {
      text += " " + word
      length += 1 + word.count
    }
  }
  return text
}

extension String {
  /// Padded with spaces on the right, to a width counted in characters.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  /// Padded with spaces on the left, to a width counted in characters.
  func paddedLeft(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }

  /// At most this many characters, the last one an ellipsis if the text was cut.
  func shortened(to width: Int) -> String { count <= width ? self : prefix(max(0, width - 1)) + "…" }
}
