/// Texts put together from the frames that hold them one after the other: nothing is copied twice but a text that lies
/// on two frames.
struct TextAssembly: ~Copyable {
  private var texts = TextColumn()
  private let lengths: [UInt32]
  /// The beginning of a text whose end is on the next frame.
  private var rest: [UInt8] = []
  private let place: FilePlace

  /// - Parameter lengths: of all texts, which the frames hold to the byte.
  init(lengths: [UInt32], place: FilePlace) {
    self.lengths = lengths
    self.place = place
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
    while texts.count < lengths.count, start + nextByteCount <= frame.count {
      let end = start + nextByteCount
      try append(frame.span.extracting(start..<end))
      start = end
    }
    rest = Array(frame[start...])
  }

  consuming func finish() -> TextColumn {
    while texts.count < lengths.count { texts.append(Span()) }
    return texts
  }

  private var nextByteCount: Int { Int(lengths[texts.count]) }

  private mutating func append(_ text: Span<UInt8>) throws(KithError) {
    guard GraphSections.isUTF8(text) else {
      throw place.corrupt("section \(GraphSections.textBytes): the text of row \(texts.count) is not UTF-8")
    }
    texts.append(text)
  }
}
