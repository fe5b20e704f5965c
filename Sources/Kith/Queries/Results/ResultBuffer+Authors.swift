/// Posts with their authors as users, on request.
extension ResultBuffer<PostRecord> {
  /// Posts by row, and beside them the author of each if they were asked for.
  init(
    _ rows: Span<UInt32>, _ visibility: Visibility, _ state: borrowing GraphState, likedTimestamps: [UInt32]? = nil,
    areOfEdges: Bool = false, reposts: [TimelineEntry]? = nil, includesAuthors: Bool
  ) {
    self.init(
      rows, visibility, state, likedTimestamps: likedTimestamps, areOfEdges: areOfEdges, reposts: reposts)
    if includesAuthors { attach(UserRecords(rows, viewer: visibility.viewer, state) { state.posts.authors[$0] }) }
  }

  /// The author of each post; nil if they were not asked for.
  var authors: UserRecords? { details.map { $0.authors as? UserRecords } ?? attached(UserRecord.self) }
}
