/// What the host keeps with posts.
extension PostTable {
  mutating func setFlags(_ flags: UInt16, of row: UInt32) { useHost().value.setFlags(flags, of: row) }

  /// Whether any post has, or had, another audience than everyone.
  @inline(__always)
  var hasAudiences: Bool {
    // Where nothing is kept, no reference is counted.
    if host == nil { return false }
    return host?.value.hasAudiences ?? false
  }

  /// Who may see a post, whether its author is private or not.
  func audience(of row: UInt32) -> Audience {
    Audience(number: UInt64(host?.value.audience(of: row) ?? 0)) ?? .everyone
  }

  mutating func setAudience(_ audience: Audience, of row: UInt32) {
    if audience == .everyone && host == nil { return }
    useHost().value.setAudience(audience.number, of: row)
  }

  mutating func setPayload(_ payload: Span<UInt8>, of row: UInt32) { useHost().value.setPayload(payload, of: row) }

  /// Takes the payloads of a snapshot.
  mutating func restore(payloads: consuming TextColumn) { useHost().value.restore(payloads: payloads) }

  /// - Parameter time: in milliseconds; nil for a post that was not edited.
  mutating func setEditTime(_ time: Int64?, of row: UInt32) { useHost().value.setEditTime(time, of: row) }

  /// Sets what is given.
  mutating func set(_ fields: PostFields, of row: UInt32) {
    if let flags = fields.flags { setFlags(flags, of: row) }
    if let payload = fields.payload { setPayload(payload.span, of: row) }
    if let time = fields.editedAt { setEditTime(time.rawValue, of: row) }
    if let audience = fields.audience { setAudience(audience, of: row) }
  }
}
