/// The encoding of a change in a journal: a kind, then the fields in the order of `Change`.
///
/// Ids, times and lengths are varints: seven bits per byte, lowest first, the high bit set on all but the last byte, in
/// the shortest form, below 2⁶³. Text is its length in bytes, then its UTF-8 as given. Each change has exactly one
/// encoding. A follow takes about 15 bytes.
enum ChangeCoding {
  /// The first byte of a change of a user or a post; those of edges are `RelationKind.changeNumbers`. The numbers are
  /// stored in files: never change or reuse one.
  enum Kind: UInt8, CaseIterable {
    case addUser = 1
    case renameUser = 2
    case removeUser = 3
    case addPost = 6
    case removePost = 7
  }

  /// The changes of edges by their first byte; nil for what is none.
  static let edges: [(kind: RelationKind, adds: Bool)?] = (0...UInt8.max).map { number in
    for kind in RelationKind.allCases {
      if kind.changeNumbers.add == number { return (kind, true) }
      if kind.changeNumbers.remove == number { return (kind, false) }
    }
    return nil
  }

  /// The shortest change: a kind and one id.
  static let smallestByteCount = 2

  // MARK: - Writing

  /// - Precondition: the change is complete and was applied: ids and times are set and not negative.
  static func append(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .addUser(let id, let username):
      append(.addUser, completed(id).rawValue, to: &bytes)
      append(text: username, to: &bytes)
    case .renameUser(let user, let username):
      append(.renameUser, user.rawValue, to: &bytes)
      append(text: username, to: &bytes)
    case .removeUser(let user): append(.removeUser, user.rawValue, to: &bytes)
    case .addPost(let id, let author, let text, let createdAt):
      append(.addPost, completed(id).rawValue, to: &bytes)
      append(author.rawValue, to: &bytes)
      append(text: text, to: &bytes)
      append(completed(createdAt).rawValue, to: &bytes)
    case .removePost(let post): append(.removePost, post.rawValue, to: &bytes)
    default:
      guard let edge = change.edge else { preconditionFailure("a change is of a user, of a post or of an edge") }
      append(edge, to: &bytes)
    }
  }

  private static func append(_ kind: Kind, _ id: Int64, to bytes: inout [UInt8]) {
    bytes.append(kind.rawValue)
    append(id, to: &bytes)
  }

  private static func append(_ edge: EdgeChange, to bytes: inout [UInt8]) {
    let numbers = edge.kind.changeNumbers
    bytes.append(edge.adds ? numbers.add : numbers.remove)
    append(edge.source.rawValue, to: &bytes)
    append(edge.target, to: &bytes)
    if edge.adds && edge.kind.schema.hasTime { append(completed(edge.time).rawValue, to: &bytes) }
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

  /// Reads the next change, which is then complete. The graph decides whether it can be applied.
  ///
  /// Allocates memory only for text whose bytes exist.
  /// - Throws: `corrupt` with the offset of the error.
  static func read(_ reader: inout ByteReader) throws(KithError) -> Change {
    let start = reader.position
    let number = try reader.readUInt8()
    if let edge = edges[Int(number)] { return Change(try self.edge(edge.kind, adds: edge.adds, &reader)) }
    guard let kind = Kind(rawValue: number) else { throw reader.corrupt("no change is of kind \(number)", at: start) }
    switch kind {
    case .addUser: return .addUser(id: try user(&reader), username: try text(&reader))
    case .renameUser: return .renameUser(try user(&reader), to: try text(&reader))
    case .removeUser: return .removeUser(try user(&reader))
    case .addPost:
      return .addPost(
        id: try post(&reader), author: try user(&reader), text: try text(&reader), createdAt: try time(&reader))
    case .removePost: return .removePost(try post(&reader))
    }
  }

  private static func edge(
    _ kind: RelationKind, adds: Bool, _ reader: inout ByteReader
  ) throws(KithError) -> EdgeChange {
    let (source, target) = (try user(&reader), try integer(&reader))
    let time: Timestamp? = adds && kind.schema.hasTime ? try time(&reader) : nil
    return EdgeChange(kind, source, target, at: time, adds: adds)
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
    let bytes = try reader.readBytes(Int(byteCount))
    guard let text = String.fromUTF8(bytes.span) else {
      throw reader.corrupt("the text is not UTF-8", at: start)
    }
    return text
  }

  private static func integer(_ reader: inout ByteReader) throws(KithError) -> Int64 {
    let start = reader.position
    var value: UInt64 = 0
    // Nine bytes of seven bits are 63 bits, so the result cannot be negative.
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
