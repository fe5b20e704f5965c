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
    if let displayName = fields.displayName {
      displayName.withBytes { name in
        let isSame = withDisplayName(row) { ByteSearch.compare($0, name) } == 0
        if !isSame { setDisplayName(name, of: row) }
      }
    }
  }

  /// The display name of a row; nil for none.
  func displayName(of row: UInt32) -> String? {
    guard let column = displayNames(ofKind: names.kind(row)), column.value.byteCount(ofRow: row) > 0 else { return nil }
    return column.value.string(Int(row))
  }
}
