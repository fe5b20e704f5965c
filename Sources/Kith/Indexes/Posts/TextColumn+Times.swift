/// The rows of `PostTable.texts` have a second word: when the post was created. Timelines compare the times of posts,
/// and then read the texts of some of them, from the same cache lines.
extension TextColumn {
  @inline(__always)
  func time(of row: Int) -> Int64 { Int64(bitPattern: self[row, 1]) }

  /// What leads to a text, and the time.
  @inline(__always)
  func referenceAndTime(of row: Int) -> (reference: UInt64, time: Int64) {
    let words = twoWords(row)
    return (words.reference, Int64(bitPattern: words.1))
  }

  mutating func setTime(_ time: Int64, of row: Int) { self[row, 1] = UInt64(bitPattern: time) }
}
