/// Assembles texts from the frames that contain them. Only a text that spans two frames is copied twice.
struct TextAssembly: ~Copyable {
  private var texts: TextColumn
  /// The row of the next text.
  private var row = 0
  private let lengths: [UInt32]
  /// The beginning of a text that ends in the next frame.
  private var rest: [UInt8] = []
  private let place: FilePlace
  /// The section; texts are UTF-8, payloads any bytes.
  private let section: SectionID
  private let areTexts: Bool

  /// - Parameters:
  ///   - lengths: the lengths of all texts, which must add up to the bytes of the frames.
  ///   - wordsPerRow: those of the column. Words behind the reference are zero.
  ///   - areTexts: whether the bytes must be UTF-8.
  init(
    lengths: [UInt32], wordsPerRow: Int = 1, of section: SectionID = GraphSections.textBytes, areTexts: Bool = true,
    place: FilePlace
  ) {
    texts = TextColumn(wordsPerRow: wordsPerRow)
    self.lengths = lengths
    self.place = place
    (self.section, self.areTexts) = (section, areTexts)
    texts.grow(to: lengths.count)
  }

  mutating func take(_ frame: [UInt8]) throws(KithError) {
    var start = 0
    if !rest.isEmpty {
      start = min(nextByteCount - rest.count, frame.count)
      rest += frame[..<start]
      if rest.count < nextByteCount { return }
      let whole = rest
      try append(whole.span)
    }
    while row < lengths.count, start + nextByteCount <= frame.count {
      let end = start + nextByteCount
      try append(frame.span.extracting(start..<end))
      start = end
    }
    rest = Array(frame[start...])
  }

  consuming func finish() -> TextColumn { texts }

  private var nextByteCount: Int { Int(lengths[row]) }

  private mutating func append(_ text: Span<UInt8>) throws(KithError) {
    guard !areTexts || GraphSections.isUTF8(text) else {
      throw place.corrupt("section \(section): the text of row \(row) is not UTF-8")
    }
    texts.fill(row, text)
    row += 1
  }
}
