/// Making answers of posts.
extension GraphView {
  /// Posts as one answer.
  ///
  /// Their rows lie anywhere in memory, and one row tells where the next thing lies. So what is needed of all posts is
  /// asked for in stages, and read when it has come.
  /// - Parameter likedSeconds: of a list of likes: when each was given.
  func posts(_ rows: [UInt32], _ sight: Sight, likedSeconds: [UInt32]? = nil) -> PostRecords {
    for row in rows {
      state.posts.authors.prefetch(Int(row))
      state.posts.texts.prefetchReference(Int(row))
      state.likes.backward.prefetchEntry(of: Int(row))
      state.posts.times.prefetch(Int(row))
    }
    if let viewer = sight.viewer { state.likes.forward.prefetchElements(of: Int(viewer)) }
    var byteCount = 0
    for row in rows {
      state.users.names.prefetchReference(Int(state.posts.authors[row]))
      byteCount &+= state.posts.texts.prefetch(Int(row))
      state.likes.backward.prefetchEnd(of: Int(row))
    }
    for row in rows { byteCount &+= state.users.names.prefetchText(Int(state.posts.authors[row])) }
    return PostRecords(recordCount: rows.count, byteCount: byteCount) { buffer in
      guard let viewer = sight.viewer else { return fill(&buffer, rows, likedSeconds) { _ in nil } }
      if state.likes.forward.runCount(of: Int(viewer)) > 1 {
        return fill(&buffer, rows, likedSeconds) { state.likes.contains(viewer, $0) }
      }
      let liked = state.likes.forward.run(0, of: Int(viewer))
      fill(&buffer, rows, likedSeconds) { Relation.contains($0, in: liked) }
    }
  }

  /// - Parameter isLiked: whether the viewer likes a post; nil without a viewer.
  @inline(__always)
  private func fill(
    _ buffer: inout ResultBufferWriter<PostRecord>, _ rows: [UInt32], _ likedSeconds: [UInt32]?,
    isLiked: (UInt32) -> Bool?
  ) {
    for index in rows.indices {
      let row = rows[index]
      let author = state.posts.authors[row]
      let liked = isLiked(row)
      let name = buffer.append(Int(author), of: state.users.names)
      let text = buffer.append(Int(row), of: state.posts.texts)
      buffer.set(
        index,
        PostRecord(
          id: state.posts.identifiers.id(of: row), authorID: state.users.identifiers.id(of: author),
          createdAt: state.posts.times[row], likeCount: UInt32(truncatingIfNeeded: state.likes.sourceCount(row)),
          nameStart: UInt32(truncatingIfNeeded: name.lowerBound), likedSecond: likedSeconds?[index] ?? 0,
          textByteCount: UInt16(truncatingIfNeeded: text.count), nameByteCount: UInt8(truncatingIfNeeded: name.count),
          hasViewer: liked != nil, isLiked: liked == true, hasLikedAt: likedSeconds != nil))
    }
  }
}
