/// Users as records: each result is one allocation. Cards, then names, are prefetched before they are read, so that the
/// cache misses of scattered rows overlap.
///
/// Rows are given by what holds them, so that they are read where they are.
extension ResultBuffer<UserRecord> {
  /// Users by row, each with whether the viewer, if any, follows them.
  @inline(__always)
  init<Found>(_ found: Span<Found>, viewer: UInt32?, _ state: borrowing GraphState, row: (Found) -> UInt32) {
    self.init(found, viewer: viewer, state, row: row) { _, _, _ in }
  }

  /// - Parameter complete: sets, by index and row and in order, the fields that do not come from the graph alone.
  @inline(__always)
  init<Found>(
    _ found: Span<Found>, viewer: UInt32?, _ state: borrowing GraphState, row: (Found) -> UInt32,
    complete: (Int, UInt32, inout UserRecord) -> Void
  ) {
    for index in found.indices { state.users.names.prefetchReference(Int(row(found[index]))) }
    var byteCount = 0
    for index in found.indices { byteCount &+= state.users.names.prefetchText(Int(row(found[index]))) }
    let hasDisplayNames = state.users.hasDisplayNames
    if hasDisplayNames {
      for index in found.indices { byteCount &+= state.users.displayNameByteCount(row(found[index])) }
    }
    let hasKinds = state.users.hasKinds
    if hasKinds { for index in found.indices { byteCount &+= state.kindName(of: row(found[index])).utf8.count } }
    var buffer = ResultBufferWriter<UserRecord>(recordCount: found.count, byteCount: byteCount)
    for index in found.indices {
      let row = row(found[index])
      let (reference, card) = state.users.names.namedCard(row)
      let name = buffer.append(reference, of: state.users.names)
      var record = UserRecord(
        id: card.id, followerCount: UInt32(truncatingIfNeeded: card.followerCount),
        followeeCount: UInt32(truncatingIfNeeded: card.followeeCount),
        postCount: UInt32(truncatingIfNeeded: card.postCount),
        nameStart: UInt32(truncatingIfNeeded: name.lowerBound),
        nameByteCount: UInt8(truncatingIfNeeded: name.upperBound &- name.lowerBound), flags: card.flags,
        isPrivate: card.isPrivate)
      if hasDisplayNames, let displayNames = state.users.displayNames(ofKind: card.kind),
        row < displayNames.value.count
      {
        let place = buffer.append(displayNames.value.reference(Int(row)), of: displayNames.value)
        record.display_name_start = UInt32(truncatingIfNeeded: place.lowerBound)
        record.display_name_size = UInt8(truncatingIfNeeded: place.count)
      }
      if hasKinds {
        let name = state.kindName(of: row)
        let place = buffer.append(name)
        record.kind_size = UInt8(truncatingIfNeeded: place.count)
        if record.display_name_size == 0 { record.display_name_start = UInt32(truncatingIfNeeded: place.lowerBound) }
      }
      complete(index, row, &record)
      buffer.set(index, record)
    }
    let filled = buffer
    if let viewer {
      state.forEachFollowing(found.count, by: viewer, row: { row(found[$0]) }) { index, following in
        filled.update(index) { $0.following = following }
      }
    }
    self.init(filled)
  }

  /// The users at the ends of edges that are not the viewer's own, with the time of each edge.
  init(
    _ edges: [EdgeSelection.Edge], _ event: UserRecord.TimedEvent, _ visibility: Visibility,
    _ state: borrowing GraphState
  ) {
    self.init(edges.span, viewer: visibility.viewer, state, row: { $0.row }) { index, _, record in
      record.timedEvent = event
      record.second = edges[index].timestamp
    }
  }

  /// A copy of the users at some indices.
  init(_ indices: [Int], of other: ResultBuffer) {
    let byteCount = indices.reduce(0) { sum, index in
      let record = other[index]
      return sum + Int(record.name_size) + Int(record.display_name_size) + Int(record.kind_size)
    }
    var buffer = ResultBufferWriter<UserRecord>(recordCount: indices.count, byteCount: byteCount)
    var written: UInt32 = 0
    for (place, index) in indices.enumerated() {
      var record = other[index]
      buffer.append(other.string(at: Int(record.name_start), count: Int(record.name_size)))
      let size = Int(record.display_name_size) + Int(record.kind_size)
      buffer.append(other.string(at: Int(record.display_name_start), count: size))
      record.place(names: written)
      written += UInt32(record.name_size) + UInt32(size)
      buffer.set(place, record)
    }
    self.init(buffer)
  }
}
