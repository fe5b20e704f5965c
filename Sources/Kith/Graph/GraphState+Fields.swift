/// What a host keeps with users and posts, and edits of texts: how changes of these are completed, validated and made.
extension GraphState {
  // MARK: - Completing

  /// Fields of a new user or post, or of an edit, need a schema.
  /// - Throws: `noSchema`.
  func checkMayHaveFields() throws(KithError) { if !relations.hasSchema { throw .noSchema } }

  /// Fills in when a post is edited. Nil for other changes.
  /// - Throws: `noSchema`, `invalidRequest`.
  @inline(never)
  func completeEdit(_ change: Change, now: () -> Timestamp) throws(KithError) -> Change? {
    switch change {
    case .editUser:
      try checkMayHaveFields()
      return change
    case .editPost(let post, let text, var fields):
      try checkMayHaveFields()
      if text == nil && fields.payload == nil {
        if fields.editedAt != nil { throw .invalidRequest(.editTimeUnused) }
      } else if fields.editedAt == nil {
        fields.editedAt = now()
      }
      return .editPost(post, text: text, fields: fields)
    default: return nil
    }
  }

  // MARK: - Validating

  /// - Throws: `noSchema`, `invalidRequest`.
  func check(_ fields: UserFields) throws(KithError) {
    if fields.isEmpty { return }
    try checkMayHaveFields()
    try Self.check(payload: fields.payload)
    _ = try relations.number(ofKind: fields.kind)
    if let displayName = fields.displayName, !displayName.isEmpty {
      let problem = displayName.withBytes { Self.problem(ofName: $0) }
      if let problem { throw .invalidRequest(.displayName(problem)) }
    }
  }

  /// - Throws: `noSchema`, `invalidRequest`.
  func check(_ fields: PostFields) throws(KithError) {
    if fields.isEmpty { return }
    try checkMayHaveFields()
    try Self.check(payload: fields.payload)
    if let time = fields.editedAt, time.rawValue < 0 { throw .invalidRequest(.postTime(time)) }
  }

  private static func check(payload: [UInt8]?) throws(KithError) {
    if let count = payload?.count, count > SocialGraph.Limits.payloadByteCount {
      throw .invalidRequest(.payloadByteCount(count))
    }
  }

  /// The edit of a user; nil if it has no effect.
  func editing(_ user: UserID, _ fields: UserFields) throws(KithError) -> Edit? {
    try checkMayHaveFields()
    let row = try userRow(user)
    if fields.kind != nil { throw .invalidRequest(.kindStays) }
    try check(fields)
    let isSame =
      (fields.flags.map { $0 == users.flags(of: row) } ?? true)
      && (fields.payload.map { isPayload($0, of: row, users.host) } ?? true)
      && (fields.isPrivate.map { $0 == users.isPrivate(row) } ?? true)
      && (fields.displayName.map { isDisplayName($0, of: row) } ?? true)
    return isSame ? nil : .editUser(row)
  }

  /// The edit of a post; nil if it has no effect.
  func editing(_ post: PostID, _ text: String?, _ fields: PostFields) throws(KithError) -> Edit? {
    try checkMayHaveFields()
    let row = try postRow(post)
    if let count = text?.utf8.count, count > SocialGraph.Limits.textByteCount { throw .textTooLong(byteCount: count) }
    try check(fields)
    let changesFlags = fields.flags.map { $0 != posts.host?.value.flags(of: row) ?? 0 } ?? false
    let changesAudience = fields.audience.map { $0 != posts.audience(of: row) } ?? false
    let changesContent = changesText(of: row, to: text) || changesPayload(of: row, to: fields.payload)
    // A journal could have a text without the time of its edit.
    if changesContent && fields.editedAt == nil { throw .invalidRequest(.editTimeMissing) }
    return changesFlags || changesAudience || changesContent ? .editPost(row) : nil
  }

  private func changesText(of row: UInt32, to text: String?) -> Bool {
    guard let text else { return false }
    return posts.texts.withBytes(Int(row)) { ByteSearch.compare($0, Array(text.utf8).span) } != 0
  }

  private func changesPayload(of row: UInt32, to payload: [UInt8]?) -> Bool {
    payload.map { !isPayload($0, of: row, posts.host) } ?? false
  }

  private func isPayload(_ payload: [UInt8], of row: UInt32, _ host: Box<HostColumns>?) -> Bool {
    guard let host else { return payload.isEmpty }
    return host.value.withPayload(row) { ByteSearch.compare($0, payload.span) } == 0
  }

  private func isDisplayName(_ displayName: String, of row: UInt32) -> Bool {
    users.withDisplayName(row) { ByteSearch.compare($0, Array(displayName.utf8).span) } == 0
  }

  // MARK: - Making

  mutating func editUser(_ row: UInt32, _ change: Change) {
    guard case .editUser(_, let fields) = change else { preconditionFailure("the edit is of another change") }
    users.set(fields, of: row)
    if fields.displayName != nil { posts.setSignature(users.digests.signature(row), of: row) }
  }

  mutating func editPost(_ row: UInt32, _ change: Change) {
    guard case .editPost(_, let text, var fields) = change else {
      preconditionFailure("the edit is of another change")
    }
    let editsText = changesText(of: row, to: text)
    if !editsText && !changesPayload(of: row, to: fields.payload) { fields.editedAt = nil }
    if editsText, let text { text.withBytes { posts.setText($0, of: row) } }
    posts.set(fields, of: row)
  }

  // MARK: - Reading

  /// What the host keeps with a user; nil for what it keeps nothing of.
  func userFields(_ row: UInt32) -> UserFields {
    let flags = users.flags(of: row)
    let kind = users.names.kind(row)
    return UserFields(
      kind: kind == 0 ? nil : relations.userKinds[Int(kind)], displayName: users.displayName(of: row),
      payload: users.host.flatMap { payload(row, $0) },
      flags: flags == 0 ? nil : flags, isPrivate: users.isPrivate(row) ? true : nil)
  }

  /// What the host keeps with a post; nil for what it keeps nothing of.
  func postFields(_ row: UInt32) -> PostFields {
    guard let host = posts.host else { return PostFields() }
    let (flags, audience) = (host.value.flags(of: row), posts.audience(of: row))
    return PostFields(
      payload: payload(row, host), flags: flags == 0 ? nil : flags,
      editedAt: host.value.editTime(of: row).map { Timestamp($0) }, audience: audience == .everyone ? nil : audience)
  }

  private func payload(_ row: UInt32, _ host: Box<HostColumns>) -> [UInt8]? {
    host.value.withPayload(row) { bytes in
      if bytes.isEmpty { return nil }
      var copy: [UInt8] = []
      copy.reserveCapacity(bytes.count)
      for index in bytes.indices { copy.append(bytes[index]) }
      return copy
    }
  }

  /// The name of the kind of a user; empty for `user`.
  func kindName(of row: UInt32) -> String {
    let kind = users.names.kind(row)
    return kind == 0 ? "" : relations.userKinds[Int(kind)]
  }

  // MARK: - Comparing

  /// Whether a user has just the fields of a change that adds them.
  func has(_ fields: UserFields, user row: UInt32) -> Bool {
    (fields.flags ?? 0) == users.flags(of: row) && (fields.isPrivate ?? false) == users.isPrivate(row)
      && isPayload(fields.payload ?? [], of: row, users.host) && isDisplayName(fields.displayName ?? "", of: row)
      && fields.kind ?? "user" == relations.userKinds[Int(users.names.kind(row))]
  }

  /// Whether a post has just the fields of a change that adds it.
  func has(_ fields: PostFields, post row: UInt32) -> Bool {
    (fields.flags ?? 0) == posts.host?.value.flags(of: row) ?? 0
      && fields.editedAt?.rawValue == posts.host?.value.editTime(of: row)
      && (fields.audience ?? .everyone) == posts.audience(of: row)
      && isPayload(fields.payload ?? [], of: row, posts.host)
  }
}
