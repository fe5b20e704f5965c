/// Fields as members of a change on the wire.
extension UserFields {
  func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
    if let payload { try writer.member(.payload, Base64.standard.text(payload)) }
    if let flags { try writer.member(.flags, Int64(flags)) }
  }

  init(_ object: KeyedDecodingContainer<WireKey>) throws {
    self.init(payload: try object.payload(), flags: try object.decodeIfPresent(UInt16.self, forKey: .flags))
  }
}

extension PostFields {
  func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
    if let payload { try writer.member(.payload, Base64.standard.text(payload)) }
    if let flags { try writer.member(.flags, Int64(flags)) }
    if let editedAt { try writer.member(.editedAt, editedAt.rawValue) }
  }

  init(_ object: KeyedDecodingContainer<WireKey>) throws {
    self.init(
      payload: try object.payload(), flags: try object.decodeIfPresent(UInt16.self, forKey: .flags),
      editedAt: try object.time(.editedAt, in: 0...Int64.max))
  }
}

extension KeyedDecodingContainer<WireKey> {
  fileprivate func payload() throws -> [UInt8]? {
    guard let text = try decodeIfPresent(String.self, forKey: .payload) else { return nil }
    guard let bytes = Base64.standard.bytes(text) else {
      throw DecodingError.dataCorruptedError(forKey: .payload, in: self, debugDescription: "a payload is base64")
    }
    return bytes
  }
}
