/// What a search box shows: the users found for the text in it.
public struct SearchResults: RandomAccessCollection, Equatable, Sendable {
  /// The text that was typed.
  public let query: String
  /// The users, in the order of the session's search, each with whether its viewer follows them.
  public let users: [User]
  /// Whether these are all: a longer list was cut off at the search's limit.
  public let isComplete: Bool
  /// How many there are in all, where that was asked for.
  public let total: Int?
  /// Where the query stands in each name, where that was asked for: see `UserPage.ranges`.
  public let ranges: [[Range<Int>]]?
  /// Why there is no answer (`queryTooLong`, or the viewer is gone); the list is empty then.
  public let error: KithError?
  /// What became of the list that was shown before.
  public internal(set) var difference = ListDifference<UserID>()
  private let search: UserSearch

  init(_ query: String, _ search: UserSearch, _ result: Result<UserPage, KithError>) {
    let page = try? result.get()
    self.query = query
    self.search = search
    users = page?.items ?? []
    isComplete = page?.next == nil
    total = page?.total
    ranges = page?.ranges
    error = if case .failure(let error) = result { error } else { nil }
  }

  private init(_ query: String, narrowing results: SearchResults, _ users: [User], _ ranges: [[Range<Int>]]?) {
    self.query = query
    search = results.search
    self.users = users
    isComplete = true
    total = search.counting ? users.count : nil
    self.ranges = ranges
    error = nil
  }

  /// The place of the first user.
  public var startIndex: Int { 0 }
  /// The place behind the last user.
  public var endIndex: Int { users.count }
  /// One user.
  public subscript(index: Int) -> User { users[index] }

  /// Equal in what they say, whatever was shown before.
  public static func == (left: SearchResults, right: SearchResults) -> Bool {
    left.query == right.query && left.users == right.users && left.isComplete == right.isComplete
      && left.total == right.total && left.ranges == right.ranges && left.error == right.error
  }
}

extension SearchResults: SearchAnswer {
  /// The users of this answer who answer the other text as well, if these are all who do.
  ///
  /// A name matches when its key holds the key of the text. So whoever matches a text whose key holds that of another
  /// matches the other, too, and is among its answers when these are all. That is asked of the keys, not of the
  /// letters: one letter more can make another of the one before it (e and a combining accent), and a text that is
  /// longer to the eye is not always longer in its key. The order must not depend on the text, as `prefixFirst` does.
  func narrowed(to text: String) -> SearchResults? {
    guard error == nil, isComplete, search.cursor == nil, search.order != .prefixFirst,
      let (own, other) = queries(text), !own.matchesNothing, own.isHeld(by: other)
    else { return nil }
    var kept: [User] = []
    var ranges: [[Range<Int>]]? = search.highlighting ? [] : nil
    for user in users {
      let name = Array(user.username.utf8)
      guard other.isEmpty || !other.matchesNothing && other.holds(name: name.span) else { continue }
      kept.append(user)
      ranges?.append(Highlights.ranges(of: other, in: name.span))
    }
    return SearchResults(text, narrowing: self, kept, ranges)
  }

  /// Both texts as they are searched for; nil for those that cannot be narrowed.
  private func queries(_ text: String) -> (own: NameQuery, other: NameQuery)? {
    let match: NameQuery.Match
    switch search.match {
    case .substring: match = .substring
    case .prefix: match = .prefix
    default: return nil
    }
    let trimmed = Folding.trimmed(text)
    if trimmed.utf8.count > Limits.queryByteCount { return nil }
    return (
      NameQuery(text: Folding.trimmed(query), match: match, fold: search.fold),
      NameQuery(text: trimmed, match: match, fold: search.fold)
    )
  }
}
