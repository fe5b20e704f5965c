/// A change as bytes in a journal: a kind, then its fields in the order of `Change`.
///
/// Ids, times and lengths are variable-length integers: seven bits a byte, lowest first, the high bit on all but the
/// last, in the shortest form, below 2⁶³. Text is its length in bytes and its UTF-8, as it was given. So a change has
/// one encoding, and a follow takes about 15 bytes.
enum ChangeCoding {
  /// The first byte of a change. Numbers are never given to another kind.
  enum Kind: UInt8 {
    case addUser = 1
    case renameUser, removeUser, follow, unfollow, addPost, removePost, like, unlike, block, unblock, mute, unmute
  }

  /// No change is shorter: a kind, and one id.
  static let smallestByteCount = 2

  // MARK: - Writing

  /// - Precondition: the change is complete, and was applied: ids and times are there, and not negative.
  static func append(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .addUser(let id, let username):
      append(.addUser, completed(id).rawValue, to: &bytes)
      append(text: username, to: &bytes)
    case .renameUser(let user, let username):
      append(.renameUser, user.rawValue, to: &bytes)
      append(text: username, to: &bytes)
    case .removeUser(let user): append(.removeUser, user.rawValue, to: &bytes)
    case .follow(let user, let target, let time): append(.follow, user, target.rawValue, completed(time), to: &bytes)
    case .unfollow(let user, let target): append(.unfollow, user, target.rawValue, to: &bytes)
    case .addPost(let id, let author, let text, let createdAt):
      append(.addPost, completed(id).rawValue, to: &bytes)
      append(author.rawValue, to: &bytes)
      append(text: text, to: &bytes)
      append(completed(createdAt).rawValue, to: &bytes)
    case .removePost(let post): append(.removePost, post.rawValue, to: &bytes)
    case .like(let user, let post, let time): append(.like, user, post.rawValue, completed(time), to: &bytes)
    case .unlike(let user, let post): append(.unlike, user, post.rawValue, to: &bytes)
    case .block(let user, let target): append(.block, user, target.rawValue, to: &bytes)
    case .unblock(let user, let target): append(.unblock, user, target.rawValue, to: &bytes)
    case .mute(let user, let target): append(.mute, user, target.rawValue, to: &bytes)
    case .unmute(let user, let target): append(.unmute, user, target.rawValue, to: &bytes)
    }
  }

  private static func append(_ kind: Kind, _ id: Int64, to bytes: inout [UInt8]) {
    bytes.append(kind.rawValue)
    append(id, to: &bytes)
  }

  private static func append(
    _ kind: Kind, _ user: UserID, _ other: Int64, _ time: Timestamp? = nil, to bytes: inout [UInt8]
  ) {
    append(kind, user.rawValue, to: &bytes)
    append(other, to: &bytes)
    if let time { append(time.rawValue, to: &bytes) }
  }

  private static func append(text: String, to bytes: inout [UInt8]) {
    append(Int64(text.utf8.count), to: &bytes)
    bytes.append(contentsOf: text.utf8)
  }

  private static func append(_ value: Int64, to bytes: inout [UInt8]) {
    precondition(value >= 0, "a change is applied before it is recorded: its ids and times are not negative")
    var rest = UInt64(value)
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  private static func completed<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("a change is completed before it is recorded") }
    return value
  }

  // MARK: - Reading

  /// Reads the next change, which is then complete; whether it can be applied, the graph tells.
  ///
  /// Memory is taken only for text that is there. Errors: `corrupt` with the offset of what is wrong.
  static func read(_ reader: inout ByteReader) throws(KithError) -> Change {
    let start = reader.position
    let number = try reader.readUInt8()
    guard let kind = Kind(rawValue: number) else { throw reader.corrupt("no change is of kind \(number)", at: start) }
    switch kind {
    case .addUser: return .addUser(id: try user(&reader), username: try text(&reader))
    case .renameUser: return .renameUser(try user(&reader), username: try text(&reader))
    case .removeUser: return .removeUser(try user(&reader))
    case .follow: return .follow(try user(&reader), try user(&reader), at: try time(&reader))
    case .unfollow: return .unfollow(try user(&reader), try user(&reader))
    case .addPost:
      return .addPost(
        id: try post(&reader), author: try user(&reader), text: try text(&reader), createdAt: try time(&reader))
    case .removePost: return .removePost(try post(&reader))
    case .like: return .like(try user(&reader), try post(&reader), at: try time(&reader))
    case .unlike: return .unlike(try user(&reader), try post(&reader))
    case .block: return .block(try user(&reader), try user(&reader))
    case .unblock: return .unblock(try user(&reader), try user(&reader))
    case .mute: return .mute(try user(&reader), try user(&reader))
    case .unmute: return .unmute(try user(&reader), try user(&reader))
    }
  }

  private static func user(_ reader: inout ByteReader) throws(KithError) -> UserID {
    UserID(try integer(&reader))
  }

  private static func post(_ reader: inout ByteReader) throws(KithError) -> PostID {
    PostID(try integer(&reader))
  }

  private static func time(_ reader: inout ByteReader) throws(KithError) -> Timestamp {
    Timestamp(try integer(&reader))
  }

  private static func text(_ reader: inout ByteReader) throws(KithError) -> String {
    let start = reader.position
    let byteCount = try integer(&reader)
    guard byteCount <= reader.remaining else {
      throw reader.corrupt("a text of \(byteCount) bytes, \(reader.remaining) are left", at: start)
    }
    guard let text = String(validating: try reader.readBytes(Int(byteCount)), as: UTF8.self) else {
      throw reader.corrupt("the text is not UTF-8", at: start)
    }
    return text
  }

  private static func integer(_ reader: inout ByteReader) throws(KithError) -> Int64 {
    let start = reader.position
    var value: UInt64 = 0
    // Nine bytes of seven bits: 63 bits, so that the sum cannot be negative.
    for shift: UInt64 in stride(from: 0, to: 63, by: 7) {
      let byte = try reader.readUInt8()
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 {
        guard byte != 0 || shift == 0 else { throw reader.corrupt("an integer is not in its shortest form", at: start) }
        return Int64(value)
      }
    }
    throw reader.corrupt("an integer is 2⁶³ or more", at: start)
  }
}
