/// User search by name and post search by words.
extension GraphView {
  /// Users whose name matches a text, in the order of the query. Ties are broken by (loose key, exact name, id).
  ///
  /// White space at the ends of the text is removed; an empty text matches all users. Every character is literal. A
  /// fuzzy search has its own order: by edits, then by name. `UserQuery.Match.regex` describes regular expressions.
  /// Users across a block from the viewer are omitted, before the limit. In the orders `followedFirst` and `popular`, a
  /// user whose follows change between two pages may appear twice or be missed.
  /// - Throws: `KithError.queryTooLong`, `unknownUser`, `invalidRequest` if a value of the query is out of range,
  /// `invalidCursor`;
  ///   `cancelled` if the calling task is cancelled during a long search; for patterns `invalidPattern`,
  ///   `budgetExceeded`, and `unsupported` without the package trait `Regex`.
  /// - Complexity: By name: O(limit) for one and two letters, whatever the size; else bounded by the rarest trigram of
  ///   the query. Prefix first: twice that. Followed first: that, and O(followees) in the worst case. Popular:
  ///   O(min(matches, users of the levels from the top, or the cursor's, down to that of the page's last user)) if that
  ///   user has 32 followers or more; else O(matches). Fuzzy: bounded by the unedited runs of the query. Regular
  ///   expressions: bounded by the texts that every match contains; O(names) without any.
  public func searchUsers(_ text: String, _ query: UserQuery = UserQuery()) throws(KithError) -> Page<User> {
    try run(UsersByName(text: text, query: query))
  }

  /// Posts that contain every word of a query in the text or the author's name, newest first.
  ///
  /// Words are separated by white space; a query without words matches every post. Posts of users across a block from
  /// the viewer are omitted, before the limit.
  /// - Throws: `KithError.queryTooLong` (256 bytes, 32 words), `unknownUser`, `invalidRequest` if a value of the query
  /// is out of range, `invalidCursor`; `cancelled` if the calling task is cancelled during a long search.
  /// - Complexity: If words are frequent: a scan from the newest post on until the page is full. Otherwise bounded by
  ///   the posts that contain the rarest word, or whose author's name does. O(posts) for words of only characters that
  ///   no key contains, and while the index is off or not yet built (`isPostSearchIndexed`).
  public func searchPosts(_ text: String, _ query: PostQuery = PostQuery()) throws(KithError) -> Page<Post> {
    try run(PostsByWords(text: text, query: query))
  }

  /// Whether every post is in the index (`SocialGraph.Options.postIndex`). Until it is, as after a restart, searches
  /// scan the posts: exact but slower.
  public var isPostSearchIndexed: Bool { state.posts.index.isWhole }
}
