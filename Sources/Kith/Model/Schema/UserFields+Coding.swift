/// Fields as members of a change on the wire.
extension UserFields {
  func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
    if let kind { try writer.member(.kind, kind) }
    if let displayName { try writer.member(.displayName, displayName) }
    if let payload { try writer.member(.payload, Base64.standard.text(payload)) }
    if let flags { try writer.member(.flags, Int64(flags)) }
    if let isPrivate { try writer.member(.isPrivate, isPrivate) }
  }

  init(_ object: KeyedDecodingContainer<WireKey>) throws {
    self.init(
      kind: try object.decodeIfPresent(String.self, forKey: .kind),
      displayName: try object.decodeIfPresent(String.self, forKey: .displayName), payload: try object.payload(),
      flags: try object.decodeIfPresent(UInt16.self, forKey: .flags),
      isPrivate: try object.decodeIfPresent(Bool.self, forKey: .isPrivate))
  }
}

extension PostFields {
  func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
    if let payload { try writer.member(.payload, Base64.standard.text(payload)) }
    if let flags { try writer.member(.flags, Int64(flags)) }
    if let editedAt { try writer.member(.editedAt, editedAt.rawValue) }
    if let audience { try writer.member(.audience, audience.rawValue) }
  }

  init(_ object: KeyedDecodingContainer<WireKey>) throws {
    self.init(
      payload: try object.payload(), flags: try object.decodeIfPresent(UInt16.self, forKey: .flags),
      editedAt: try object.time(.editedAt, in: 0...Int64.max), audience: try object.audience())
  }
}

extension KeyedDecodingContainer<WireKey> {
  fileprivate func audience() throws -> Audience? {
    guard let word = try decodeIfPresent(String.self, forKey: .audience) else { return nil }
    guard let audience = Audience(rawValue: word) else {
      throw DecodingError.dataCorruptedError(forKey: .audience, in: self, debugDescription: "no audience has this name")
    }
    return audience
  }

  fileprivate func payload() throws -> [UInt8]? {
    guard let text = try decodeIfPresent(String.self, forKey: .payload) else { return nil }
    guard let bytes = Base64.standard.bytes(text) else {
      throw DecodingError.dataCorruptedError(forKey: .payload, in: self, debugDescription: "a payload is base64")
    }
    return bytes
  }
}
