/// The sections of what a host keeps with users and posts.
extension GraphSections {
  /// With their readable names.
  static let namesOfHost: [(id: SectionID, name: String)] = [
    (userPayloadLengths, "users.payloadLength"), (userPayloadBytes, "users.payloadBytes"), (userFlags, "users.flags"),
    (postPayloadLengths, "posts.payloadLength"), (postPayloadBytes, "posts.payloadBytes"), (postFlags, "posts.flags"),
    (postEditTimes, "posts.editedAt"),
  ]

  // MARK: - Writing

  /// What the host keeps with users and posts. A column that says nothing is left out.
  static func writeHost(_ state: borrowing GraphState, to sink: some SectionSink) throws(KithError) {
    let (userCount, postCount) = (state.users.rowCount, state.posts.rowCount)
    if let host = state.users.host {
      try writePayloads(host, userCount, as: userPayloadLengths, userPayloadBytes, to: sink)
      if (0..<UInt32(userCount)).contains(where: { state.users.flags(of: $0) != 0 }) {
        try writePlanes(userCount, as: userFlags, to: sink) { UInt32(state.users.flags(of: UInt32($0))) }
      }
    }
    guard let host = state.posts.host else { return }
    try writePayloads(host, postCount, as: postPayloadLengths, postPayloadBytes, to: sink)
    if host.value.hasFlags, (0..<UInt32(postCount)).contains(where: { host.value.flags(of: $0) != 0 }) {
      try writePlanes(postCount, as: postFlags, to: sink) { UInt32(host.value.flags(of: UInt32($0))) }
    }
    if host.value.hasEdits, (0..<UInt32(postCount)).contains(where: { host.value.editTime(of: $0) != nil }) {
      try writeDeltas(postCount, as: postEditTimes, to: sink) {
        Int64(bitPattern: host.value.storedEditTime(of: UInt32($0)))
      }
    }
  }

  /// Writes the payloads of all rows; nothing if there are none.
  private static func writePayloads(
    _ host: Box<HostColumns>, _ rowCount: Int, as lengths: SectionID, _ bytes: SectionID, to sink: some SectionSink
  ) throws(KithError) {
    if host.value.payloads.liveByteCount == 0 { return }
    try write(host.value.payloads, count: rowCount, as: lengths, bytes, to: sink)
  }

  // MARK: - Reading

  static func restoreHost(
    from source: some SectionSource, _ ends: borrowing EdgeEnds, to state: inout GraphState
  ) throws(KithError) {
    guard source.has(schema) else { return }
    if source.has(userPayloadLengths) {
      state.users.restore(payloads: try payloads(userPayloadLengths, userPayloadBytes, .user, source, ends))
    }
    if source.has(postPayloadLengths) {
      state.posts.restore(payloads: try payloads(postPayloadLengths, postPayloadBytes, .post, source, ends))
    }
    if source.has(userFlags) {
      try forEachFlags(userFlags, .user, source, ends) { state.users.setFlags($1, of: $0) }
    }
    if source.has(postFlags) {
      try forEachFlags(postFlags, .post, source, ends) { state.posts.setFlags($1, of: $0) }
    }
    if source.has(postEditTimes) {
      let section = try source.section(postEditTimes)
      var row: UInt32 = 0
      try section.forEachInt64(count: ends.count(.post)) { (stored) throws(KithError) in
        defer { row += 1 }
        if stored == 0 { return }
        guard let time = Int64(exactly: UInt64(bitPattern: stored) - 1), !ends.isGone(row, .post) else {
          throw section.corrupt("post row \(row) was edited at \(UInt64(bitPattern: stored)), less one")
        }
        state.posts.setEditTime(time, of: row)
      }
    }
  }

  private static func payloads(
    _ lengths: SectionID, _ bytes: SectionID, _ end: Relation.End, _ source: some SectionSource,
    _ ends: borrowing EdgeEnds
  ) throws(KithError) -> TextColumn {
    let lengthSection = try source.section(lengths)
    let counts = try lengthSection.decodedUInt32(count: ends.count(end))
    for row in counts.indices
    where counts[row] > SocialGraph.Limits.payloadByteCount || (counts[row] > 0 && ends.isGone(UInt32(row), end)) {
      throw lengthSection.corrupt("a payload of \(counts[row]) bytes in row \(row)")
    }
    let (head, contentByteCount, place) = try source.find(bytes)
    try head.check(counts.reduce(0) { $0 + Int($1) }, encodings: [.bytes], place)
    guard UInt64(contentByteCount) == head.elementCount else {
      throw place.corrupt("section \(bytes): \(contentByteCount) bytes are not \(head.elementCount) elements")
    }
    var payloads = TextAssembly(lengths: counts, of: bytes, areTexts: false, place: place)
    try source.forEachFrame(of: bytes) { (frame) throws(KithError) in try payloads.take(frame) }
    return payloads.finish()
  }

  private static func forEachFlags(
    _ id: SectionID, _ end: Relation.End, _ source: some SectionSource, _ ends: borrowing EdgeEnds,
    _ body: (UInt32, UInt16) -> Void
  ) throws(KithError) {
    let section = try source.section(id)
    var row: UInt32 = 0
    try section.forEachUInt32(count: ends.count(end)) { (stored) throws(KithError) in
      defer { row += 1 }
      if stored == 0 { return }
      guard let flags = UInt16(exactly: stored), !ends.isGone(row, end) else {
        throw section.corrupt("\(end) row \(row) has the flags \(stored)")
      }
      body(row, flags)
    }
  }
}
