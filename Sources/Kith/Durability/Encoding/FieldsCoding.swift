/// Fields of a change in a journal or a log: a byte that says which are given, then these in their order.
///
/// A payload is its length, a varint, then its bytes; flags are a varint, and so is a time.
enum FieldsCoding {
  private static let (payload, flags, editedAt): (UInt8, UInt8, UInt8) = (1, 2, 4)

  static func append(_ fields: UserFields, to bytes: inout [UInt8]) {
    append(fields.payload, fields.flags, nil, to: &bytes)
  }

  static func append(_ fields: PostFields, to bytes: inout [UInt8]) {
    append(fields.payload, fields.flags, fields.editedAt, to: &bytes)
  }

  private static func append(
    _ payload: [UInt8]?, _ flags: UInt16?, _ editedAt: Timestamp?, to bytes: inout [UInt8]
  ) {
    bytes.append(
      (payload == nil ? 0 : self.payload) | (flags == nil ? 0 : self.flags) | (editedAt == nil ? 0 : self.editedAt))
    if let payload {
      bytes.appendVarint(UInt64(payload.count))
      bytes += payload
    }
    if let flags { bytes.appendVarint(UInt64(flags)) }
    if let editedAt { bytes.appendVarint(UInt64(bitPattern: editedAt.rawValue)) }
  }

  /// - Parameter mayBeEmpty: whether no field need be given: a change that adds without fields has another kind.
  /// - Throws: `corrupt`.
  static func readUser(_ reader: inout ByteReader, mayBeEmpty: Bool = true) throws(KithError) -> UserFields {
    let start = reader.position
    let (payload, flags, editedAt) = try read(&reader, mayBeEmpty)
    if editedAt != nil { throw reader.corrupt("a user has a time of an edit", at: start) }
    return UserFields(payload: payload, flags: flags)
  }

  /// As `readUser`.
  /// - Throws: `corrupt`.
  static func readPost(_ reader: inout ByteReader, mayBeEmpty: Bool = true) throws(KithError) -> PostFields {
    let (payload, flags, editedAt) = try read(&reader, mayBeEmpty)
    return PostFields(payload: payload, flags: flags, editedAt: editedAt)
  }

  private static func read(
    _ reader: inout ByteReader, _ mayBeEmpty: Bool
  ) throws(KithError) -> (payload: [UInt8]?, flags: UInt16?, editedAt: Timestamp?) {
    let start = reader.position
    let given = try reader.readUInt8()
    guard given & ~(payload | flags | editedAt) == 0, mayBeEmpty || given != 0 else {
      throw reader.corrupt("there are no fields of the kinds \(given)", at: start)
    }
    var found: (payload: [UInt8]?, flags: UInt16?, editedAt: Timestamp?)
    if given & payload != 0 {
      let count = try reader.readVarint()
      guard count <= UInt64(min(SocialGraph.Limits.payloadByteCount, reader.remaining)) else {
        throw reader.corrupt("a payload of \(count) bytes, \(reader.remaining) are left", at: start)
      }
      found.payload = try reader.readBytes(Int(count))
    }
    if given & flags != 0 {
      guard let value = UInt16(exactly: try reader.readVarint()) else {
        throw reader.corrupt("flags are more than sixteen", at: start)
      }
      found.flags = value
    }
    if given & editedAt != 0 { found.editedAt = Timestamp(Int64(try reader.readVarint(bitCount: 63))) }
    return found
  }
}
