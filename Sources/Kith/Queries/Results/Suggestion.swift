/// A suggested user with the mutual followees, as a view of its page.
public struct Suggestion: PageElement {
  let records: SuggestionRecords
  let index: Int

  init(_ records: SuggestionRecords, _ index: Int) {
    precondition(records.best.indices.contains(index), "the index is one of the page's")
    self.records = records
    self.index = index
  }

  /// The element at another index of the same result. For `Page` alone.
  public func _sibling(at index: Int) -> Suggestion { Suggestion(records, index) }

  /// The suggested user; not yet followed.
  public var user: User { User(records.users, index) }
  /// The number of the querying user's followees who follow the suggested user.
  public var mutualCount: Int { records.best[index].mutualCount }
  /// The first of these followees by id, as many as requested.
  public var mutuals: [User] {
    guard !records.mutualEnds.isEmpty else { return [] }
    let start = index == 0 ? records.count : records.mutualEnds[index - 1]
    return (start..<records.mutualEnds[index]).map { User(records.users, $0) }
  }
  /// The id of the suggested user.
  public var id: UserID { user.id }

  /// Equal if all properties are.
  public static func == (left: Suggestion, right: Suggestion) -> Bool {
    left.user == right.user && left.mutualCount == right.mutualCount && left.mutuals == right.mutuals
  }

  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Suggestion: ResultElement {}

/// The records of one page of suggestions.
struct SuggestionRecords: ResultRecords {
  /// A row and its number of mutuals.
  typealias Candidate = (row: UInt32, mutualCount: Int)

  /// The suggested users, then the mutuals of each.
  let users: UserRecords
  let best: [Candidate]
  /// The end of each suggestion's mutuals in `users`; empty if none were requested.
  let mutualEnds: [Int]

  var count: Int { best.count }
}
