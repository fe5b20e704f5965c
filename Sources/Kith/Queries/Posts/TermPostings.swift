/// The postings of one term of a query, in one segment after the other. The filter and the index plan read the same
/// ones.
struct TermPostings {
  /// The most words of a dictionary that a term may match. A term that matches more is not looked up.
  static let maximumWordCount = 256

  /// The words to look up. A text that contains the term has a match of each.
  let words: [WordQuery]
  private var segment: PostSegment?
  private var found: [WordPostings.Matches?] = []

  /// - Parameter key: the loose key of the term.
  init(of key: [UInt8]) { words = Words.queries(of: key) }

  /// For each word, its matches in a segment; nil for one with too many.
  mutating func matches(in segment: PostSegment, _ budget: inout QueryBudget) -> [WordPostings.Matches?] {
    if self.segment === segment { return found }
    self.segment = segment
    found.removeAll(keepingCapacity: true)
    for index in words.indices {
      found.append(segment.words.matches(of: words[index], limit: Self.maximumWordCount, &budget))
    }
    return found
  }
}
