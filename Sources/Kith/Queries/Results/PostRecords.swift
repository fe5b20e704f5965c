/// Posts as records.
extension ResultBuffer<PostRecord> {
  /// Posts by row, each with whether the viewer, if any, likes it.
  ///
  /// The rows are scattered in memory, and each column holds the location of the next one to read. So all posts are
  /// prefetched in stages, one column after the other, and read when their memory has arrived.
  /// - Parameter likedTimestamps: in a list of likes, the time of each.
  init(
    _ rows: [UInt32], _ visibility: Visibility, _ state: borrowing GraphState, likedTimestamps: [UInt32]? = nil
  ) {
    for row in rows {
      state.posts.authors.prefetch(Int(row))
      state.posts.texts.prefetchReference(Int(row))
      state.likes.backward.prefetchEntry(of: Int(row))
      state.posts.times.prefetch(Int(row))
    }
    if let viewer = visibility.viewer { state.likes.forward.prefetchElements(of: Int(viewer)) }
    var byteCount = 0
    for row in rows {
      state.users.names.prefetchReference(Int(state.posts.authors[row]))
      byteCount &+= state.posts.texts.prefetch(Int(row))
      state.likes.backward.prefetchEnd(of: Int(row))
    }
    for row in rows { byteCount &+= state.users.names.prefetchText(Int(state.posts.authors[row])) }
    self.init(recordCount: rows.count, byteCount: byteCount) { buffer in
      guard let viewer = visibility.viewer else { return buffer.fill(rows, likedTimestamps, state) { _ in nil } }
      if !state.likes.forward.isOneRun(Int(viewer)) {
        return buffer.fill(rows, likedTimestamps, state) { state.likes.contains(viewer, $0) }
      }
      let liked = state.likes.forward.run(0, of: Int(viewer))
      buffer.fill(rows, likedTimestamps, state) { Relation.contains($0, in: liked) }
    }
  }
}

extension ResultBufferWriter<PostRecord> {
  /// - Parameter isLiked: whether the viewer likes the post; nil without a viewer.
  @inline(__always)
  fileprivate mutating func fill(
    _ rows: [UInt32], _ likedTimestamps: [UInt32]?, _ state: borrowing GraphState, isLiked: (UInt32) -> Bool?
  ) {
    for index in rows.indices {
      let row = rows[index]
      let author = state.posts.authors[row]
      let liked = isLiked(row)
      let name = append(Int(author), of: state.users.names)
      let text = appendText(Int(row), of: state.posts.texts)
      set(
        index,
        PostRecord(
          id: state.posts.identifiers.id(of: row), authorID: state.users.identifiers.id(of: author),
          createdAt: state.posts.times[row], likeCount: UInt32(truncatingIfNeeded: state.likes.sourceCount(row)),
          nameStart: UInt32(truncatingIfNeeded: name.lowerBound), likedTimestamp: likedTimestamps?[index] ?? 0,
          textByteCount: UInt16(truncatingIfNeeded: text.count), nameByteCount: UInt8(truncatingIfNeeded: name.count),
          hasViewer: liked != nil, isLiked: liked == true, hasLikedAt: likedTimestamps != nil))
    }
  }
}
