/// Somebody to follow, and why: a view of its page.
public struct Suggestion: Identifiable, Hashable, Sendable {
  fileprivate let page: SuggestionPage
  fileprivate let index: Int

  /// Whom; not yet followed.
  public var user: User { User(page.people, index) }
  /// How many of those whom the asking user follows follow them.
  public var mutualCount: Int { page.best[index].mutualCount }
  /// The first of these by id, as many as were asked for.
  public var mutuals: [User] {
    guard !page.mutualEnds.isEmpty else { return [] }
    let start = index == 0 ? page.count : page.mutualEnds[index - 1]
    return (start..<page.mutualEnds[index]).map { User(page.people, $0) }
  }
  /// The id of the suggested user.
  public var id: UserID { user.id }

  /// Equal in all that they say.
  public static func == (left: Suggestion, right: Suggestion) -> Bool {
    left.user == right.user && left.mutualCount == right.mutualCount && left.mutuals == right.mutuals
  }

  /// Hashes what tells suggestions apart.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

/// Whom to follow next, by how many mutuals each has, then by id: one allocation for all people, whatever their number.
public struct SuggestionPage: RandomAccessCollection, Sendable {
  /// The suggested, then the mutuals of each.
  fileprivate let people: UserRecords
  fileprivate let best: [Candidate]
  /// Where the mutuals of each end among the people; empty when none were asked for.
  fileprivate let mutualEnds: [Int]
  /// Whether a limit on the work was reached: the answer is exact for those followees that were looked at.
  public let isTruncated: Bool

  /// A row and how many mutuals it has.
  typealias Candidate = (row: UInt32, mutualCount: Int)

  init(people: UserRecords, best: [Candidate], mutualEnds: [Int], isTruncated: Bool) {
    self.people = people
    self.best = best
    self.mutualEnds = mutualEnds
    self.isTruncated = isTruncated
  }

  /// The suggestions as an array.
  public var items: [Suggestion] { Array(self) }

  /// The place of the first suggestion.
  public var startIndex: Int { 0 }
  /// The place behind the last suggestion.
  public var endIndex: Int { best.count }
  /// One suggestion.
  public subscript(index: Int) -> Suggestion {
    precondition(best.indices.contains(index), "the index is one of the page's")
    return Suggestion(page: self, index: index)
  }
}
