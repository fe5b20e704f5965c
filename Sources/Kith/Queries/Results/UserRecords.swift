/// Users as records: each result is one allocation. Cards, then names, are prefetched before they are read, so that the
/// cache misses of scattered rows overlap.
///
/// Rows are given by index, so that they are read where they are: each initialiser is inlined into its caller.
extension ResultBuffer<UserRecord> {
  /// A list of at most so many followees is searched for one user after the other.
  private static var shortListCount: Int { 128 }

  /// Users by row, each with whether the viewer, if any, follows them.
  @inline(__always)
  init(count: Int, _ visibility: Visibility, _ state: borrowing GraphState, row: (Int) -> UInt32) {
    if count == 0 {
      self.init(recordCount: 0, byteCount: 0) { _ in }
      return
    }
    guard let viewer = visibility.viewer else {
      self.init(count: count, state, row: row) { _, _, _ in }
      return
    }
    if state.follows.forward.isOneRun(Int(viewer)) {
      let followees = state.follows.forward.run(0, of: Int(viewer))
      if followees.count <= Self.shortListCount {
        self.init(count: count, state, row: row) { _, row, record in
          record.following = Relation.contains(row, in: followees) ? .yes : .no
        }
        return
      }
    }
    // To collect the runs of a very long list takes longer than to search it for a few users.
    if state.follows.forward.runCount(of: Int(viewer)) > count {
      self.init(count: count, state, row: row) { _, row, record in record.mark(row, visibility, state) }
      return
    }
    self = TargetSet.lend(targetsOf: viewer, in: state.follows) { followees in
      withTemporaryList(of: UInt32.self, capacity: TargetSet.laneCount) { rows in
        for _ in 0..<TargetSet.laneCount { rows.append(0) }
        var members: UInt32 = 0
        return ResultBuffer(count: count, state, row: row) { index, _, record in
          let lane = index % TargetSet.laneCount
          if lane == 0 {
            for place in 0..<min(TargetSet.laneCount, count - index) { rows[place] = row(index + place) }
            members = followees.members(among: rows.span)
          }
          record.following = members >> UInt32(lane) & 1 == 0 ? .no : .yes
        }
      }
    }
  }

  /// The users at the ends of edges that are not the viewer's own, with the time of each edge.
  init(
    _ edges: [EdgeSelection.Edge], _ event: UserRecord.Event, _ visibility: Visibility, _ state: borrowing GraphState
  ) {
    self.init(count: edges.count, state, row: { edges[$0].row }) { index, row, record in
      record.mark(row, visibility, state)
      record.event = event
      record.timestamp = edges[index].timestamp
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
    let byteCount = indices.reduce(0) { $0 + Int(other[$1].nameByteCount) }
    self.init(recordCount: indices.count, byteCount: byteCount) { buffer in
      var written: UInt32 = 0
      for (place, index) in indices.enumerated() {
        var record = other[index]
        buffer.append(other.string(at: Int(record.nameStart), count: Int(record.nameByteCount)))
        record.nameStart = written
        written += UInt32(record.nameByteCount)
        buffer.set(place, record)
      }
    }
  }
}

extension UserRecord {
  /// Sets whether the viewer, if any, follows the user.
  @inline(__always)
  mutating func mark(_ row: UInt32, _ visibility: Visibility, _ state: borrowing GraphState) {
    if let viewer = visibility.viewer { following = state.follows.contains(viewer, row) ? .yes : .no }
  }
}
