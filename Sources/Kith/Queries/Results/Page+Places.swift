extension Page<Post> {
  /// In a timeline, the place of a post of the page, to be kept with what is on the screen. Nil for every other list.
  ///
  /// Two queries restore the screen exactly, whatever has come and gone since: the posts from the place on, and those
  /// that are newer.
  ///
  /// ```swift
  /// let page = try graph.read { try $0.timeline(of: ann) }
  /// if let place = page.cursor(at: page.startIndex) {
  ///   let shown = try graph.read { view in
  ///     try view.timeline(of: ann, TimelineQuery(cursor: place, includesCursor: true))
  ///   }
  ///   let newer = try graph.read { try $0.timeline(of: ann, TimelineQuery(direction: .newer, cursor: place)) }
  /// }
  /// ```
  /// - Precondition: the index is one of the page's.
  /// - Complexity: O(1).
  public func cursor(at index: Int) -> Cursor? {
    let post = self[index]
    if let place = previous?.place, post.repost == nil {
      return Cursor(
        CursorPlace(
          kind: place.kind, subject: place.subject, first: post.createdAt.rawValue, second: post.id.rawValue))
    }
    guard var content = previous.flatMap({ CursorContent($0) }), content.kind == .timeline else { return nil }
    // In the order of `TimelineBinding`.
    let binding = content.numbers.dropFirst(3)
    content.numbers = [(post.repost?.at ?? post.createdAt).rawValue, post.id.rawValue]
    if post.repost != nil || !binding.isEmpty { content.numbers.append(post.repost?.id.rawValue ?? 0) }
    content.numbers += binding
    return content.cursor
  }
}
