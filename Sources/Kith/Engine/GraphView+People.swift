/// Users as answers: each answer is one allocation, filled column by column. Rows lie anywhere in memory, and so their
/// cache misses overlap.
extension GraphView {
  /// Users, and of each whether the viewer, if any, follows them.
  func people(_ rows: some Collection<UInt32>, _ sight: Sight) -> UserRecords {
    people(rows) { row, record in mark(&record, row, sight) }
  }

  /// The users at the ends of edges that are not the viewer's own, and when each was made.
  func people(_ edges: [EdgeSelection.Edge], _ event: UserRecord.Event, _ sight: Sight) -> UserRecords {
    var index = 0
    return people(edges.lazy.map { $0.row }) { row, record in
      mark(&record, row, sight)
      record.event = event
      record.second = edges[index].second
      index += 1
    }
  }

  @inline(__always)
  func mark(_ record: inout UserRecord, _ row: UInt32, _ sight: Sight) {
    if let viewer = sight.viewer { record.following = state.follows.contains(viewer, row) ? .yes : .no }
  }

  /// Users by row. Where rows are a lazy map, let it be one by a closure: a key path is interpreted at every element,
  /// which was a seventh of a search for people.
  /// - Parameter complete: says, in the order of rows, what the graph alone does not.
  @inline(__always)
  func people(_ rows: some Collection<UInt32>, _ complete: (UInt32, inout UserRecord) -> Void) -> UserRecords {
    var byteCount = 0
    for row in rows {
      byteCount &+= state.users.names.prefetchText(Int(row))
      state.follows.backward.prefetchEnd(of: Int(row))
      state.follows.forward.prefetchEnd(of: Int(row))
      state.posts.byAuthor.prefetchEnd(of: Int(row))
    }
    return UserRecords(recordCount: rows.count, byteCount: byteCount) { buffer in
      var index = 0
      for row in rows {
        let name = buffer.append(Int(row), of: state.users.names)
        var record = UserRecord(
          id: state.users.identifiers.id(of: row),
          followerCount: UInt32(truncatingIfNeeded: state.follows.sourceCount(row)),
          followeeCount: UInt32(truncatingIfNeeded: state.follows.targetCount(row)),
          postCount: UInt32(truncatingIfNeeded: state.posts.byAuthor.count(of: Int(row))),
          nameStart: UInt32(truncatingIfNeeded: name.lowerBound), nameByteCount: UInt8(truncatingIfNeeded: name.count))
        complete(row, &record)
        buffer.set(index, record)
        index &+= 1
      }
    }
  }
}
