/// Fields of a change in a journal or a log: a byte that says which are given, then these in their order.
///
/// A payload is its length, a varint, then its bytes; flags are a varint, and so is a time. Then comes the number of an
/// audience, of a post, or 1 or 0 for whether a user is private: one byte. Then come a display name, and the
/// name of the kind of a new user, each as a payload does.
enum FieldsCoding {
  private static let (payload, flags, editedAt, access): (UInt8, UInt8, UInt8, UInt8) = (1, 2, 4, 8)
  private static let (displayName, kind): (UInt8, UInt8) = (16, 32)

  private struct Fields {
    var payload: [UInt8]?
    var flags: UInt16?
    var editedAt: Timestamp?
    /// The number of an audience, or whether a user is private.
    var access: UInt8?
    var displayName: [UInt8]?
    var kind: [UInt8]?
  }

  static func append(_ fields: UserFields, to bytes: inout [UInt8]) {
    let access: UInt8? = fields.isPrivate.map { $0 ? 1 : 0 }
    let displayName = fields.displayName.map { Array($0.utf8) }
    append(
      Fields(
        payload: fields.payload, flags: fields.flags, access: access, displayName: displayName,
        kind: fields.kind.map { Array($0.utf8) }), to: &bytes)
  }

  static func append(_ fields: PostFields, to bytes: inout [UInt8]) {
    append(
      Fields(
        payload: fields.payload, flags: fields.flags, editedAt: fields.editedAt, access: fields.audience?.number),
      to: &bytes)
  }

  private static func append(_ fields: Fields, to bytes: inout [UInt8]) {
    bytes.append(
      (fields.payload == nil ? 0 : payload) | (fields.flags == nil ? 0 : flags)
        | (fields.editedAt == nil ? 0 : editedAt) | (fields.access == nil ? 0 : access)
        | (fields.displayName == nil ? 0 : displayName) | (fields.kind == nil ? 0 : kind))
    if let payload = fields.payload {
      bytes.appendVarint(UInt64(payload.count))
      bytes += payload
    }
    if let flags = fields.flags { bytes.appendVarint(UInt64(flags)) }
    if let editedAt = fields.editedAt { bytes.appendVarint(UInt64(bitPattern: editedAt.rawValue)) }
    if let access = fields.access { bytes.append(access) }
    for text in [fields.displayName, fields.kind].compactMap(\.self) {
      bytes.appendVarint(UInt64(text.count))
      bytes += text
    }
  }

  /// - Parameter mayBeEmpty: whether no field need be given: a change that adds without fields has another kind.
  /// - Throws: `corrupt`.
  static func readUser(_ reader: inout ByteReader, mayBeEmpty: Bool = true) throws(KithError) -> UserFields {
    let start = reader.position
    let fields = try read(&reader, mayBeEmpty)
    if fields.editedAt != nil { throw reader.corrupt("a user has a time of an edit", at: start) }
    if let access = fields.access, access > 1 { throw reader.corrupt("a user is private: \(access)", at: start) }
    func text(_ bytes: [UInt8]?) throws(KithError) -> String? {
      guard let bytes else { return nil }
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw reader.corrupt("the name or the kind of a user is not UTF-8", at: start)
      }
      return text
    }
    return UserFields(
      kind: try text(fields.kind), displayName: try text(fields.displayName), payload: fields.payload,
      flags: fields.flags,
      isPrivate: fields.access.map { $0 == 1 })
  }

  /// As `readUser`.
  /// - Throws: `corrupt`.
  static func readPost(_ reader: inout ByteReader, mayBeEmpty: Bool = true) throws(KithError) -> PostFields {
    let start = reader.position
    let fields = try read(&reader, mayBeEmpty)
    if fields.displayName != nil || fields.kind != nil {
      throw reader.corrupt("a post has a display name, or a kind", at: start)
    }
    var audience: Audience?
    if let access = fields.access {
      audience = Audience(number: UInt64(access))
      if audience == nil { throw reader.corrupt("no audience has the number \(access)", at: start) }
    }
    return PostFields(payload: fields.payload, flags: fields.flags, editedAt: fields.editedAt, audience: audience)
  }

  private static func read(_ reader: inout ByteReader, _ mayBeEmpty: Bool) throws(KithError) -> Fields {
    let start = reader.position
    let given = try reader.readUInt8()
    guard given & ~(payload | flags | editedAt | access | displayName | kind) == 0, mayBeEmpty || given != 0 else {
      throw reader.corrupt("there are no fields of the kinds \(given)", at: start)
    }
    var found = Fields()
    /// Bytes behind their length.
    func bytes(_ what: String, atMost limit: Int) throws(KithError) -> [UInt8] {
      let count = try reader.readVarint()
      guard count <= UInt64(min(limit, reader.remaining)) else {
        throw reader.corrupt("\(what) of \(count) bytes, \(reader.remaining) are left", at: start)
      }
      return try reader.readBytes(Int(count))
    }
    if given & payload != 0 { found.payload = try bytes("a payload", atMost: SocialGraph.Limits.payloadByteCount) }
    if given & flags != 0 {
      guard let value = UInt16(exactly: try reader.readVarint()) else {
        throw reader.corrupt("flags are more than sixteen", at: start)
      }
      found.flags = value
    }
    if given & editedAt != 0 { found.editedAt = Timestamp(Int64(try reader.readVarint(bitCount: 63))) }
    if given & access != 0 { found.access = try reader.readUInt8() }
    if given & displayName != 0 {
      found.displayName = try bytes("a display name", atMost: SocialGraph.Limits.usernameByteCount)
    }
    if given & kind != 0 { found.kind = try bytes("a kind", atMost: SocialGraph.Limits.relationNameByteCount) }
    return found
  }
}
