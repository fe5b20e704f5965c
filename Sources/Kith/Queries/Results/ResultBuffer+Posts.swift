/// Posts as records.
extension ResultBuffer<PostRecord> {
  /// Posts by row, each with whether the viewer, if any, likes it.
  ///
  /// The rows are scattered in memory, and each column holds the location of the next one to read. So all posts are
  /// prefetched in stages, one column after the other, and read when their memory has arrived.
  /// - Parameters:
  ///   - rows: the posts.
  ///   - visibility: has the viewer.
  ///   - state: the graph.
  ///   - likedTimestamps: in a list of likes or of edges, the time of each.
  ///   - areOfEdges: whether it is a list of edges.
  ///   - reposts: in a timeline with reposts, the entry of each.
  init(
    _ rows: Span<UInt32>, _ visibility: Visibility, _ state: borrowing GraphState, likedTimestamps: [UInt32]? = nil,
    areOfEdges: Bool = false, reposts: [TimelineEntry]? = nil
  ) {
    for index in rows.indices {
      let row = rows[index]
      state.posts.authors.prefetch(Int(row))
      state.posts.texts.prefetchReference(Int(row))
      state.likes.backward.prefetchEntry(of: Int(row))
    }
    if state.declared.hasThreads { for index in rows.indices { state.declared.prefetchParent(of: rows[index]) } }
    if let viewer = visibility.viewer { state.likes.forward.prefetchElements(of: Int(viewer)) }
    self = withTemporaryList(of: PostParts.self, capacity: rows.count) { parts in
      var byteCount = 0
      for index in rows.indices {
        let row = rows[index]
        let (author, post) = (state.posts.authors[row], state.posts.texts.referenceAndTime(of: Int(row)))
        state.users.names.prefetchReference(Int(author))
        let text = state.posts.texts.prefetch(referenced: post.reference)
        byteCount &+= text.byteCount
        parts.append(
          PostParts(
            author: author, createdAt: post.time, text: text,
            likes: state.likes.backward.prefetchHead(of: Int(row))))
      }
      var found = parts.mutableSpan
      for index in found.indices {
        let (reference, card) = state.users.names.namedCard(found[index].author)
        let name = state.users.names.prefetchBeginning(referenced: reference)
        (found[index].name, found[index].authorID) = (name, card.id)
        byteCount &+= name.byteCount
      }
      if let reposts { byteCount &+= Self.nameByteCount(of: reposts, state) }
      var buffer = ResultBufferWriter<PostRecord>(recordCount: rows.count, byteCount: byteCount)
      buffer.fill(rows, parts.span, visibility.viewer, likedTimestamps, areOfEdges, state)
      if let reposts { buffer.set(reposts, state) }
      return ResultBuffer(buffer)
    }
  }
}

extension ResultBuffer<PostRecord> {
  /// The bytes of the names of those who reposted posts.
  @inline(never)
  fileprivate static func nameByteCount(of reposts: [TimelineEntry], _ state: borrowing GraphState) -> Int {
    reposts.reduce(0) { $1.isRepost ? $0 + state.users.names.bytes(Int($1.reposter)).count : $0 }
  }
}

/// What of a post leads to its texts and likes: read in one stage, used in the next.
private struct PostParts: BitwiseCopyable {
  let author: UInt32
  let createdAt: Int64
  let text: StoredText
  let likes: PackedLists<UInt32>.Head
  var authorID: Int64 = 0
  var name = StoredText()
}

extension ResultBufferWriter<PostRecord> {
  @inline(__always)
  fileprivate mutating func fill(
    _ rows: Span<UInt32>, _ parts: Span<PostParts>, _ viewer: UInt32?, _ likedTimestamps: [UInt32]?,
    _ areOfEdges: Bool, _ state: borrowing GraphState
  ) {
    guard let viewer else { return fill(rows, parts, likedTimestamps, areOfEdges, state) { _ in nil } }
    if !state.likes.forward.isOneRun(Int(viewer)) {
      return fill(rows, parts, likedTimestamps, areOfEdges, state) { state.likes.contains(viewer, $0) }
    }
    let liked = state.likes.forward.run(0, of: Int(viewer))
    if liked.count > SmallRowBloomFilter.maximumRowCount || liked.count > 4 * rows.count {
      return fill(rows, parts, likedTimestamps, areOfEdges, state) { Adjacency.contains($0, in: liked) }
    }
    // Viewers like few of the posts that they see: most of the searches in a short list can be left out.
    SmallRowBloomFilter.lend(targets: liked) { filter in
      fill(rows, parts, likedTimestamps, areOfEdges, state) {
        filter.mayContain($0) && Adjacency.contains($0, in: liked)
      }
    }
  }

  /// - Parameter isLiked: whether the viewer likes the post; nil without a viewer.
  @inline(__always)
  fileprivate mutating func fill(
    _ rows: Span<UInt32>, _ parts: Span<PostParts>, _ likedTimestamps: [UInt32]?, _ areOfEdges: Bool,
    _ state: borrowing GraphState, isLiked: (UInt32) -> Bool?
  ) {
    for index in rows.indices {
      let (row, parts) = (rows[index], parts[index])
      let liked = isLiked(row)
      let name = append(parts.name, of: state.users.names)
      let text = append(parts.text, of: state.posts.texts)
      set(
        index,
        PostRecord(
          id: state.posts.identifiers.id(of: row), author: parts.authorID, createdAt: parts.createdAt,
          likeCount: UInt32(truncatingIfNeeded: state.likes.backward.count(of: Int(row), parts.likes)),
          nameStart: UInt32(truncatingIfNeeded: name.lowerBound), nameByteCount: UInt8(truncatingIfNeeded: name.count),
          textByteCount: UInt16(truncatingIfNeeded: text.count), isLiked: liked,
          likedSecond: likedTimestamps?[index], isOfEdge: areOfEdges))
    }
    if state.declared.hasThreads { setParents(rows, state) }
    if let host = state.posts.host { setFields(rows, host) }
  }

  /// Sets who reposted posts.
  @inline(never)
  fileprivate mutating func set(_ reposts: [TimelineEntry], _ state: borrowing GraphState) {
    for index in reposts.indices where reposts[index].isRepost {
      let (repost, names) = (reposts[index], state.users.names.namedCard(reposts[index].reposter))
      let name = append(state.users.names.prefetchBeginning(referenced: names.name), of: state.users.names)
      update(index) { record in
        record.reposted_by = names.card.id
        record.reposted_second = UInt32(clamping: repost.time / 1_000)
        record.reposter_start = UInt32(truncatingIfNeeded: name.lowerBound)
        record.reposter_size = UInt8(truncatingIfNeeded: name.count)
      }
    }
  }

  @inline(never)
  private func setFields(_ rows: Span<UInt32>, _ host: Box<HostColumns>) {
    for index in rows.indices {
      let (flags, time) = (host.value.flags(of: rows[index]), host.value.editTime(of: rows[index]))
      let audience = host.value.audience(of: rows[index])
      if flags == 0 && time == nil && audience == 0 { continue }
      update(index) { record in
        (record.flags, record.audience) = (flags, audience)
        if let time { (record.is_edited, record.edited_at) = (1, time) }
      }
    }
  }

  /// Apart, so that a graph without conversations does not pay for them.
  @inline(never)
  private func setParents(_ rows: Span<UInt32>, _ state: borrowing GraphState) {
    for index in rows.indices {
      let parent = state.declared.parent(of: rows[index])
      if parent != ThreadTable.none { update(index) { $0.parent = state.posts.identifiers.id(of: parent) } }
    }
  }
}
