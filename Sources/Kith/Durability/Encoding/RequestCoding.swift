/// The encoding of a change that is requested, in a record of a log: see `LoggedRequests`.
enum RequestCoding {
  // MARK: - Writing

  /// - Precondition: times are not negative (`GraphState.checkShape`).
  static func append(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .addUser(let user, let username):
      append(.addUser, user?.rawValue ?? 0, to: &bytes)
      append(text: username, to: &bytes)
    case .renameUser(let user, let username):
      append(.renameUser, user.rawValue, to: &bytes)
      append(text: username, to: &bytes)
    case .removeUser(let user): append(.removeUser, user.rawValue, to: &bytes)
    case .addPost(let post, let author, let text, let createdAt):
      append(.addPost, post?.rawValue ?? 0, to: &bytes)
      append(id: author.rawValue, to: &bytes)
      append(text: text, to: &bytes)
      append(time: createdAt, to: &bytes)
    case .removePost(let post): append(.removePost, post.rawValue, to: &bytes)
    default:
      guard let edge = change.edge else { preconditionFailure("a change is of a user, of a post or of an edge") }
      let numbers = edge.kind.changeNumbers
      bytes.append(edge.adds ? numbers.add : numbers.remove)
      append(id: edge.source.rawValue, to: &bytes)
      append(id: edge.target, to: &bytes)
      if edge.adds && edge.kind.schema.hasTime { append(time: edge.time, to: &bytes) }
    }
  }

  private static func append(_ kind: ChangeCoding.Kind, _ id: Int64, to bytes: inout [UInt8]) {
    bytes.append(kind.rawValue)
    append(id: id, to: &bytes)
  }

  private static func append(id: Int64, to bytes: inout [UInt8]) {
    append(UInt64(bitPattern: id &<< 1 ^ id &>> 63), to: &bytes)
  }

  private static func append(time: Timestamp?, to bytes: inout [UInt8]) {
    precondition(time.map { $0.rawValue >= 0 } ?? true, "the shape of a request is checked before it is recorded")
    append(time.map { UInt64($0.rawValue) + 1 } ?? 0, to: &bytes)
  }

  private static func append(text: String, to bytes: inout [UInt8]) {
    append(UInt64(text.utf8.count), to: &bytes)
    bytes.append(contentsOf: text.utf8)
  }

  static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  // MARK: - Reading

  /// Reads the next change. The graph decides whether it can be applied.
  ///
  /// Allocates memory only for text whose bytes exist.
  /// - Throws: `corrupt` with the offset of the error.
  static func change(_ reader: inout ByteReader) throws(KithError) -> Change {
    let start = reader.position
    let number = try reader.readUInt8()
    if let edge = ChangeCoding.edges[Int(number)] {
      let (source, target) = (UserID(try id(&reader)), try id(&reader))
      let time = edge.adds && edge.kind.schema.hasTime ? try time(&reader) : nil
      return Change(EdgeChange(edge.kind, source, target, at: time, adds: edge.adds))
    }
    guard let kind = ChangeCoding.Kind(rawValue: number) else {
      throw reader.corrupt("no request is of kind \(number)", at: start)
    }
    switch kind {
    case .addUser:
      let user = try id(&reader)
      return .addUser(id: user == 0 ? nil : UserID(user), username: try text(&reader))
    case .renameUser: return .renameUser(UserID(try id(&reader)), to: try text(&reader))
    case .removeUser: return .removeUser(UserID(try id(&reader)))
    case .addPost:
      let post = try id(&reader)
      return .addPost(
        id: post == 0 ? nil : PostID(post), author: UserID(try id(&reader)), text: try text(&reader),
        createdAt: try time(&reader))
    case .removePost: return .removePost(PostID(try id(&reader)))
    }
  }

  private static func id(_ reader: inout ByteReader) throws(KithError) -> Int64 {
    let value = try number(&reader)
    return Int64(bitPattern: value &>> 1) ^ -Int64(value & 1)
  }

  private static func time(_ reader: inout ByteReader) throws(KithError) -> Timestamp? {
    let start = reader.position
    let value = try number(&reader)
    guard value <= 1 << 63 else { throw reader.corrupt("a time is beyond 2⁶³", at: start) }
    return value == 0 ? nil : Timestamp(Int64(value - 1))
  }

  private static func text(_ reader: inout ByteReader) throws(KithError) -> String {
    let start = reader.position
    let byteCount = try number(&reader)
    guard byteCount <= UInt64(reader.remaining) else {
      throw reader.corrupt("a text of \(byteCount) bytes, \(reader.remaining) are left", at: start)
    }
    let bytes = try reader.readBytes(Int(byteCount))
    guard let text = String.fromUTF8(bytes.span) else {
      throw reader.corrupt("the text is not UTF-8", at: start)
    }
    return text
  }

  static func number(_ reader: inout ByteReader) throws(KithError) -> UInt64 {
    let start = reader.position
    var value: UInt64 = 0
    for shift: UInt64 in stride(from: 0, to: 70, by: 7) {
      let byte = try reader.readUInt8()
      guard shift < 63 || byte <= 1 else { throw reader.corrupt("a number is 2⁶⁴ or more", at: start) }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else { throw reader.corrupt("a number is not in its shortest form", at: start) }
        return value
      }
    }
    throw reader.corrupt("a number is 2⁶⁴ or more", at: start)
  }
}
