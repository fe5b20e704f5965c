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
    }
    if let viewer = visibility.viewer { state.likes.forward.prefetchElements(of: Int(viewer)) }
    self = withTemporaryList(of: PostParts.self, capacity: rows.count) { parts in
      var byteCount = 0
      for row in rows {
        let (author, text) = (state.posts.authors[row], state.posts.texts.reference(Int(row)))
        parts.append(PostParts(author: author, text: text))
        state.users.names.prefetchReference(Int(author))
        byteCount &+= state.posts.texts.prefetch(referenced: text)
        state.likes.backward.prefetchEnd(of: Int(row))
      }
      for index in rows.indices {
        let (name, card) = state.users.names.namedCard(parts[index].author)
        (parts[index].name, parts[index].authorID) = (name, card.id)
        byteCount &+= state.users.names.prefetchBeginning(referenced: name)
      }
      return ResultBuffer(recordCount: rows.count, byteCount: byteCount) { buffer in
        let parts = parts.span
        guard let viewer = visibility.viewer else {
          return buffer.fill(rows, parts, likedTimestamps, state) { _ in nil }
        }
        if !state.likes.forward.isOneRun(Int(viewer)) {
          return buffer.fill(rows, parts, likedTimestamps, state) { state.likes.contains(viewer, $0) }
        }
        let liked = state.likes.forward.run(0, of: Int(viewer))
        if liked.count > SmallRowBloomFilter.maximumRowCount || liked.count > 4 * rows.count {
          return buffer.fill(rows, parts, likedTimestamps, state) { Relation.contains($0, in: liked) }
        }
        // Viewers like few of the posts that they see: most of the searches in a short list can be left out.
        SmallRowBloomFilter.lend(targets: liked) { filter in
          buffer.fill(rows, parts, likedTimestamps, state) {
            filter.mayContain($0) && Relation.contains($0, in: liked)
          }
        }
      }
    }
  }
}

/// What of a post leads to its texts: read in one stage, used in the next.
private struct PostParts: BitwiseCopyable {
  let author: UInt32
  /// The reference of the text.
  let text: UInt64
  /// The author's id, and the reference of the name.
  var authorID: Int64 = 0
  var name: UInt64 = 0
}

extension ResultBufferWriter<PostRecord> {
  /// - Parameter isLiked: whether the viewer likes the post; nil without a viewer.
  @inline(__always)
  fileprivate mutating func fill(
    _ rows: [UInt32], _ parts: Span<PostParts>, _ likedTimestamps: [UInt32]?, _ state: borrowing GraphState,
    isLiked: (UInt32) -> Bool?
  ) {
    for index in rows.indices {
      let (row, parts) = (rows[index], parts[index])
      let liked = isLiked(row)
      let name = append(parts.name, of: state.users.names)
      let text = appendText(parts.text, of: state.posts.texts)
      set(
        index,
        PostRecord(
          id: state.posts.identifiers.id(of: row), authorID: parts.authorID,
          createdAt: state.posts.time(row), likeCount: UInt32(truncatingIfNeeded: state.likes.sourceCount(row)),
          nameStart: UInt32(truncatingIfNeeded: name.lowerBound), likedTimestamp: likedTimestamps?[index] ?? 0,
          textByteCount: UInt16(truncatingIfNeeded: text.count), nameByteCount: UInt8(truncatingIfNeeded: name.count),
          hasViewer: liked != nil, isLiked: liked == true, hasLikedAt: likedTimestamps != nil))
    }
  }
}
