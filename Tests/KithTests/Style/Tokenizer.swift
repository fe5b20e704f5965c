/// A word, a number, a string literal or one mark of Swift source.
struct Token {
  enum Kind { case word, number, string, mark }

  let kind: Kind
  /// Empty for a string literal, so that no rule takes its content for code.
  let text: String
  /// A string literal as the source has it; empty for the rest.
  let literal: String
  let line: Int
  /// Whether it follows the token before without a space.
  let touchesPrevious: Bool
  /// Whether a documentation comment is between it and the token before.
  let isDocumented: Bool
}

/// Cuts Swift source into tokens, without comments and the text of strings; code interpolated into strings is code.
///
/// It is enough for the style rules, and no parser: it does not know regex literals.
struct Tokenizer {
  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1
  private var previousEnd = -1
  private var isDocumented = false
  private var tokens: [Token] = []

  static func tokens(_ bytes: [UInt8]) -> [Token] {
    var tokenizer = Tokenizer(bytes: bytes)
    tokenizer.scanCode(isInterpolation: false)
    return tokenizer.tokens
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private func byte(at distance: Int = 0) -> UInt8 {
    offset + distance < bytes.count ? bytes[offset + distance] : 0
  }

  private mutating func advance(_ count: Int = 1) {
    for _ in 0..<count where offset < bytes.count {
      if bytes[offset] == UInt8(ascii: "\n") { line += 1 }
      offset += 1
    }
  }

  private mutating func emit(_ kind: Token.Kind, from start: Int, line: Int) {
    let source = String(decoding: bytes[start..<offset], as: UTF8.self)
    tokens.append(
      Token(
        kind: kind, text: kind == .string ? "" : source, literal: kind == .string ? source : "", line: line,
        touchesPrevious: start == previousEnd, isDocumented: isDocumented))
    previousEnd = offset
    isDocumented = false
  }

  // MARK: - Code

  private mutating func scanCode(isInterpolation: Bool) {
    var openParentheses = 0
    while offset < bytes.count {
      let start = offset
      let first = byte()
      switch first {
      case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
        advance()
      case UInt8(ascii: "/") where byte(at: 1) == UInt8(ascii: "/"):
        skipLineComment()
      case UInt8(ascii: "/") where byte(at: 1) == UInt8(ascii: "*"):
        skipBlockComment()
      case UInt8(ascii: "\""):
        scanString(hashCount: 0)
      case UInt8(ascii: "#") where hashesBeforeQuote > 0:
        scanString(hashCount: hashesBeforeQuote)
      case _ where Self.isWordByte(first):
        scanWord()
      default:
        advance()
        emit(.mark, from: start, line: line)
        if first == UInt8(ascii: "(") { openParentheses += 1 }
        if first == UInt8(ascii: ")") {
          if isInterpolation && openParentheses == 0 { return }
          openParentheses -= 1
        }
      }
    }
  }

  private mutating func scanWord() {
    let start = offset
    let isNumber = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte())
    while Self.isWordByte(byte()) { offset += 1 }
    emit(isNumber ? .number : .word, from: start, line: line)
  }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
    default: false
    }
  }

  // MARK: - Comments

  private mutating func skipLineComment() {
    if byte(at: 2) == UInt8(ascii: "/") { isDocumented = true }
    while offset < bytes.count, byte() != UInt8(ascii: "\n") { offset += 1 }
  }

  private mutating func skipBlockComment() {
    if byte(at: 2) == UInt8(ascii: "*") { isDocumented = true }
    var depth = 0
    repeat {
      if byte() == UInt8(ascii: "/"), byte(at: 1) == UInt8(ascii: "*") {
        depth += 1
        advance(2)
      } else if byte() == UInt8(ascii: "*"), byte(at: 1) == UInt8(ascii: "/") {
        depth -= 1
        advance(2)
      } else {
        advance()
      }
    } while depth > 0 && offset < bytes.count
  }

  // MARK: - Strings

  /// How many `#` are here before a quotation mark; 0 if something else follows them.
  private var hashesBeforeQuote: Int {
    var count = 0
    while byte(at: count) == UInt8(ascii: "#") { count += 1 }
    return byte(at: count) == UInt8(ascii: "\"") ? count : 0
  }

  private mutating func scanString(hashCount: Int) {
    let (start, startLine) = (offset, line)
    advance(hashCount)
    let quoteCount = byte(at: 1) == UInt8(ascii: "\"") && byte(at: 2) == UInt8(ascii: "\"") ? 3 : 1
    advance(quoteCount)
    let place = tokens.count
    while offset < bytes.count, !ends(quoteCount, hashCount) {
      if byte() == UInt8(ascii: "\\"), isRun(of: "#", hashCount, at: 1) {
        advance(1 + hashCount)
        if byte() == UInt8(ascii: "(") {
          advance()
          scanCode(isInterpolation: true)
        } else {
          advance()
        }
      } else {
        advance()
      }
    }
    advance(quoteCount + hashCount)
    let inner = tokens[place...]
    tokens.removeSubrange(place...)
    emit(.string, from: start, line: startLine)
    // Interpolated code comes before its string, so that a mark after the string touches the string.
    tokens.insert(contentsOf: inner, at: place)
  }

  private func ends(_ quoteCount: Int, _ hashCount: Int) -> Bool {
    isRun(of: "\"", quoteCount, at: 0) && isRun(of: "#", hashCount, at: quoteCount)
  }

  private func isRun(of character: Unicode.Scalar, _ count: Int, at distance: Int) -> Bool {
    for place in distance..<distance + count where byte(at: place) != UInt8(ascii: character) { return false }
    return true
  }
}
