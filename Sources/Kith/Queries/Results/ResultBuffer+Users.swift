/// Users as records: each result is one allocation. Cards, then names, are prefetched before they are read, so that the
/// cache misses of scattered rows overlap.
///
/// Rows are given by index, so that they are read where they are: each initialiser is inlined into its caller.
extension ResultBuffer<UserRecord> {
  /// Users by row, each with whether the viewer, if any, follows them.
  @inline(__always)
  init(count: Int, _ visibility: Visibility, _ state: borrowing GraphState, row: (Int) -> UInt32) {
    if count == 0 {
      self.init(recordCount: 0, byteCount: 0) { _ in }
    } else if visibility.viewer == nil {
      self.init(count: count, state, row: row) { _, _, _ in }
    } else {
      self = visibility.withFollowing(count, state, row: row) { following in
        ResultBuffer(count: count, state, row: row) { index, _, record in record.following = following[index] }
      }
    }
  }

  /// The users at the ends of edges that are not the viewer's own, with the time of each edge.
  init(
    _ edges: [EdgeSelection.Edge], _ event: UserRecord.TimedEvent, _ visibility: Visibility,
    _ state: borrowing GraphState
  ) {
    self = visibility.withFollowing(edges.count, state, row: { edges[$0].row }) { following in
      ResultBuffer(count: edges.count, state, row: { edges[$0].row }) { index, _, record in
        if !following.isEmpty { record.following = following[index] }
        record.timedEvent = event
        record.second = edges[index].timestamp
      }
    }
  }

  /// Users by row.
  /// - Parameter complete: sets, by index and row and in order, the fields that do not come from the graph alone.
  @inline(__always)
  init(
    count: Int, _ state: borrowing GraphState, row: (Int) -> UInt32,
    complete: (Int, UInt32, inout UserRecord) -> Void
  ) {
    for index in 0..<count { state.users.names.prefetchReference(Int(row(index))) }
    var byteCount = 0
    for index in 0..<count { byteCount &+= state.users.names.prefetchText(Int(row(index))) }
    self.init(recordCount: count, byteCount: byteCount) { buffer in
      for index in 0..<count {
        let row = row(index)
        let (reference, card) = state.users.names.namedCard(row)
        let name = buffer.append(reference, of: state.users.names)
        var record = UserRecord(
          id: card.id, followerCount: UInt32(truncatingIfNeeded: card.followerCount),
          followeeCount: UInt32(truncatingIfNeeded: card.followeeCount),
          postCount: UInt32(truncatingIfNeeded: card.postCount),
          nameStart: UInt32(truncatingIfNeeded: name.lowerBound), nameByteCount: UInt8(truncatingIfNeeded: name.count))
        complete(index, row, &record)
        buffer.set(index, record)
      }
    }
  }

  /// A copy of the users at some indices.
  init(_ indices: [Int], of other: ResultBuffer) {
    let byteCount = indices.reduce(0) { $0 + Int(other[$1].name_size) }
    self.init(recordCount: indices.count, byteCount: byteCount) { buffer in
      var written: UInt32 = 0
      for (place, index) in indices.enumerated() {
        var record = other[index]
        buffer.append(other.string(at: Int(record.name_start), count: Int(record.name_size)))
        record.name_start = written
        written += UInt32(record.name_size)
        buffer.set(place, record)
      }
    }
  }
}
