/// What a search box searches: a live query for each text.
///
/// `.users` and `.posts` search names and posts. A closure searches any list:
/// ```swift
/// LiveSearch { text in LiveQuery.searchUsers(text).map { page in page.filter { $0.postCount > 0 } } }
/// ```
public struct LiveSearch<Value: RandomAccessCollection & Equatable & Sendable>: Sendable
where Value.Element: Identifiable & Equatable, Value.Element.ID: Sendable {
  let query: @Sendable (String) -> LiveQuery<Value, KithError>
  /// The result of a text, derived from that of another text without a search; nil if that is not possible.
  private(set) var narrow: @Sendable (_ value: Value, _ old: String, _ new: String) -> Value? = { _, _, _ in nil }

  /// Creates a search from a closure. A `LiveQuery { … }` in it says `(view) throws(KithError) in`: a search fails with
  /// no other error.
  /// - Parameter query: gives the query for a text.
  public init(_ query: @escaping @Sendable (_ text: String) -> LiveQuery<Value, KithError>) { self.query = query }
}

extension LiveSearch where Value == Page<User> {
  /// A search for users by name. A text that narrows a complete result is answered from it, without a search.
  /// - Parameter query: the query. The limit is that of the list; the cursor must be nil.
  public static func users(_ query: UserQuery = UserQuery()) -> LiveSearch {
    var search = LiveSearch { text in .searchUsers(text, query) }
    search.narrow = query.narrow
    return search
  }
}

extension LiveSearch where Value == Page<Post> {
  /// A search for posts by words.
  /// - Parameter query: the query. The limit is that of the list; the cursor must be nil.
  public static func posts(_ query: PostQuery = PostQuery()) -> LiveSearch {
    LiveSearch { text in .searchPosts(text, query) }
  }
}

extension UserQuery {
  /// The page of another text, filtered from this one's; nil if this one may lack some of its users.
  ///
  /// A name matches a text if its key contains the key of the text. If that key contains the old query's key, then
  /// every name that matches the text also matches the old query, and is on its page if that is complete. Keys are
  /// compared, not letters: a letter appended may change the previous one (e and a combining accent), and a longer text
  /// need not have a longer key. The order must not depend on the text, as `prefixFirst` does.
  func narrow(_ page: Page<User>, from old: String, to new: String) -> Page<User>? {
    guard page.next == nil, cursor == nil, !order.schema.dependsOnText, let (own, other) = queries(old, new),
      !own.matchesNothing, own.isHeld(by: other)
    else { return nil }
    var kept: [Int] = []
    var highlights: NameHighlights? = includesHighlights ? NameHighlights() : nil
    var budget = QueryBudget()
    for index in page.indices {
      let name = Array(page[index].username.utf8)
      let displayName = names == .either ? page[index].displayName.map { Array($0.utf8) } ?? [] : []
      let holds =
        other.isEmpty || !other.matchesNothing && other.holds(name: name.span, &budget)
        || !other.matchesNothing && !displayName.isEmpty && other.holds(name: displayName.span, &budget)
      guard holds else { continue }
      kept.append(index)
      highlights?.append(
        Highlights.ranges(of: other, in: name.span), Highlights.ranges(of: other, in: displayName.span))
    }
    return Page(kept, of: page, highlights: highlights)
  }

  /// Both texts as name queries; nil for a match mode that cannot be narrowed.
  private func queries(_ old: String, _ new: String) -> (own: NameQuery, other: NameQuery)? {
    let name: NameQuery.Match
    switch match {
    case .substring: name = .substring
    case .prefix: name = .prefix
    default: return nil
    }
    let trimmed = Folding.trimmed(new)
    if trimmed.utf8.count > SocialGraph.Limits.queryByteCount { return nil }
    return (
      NameQuery(text: Folding.trimmed(old), match: name, fold: fold),
      NameQuery(text: trimmed, match: name, fold: fold)
    )
  }
}
