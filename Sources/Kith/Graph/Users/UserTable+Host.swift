/// What the host keeps with users.
extension UserTable {
  func flags(of row: UInt32) -> UInt16 { names.card(row).flags }

  mutating func setFlags(_ flags: UInt16, of row: UInt32) {
    useHost()
    var card = names.card(row)
    card.flags = flags
    setCard(row, card)
  }

  mutating func setPayload(_ payload: Span<UInt8>, of row: UInt32) { useHost().value.setPayload(payload, of: row) }

  /// Takes the payloads of a snapshot.
  mutating func restore(payloads: consuming TextColumn) { useHost().value.restore(payloads: payloads) }

  /// Sets what is given.
  mutating func set(_ fields: UserFields, of row: UInt32) {
    if let flags = fields.flags { setFlags(flags, of: row) }
    if let payload = fields.payload { setPayload(payload.span, of: row) }
    if let isPrivate = fields.isPrivate { setPrivate(isPrivate, row) }
  }
}
