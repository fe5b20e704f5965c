/// The sections of what a host keeps with users and posts.
extension GraphSections {
  /// With their readable names.
  static let namesOfHost: [(id: SectionID, name: String)] = [
    (userPayloadLengths, "users.payloadLength"), (userPayloadBytes, "users.payloadBytes"), (userFlags, "users.flags"),
    (postPayloadLengths, "posts.payloadLength"), (postPayloadBytes, "posts.payloadBytes"), (postFlags, "posts.flags"),
    (postEditTimes, "posts.editedAt"), (postAudiences, "posts.audience"), (userPrivacy, "users.isPrivate"),
    (userKinds, "users.kind"), (displayNameLengths, "users.displayNameLength"),
    (displayNameBytes, "users.displayNameBytes"),
  ]

  // MARK: - Writing

  /// What the host keeps with users and posts. A column that says nothing is left out.
  static func writeHost(_ state: borrowing GraphState, to sink: some SectionSink) throws(KithError) {
    let (userCount, postCount) = (state.users.rowCount, state.posts.rowCount)
    if state.users.hasKinds, (0..<UInt32(userCount)).contains(where: { state.users.kind(of: $0) != 0 }) {
      try writePlanes(userCount, as: userKinds, to: sink) { UInt32(state.users.kind(of: UInt32($0))) }
    }
    if state.users.hasDisplayNames {
      let column = state.users.allDisplayNames
      if column.liveByteCount > 0 {
        try write(column, count: userCount, as: displayNameLengths, displayNameBytes, to: sink)
      }
    }
    if let host = state.users.host {
      try writePayloads(host, userCount, as: userPayloadLengths, userPayloadBytes, to: sink)
      if (0..<UInt32(userCount)).contains(where: { state.users.flags(of: $0) != 0 }) {
        try writePlanes(userCount, as: userFlags, to: sink) { UInt32(state.users.flags(of: UInt32($0))) }
      }
    }
    if state.users.privateCount > 0 {
      try writePlanes(userCount, as: userPrivacy, to: sink) { state.users.isPrivate(UInt32($0)) ? 1 : 0 }
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
    if host.value.hasAudiences, (0..<UInt32(postCount)).contains(where: { host.value.audience(of: $0) != 0 }) {
      try writePlanes(postCount, as: postAudiences, to: sink) { UInt32(host.value.audience(of: UInt32($0))) }
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
    guard state.users.otherSearches.count < state.relations.userKinds.count else {
      throw try source.section(userKinds).corrupt("a user has a kind that is not declared")
    }
    if source.has(userPayloadLengths) {
      state.users.restore(payloads: try payloads(userPayloadLengths, userPayloadBytes, .user, source, ends))
    }
    if source.has(postPayloadLengths) {
      state.posts.restore(payloads: try payloads(postPayloadLengths, postPayloadBytes, .post, source, ends))
    }
    try forEachNumber(userFlags, upTo: UInt32(UInt16.max), .user, source, ends) {
      state.users.setFlags(UInt16(truncatingIfNeeded: $1), of: $0)
    }
    try forEachNumber(userPrivacy, upTo: 1, .user, source, ends) { row, _ in state.users.setPrivate(true, row) }
    try forEachNumber(postFlags, upTo: UInt32(UInt16.max), .post, source, ends) {
      state.posts.setFlags(UInt16(truncatingIfNeeded: $1), of: $0)
    }
    let audienceCount = UInt32(Audience.allCases.count)
    try forEachNumber(postAudiences, upTo: audienceCount - 1, .post, source, ends) { row, number in
      if let audience = Audience(number: UInt64(number)) { state.posts.setAudience(audience, of: row) }
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

  /// Restores the kinds of users, before their names.
  static func restoreKinds(
    from source: some SectionSource, _ ends: borrowing EdgeEnds, to users: inout UserTable
  ) throws(KithError) {
    guard source.has(schema) else { return }
    try forEachNumber(userKinds, upTo: UInt32(SocialGraph.Limits.kindCount) - 1, .user, source, ends) { row, number in
      users.restore(row, kind: UInt8(truncatingIfNeeded: number))
    }
  }

  /// Restores the display names, before the names are indexed.
  static func restoreDisplayNames(
    from source: some SectionSource, _ ends: borrowing EdgeEnds, to users: inout UserTable
  ) throws(KithError) {
    guard source.has(schema), source.has(displayNameLengths) else { return }
    let column = try texts(
      displayNameLengths, displayNameBytes, .user, limit: SocialGraph.Limits.usernameByteCount, source, ends)
    for row in 0..<column.count where column.byteCount(row) > 0 {
      let name = column.bytes(row)
      guard isUTF8(name), GraphState.problem(ofName: name) == nil else {
        throw try source.section(displayNameLengths).corrupt("the display name of row \(row) is none")
      }
      users.setDisplayName(name, of: UInt32(row))
    }
  }

  private static func payloads(
    _ lengths: SectionID, _ bytes: SectionID, _ end: Relation.End, _ source: some SectionSource,
    _ ends: borrowing EdgeEnds
  ) throws(KithError) -> TextColumn {
    try texts(lengths, bytes, end, limit: SocialGraph.Limits.payloadByteCount, source, ends)
  }

  /// Bytes of rows that are not removed, each at most so many.
  private static func texts(
    _ lengths: SectionID, _ bytes: SectionID, _ end: Relation.End, limit: Int, _ source: some SectionSource,
    _ ends: borrowing EdgeEnds
  ) throws(KithError) -> TextColumn {
    let lengthSection = try source.section(lengths)
    let counts = try lengthSection.decodedUInt32(count: ends.count(end))
    for row in counts.indices
    where counts[row] > limit || (counts[row] > 0 && ends.isGone(UInt32(row), end)) {
      throw lengthSection.corrupt("\(counts[row]) bytes in row \(row)")
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

  /// Calls `body` with the rows of a section that have another number than 0; with none if there is no such section.
  private static func forEachNumber(
    _ id: SectionID, upTo greatest: UInt32, _ end: Relation.End, _ source: some SectionSource,
    _ ends: borrowing EdgeEnds, _ body: (_ row: UInt32, _ number: UInt32) -> Void
  ) throws(KithError) {
    guard source.has(id) else { return }
    let section = try source.section(id)
    var row: UInt32 = 0
    try section.forEachUInt32(count: ends.count(end)) { (stored) throws(KithError) in
      defer { row += 1 }
      if stored == 0 { return }
      guard stored <= greatest, !ends.isGone(row, end) else {
        throw section.corrupt("\(end) row \(row) has the number \(stored)")
      }
      body(row, stored)
    }
  }
}
