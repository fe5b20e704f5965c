/// The encoding of a change: a kind, then the fields in the order of `Change`. Journals and logs differ in how they
/// write numbers.
///
/// Text is its length in bytes, a varint, then its UTF-8 as given. Each change has exactly one encoding.
enum ChangeCoding {
  /// A change that was made, in a journal: ids and times are varints below 2⁶³. A follow takes about 15 bytes.
  case journal
  /// A change that is requested, in a record of a log: see `LoggedRequests`.
  case log

  /// The first byte of a change of a user or a post; those of edges are `RelationKind.changeNumbers`. The numbers are
  /// stored in files: never change or reuse one.
  enum Kind: UInt8, CaseIterable {
    case addUser = 1
    case renameUser = 2
    case removeUser = 3
    case addPost = 6
    case removePost = 7
    case addEdge = 14
    case removeEdge = 15
    case declare = 16
    case addPostWithEdges = 17
    case addUserWithFields = 18
    case editUser = 19
    case addPostWithFields = 20
    case editPost = 21
  }

  /// The changes of edges by their first byte; nil for what is none.
  private static let edges: [(kind: RelationKind, adds: Bool)?] = (0...UInt8.max).map { number in
    for kind in RelationKind.allCases {
      if kind.changeNumbers.add == number { return (kind, true) }
      if kind.changeNumbers.remove == number { return (kind, false) }
    }
    return nil
  }

  /// The shortest change: a kind and one id.
  static let smallestByteCount = 2

  /// The bits of its largest number.
  private var bitCount: Int { self == .journal ? 63 : 64 }

  // MARK: - Writing

  /// - Precondition: times are not negative (`GraphState.checkShape`). In a journal the change is complete and was
  ///   applied: ids and times are set, and ids are not negative.
  func append(_ change: Change, to bytes: inout [UInt8]) {
    switch change {
    case .addUser(let id, let username, let fields):
      append(fields.isEmpty ? .addUser : .addUserWithFields, id?.rawValue, to: &bytes)
      append(text: username, to: &bytes)
      if !fields.isEmpty { FieldsCoding.append(fields, to: &bytes) }
    case .renameUser(let user, let username):
      append(.renameUser, user.rawValue, to: &bytes)
      append(text: username, to: &bytes)
    case .editUser(let user, let fields):
      append(.editUser, user.rawValue, to: &bytes)
      FieldsCoding.append(fields, to: &bytes)
    case .removeUser(let user): append(.removeUser, user.rawValue, to: &bytes)
    case .addPost(let id, let author, let text, let createdAt, let edges, let fields):
      append(Self.kind(edges, fields), id?.rawValue, to: &bytes)
      append(id: author.rawValue, to: &bytes)
      append(text: text, to: &bytes)
      append(time: createdAt, to: &bytes)
      if !fields.isEmpty { FieldsCoding.append(fields, to: &bytes) }
      if !fields.isEmpty || !edges.isEmpty { append(edges, to: &bytes) }
    case .editPost(let post, let text, let fields):
      append(.editPost, post.rawValue, to: &bytes)
      append(optionalText: text, to: &bytes)
      FieldsCoding.append(fields, to: &bytes)
    case .removePost(let post): append(.removePost, post.rawValue, to: &bytes)
    case .addEdge(let relation, let source, let target, let time):
      bytes.append(Kind.addEdge.rawValue)
      append(relation, from: source, to: target, hasTime: time != nil, to: &bytes)
      if let time { append(time: time, to: &bytes) }
    case .removeEdge(let relation, let source, let target):
      bytes.append(Kind.removeEdge.rawValue)
      append(relation, from: source, to: target, hasTime: true, to: &bytes)
    case .declare(let schema):
      bytes.append(Kind.declare.rawValue)
      SchemaCoding.append(schema, to: &bytes)
    default:
      guard let edge = change.edge else { preconditionFailure("a change is of a user, of a post or of an edge") }
      let numbers = edge.kind.changeNumbers
      bytes.append(edge.adds ? numbers.add : numbers.remove)
      append(id: edge.source.rawValue, to: &bytes)
      append(id: edge.target, to: &bytes)
      if edge.adds && edge.kind.facts.hasTime { append(time: edge.time, to: &bytes) }
    }
  }

  private static func kind(_ edges: [PostEdge], _ fields: PostFields) -> Kind {
    if !fields.isEmpty { return .addPostWithFields }
    return edges.isEmpty ? .addPost : .addPostWithEdges
  }

  private func append(_ edges: [PostEdge], to bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(edges.count))
    for edge in edges {
      append(edge.relation, from: nil, to: edge.target, hasTime: edge.time != nil, to: &bytes)
      if let time = edge.time { append(time: time, to: &bytes) }
    }
  }

  /// A text that may be missing: its length plus one, or 0, then its bytes.
  private func append(optionalText text: String?, to bytes: inout [UInt8]) {
    guard let text else { return bytes.appendVarint(0) }
    bytes.appendVarint(UInt64(text.utf8.count) + 1)
    bytes.append(contentsOf: text.utf8)
  }

  private func append(_ kind: Kind, _ id: Int64?, to bytes: inout [UInt8]) {
    bytes.append(kind.rawValue)
    append(id: id, to: &bytes)
  }

  /// Flags that say of which types the ends are, and whether a time follows; the name of the relation, and the ends. So
  /// an edge can be read without its schema.
  /// - Parameter source: nil for an edge that is given with its source, a new post.
  private func append(
    _ relation: Relation, from source: Node?, to target: Node, hasTime: Bool, to bytes: inout [UInt8]
  ) {
    let isFromPost = source.map { $0.end == .post } ?? true
    bytes.append(
      (isFromPost ? Self.fromPost : 0) | (target.end == .post ? Self.toPost : 0) | (hasTime ? 0 : Self.withoutTime))
    append(text: relation.name, to: &bytes)
    if let source { append(id: source.rawValue, to: &bytes) }
    append(id: target.rawValue, to: &bytes)
  }

  /// The flags of an edge of a declared relation. The others are zero.
  private static let (fromPost, toPost, withoutTime): (UInt8, UInt8, UInt8) = (1, 2, 4)

  private func append(id: Int64?, to bytes: inout [UInt8]) {
    switch self {
    case .journal: bytes.appendVarint(Self.recorded(id))
    case .log:
      let id = id ?? 0
      bytes.appendVarint(UInt64(bitPattern: id &<< 1 ^ id &>> 63))
    }
  }

  private func append(time: Timestamp?, to bytes: inout [UInt8]) {
    switch self {
    case .journal: bytes.appendVarint(Self.recorded(time?.rawValue))
    case .log: bytes.appendVarint(time.map { Self.recorded($0.rawValue) + 1 } ?? 0)
    }
  }

  func append(text: String, to bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }

  private static func recorded(_ value: Int64?) -> UInt64 {
    guard let value, value >= 0 else {
      preconditionFailure("a change is completed and checked before it is recorded: its numbers are not negative")
    }
    return UInt64(value)
  }

  // MARK: - Reading

  /// Reads the next change, which is complete if a journal has it. The graph decides whether it can be applied.
  ///
  /// Allocates memory only for text whose bytes exist.
  /// - Throws: `corrupt` with the offset of the error.
  func read(_ reader: inout ByteReader) throws(KithError) -> Change {
    let start = reader.position
    let number = try reader.readUInt8()
    if let (kind, adds) = Self.edges[Int(number)] {
      let (source, target) = (UserID(try id(&reader)), try id(&reader))
      let time = adds && kind.facts.hasTime ? try time(&reader) : nil
      return Change(EdgeChange(kind, source, target, at: time, adds: adds))
    }
    guard let kind = Kind(rawValue: number), self == .journal || number < Kind.addEdge.rawValue else {
      throw reader.corrupt("no \(self == .journal ? "change" : "request") is of kind \(number)", at: start)
    }
    switch kind {
    case .addUser, .addUserWithFields: return try newUser(kind, &reader)
    case .editUser:
      let user = UserID(try id(&reader))
      let fields = try FieldsCoding.readUser(&reader)
      return .editUser(user, fields)
    case .renameUser: return .renameUser(UserID(try id(&reader)), to: try text(&reader))
    case .removeUser: return .removeUser(UserID(try id(&reader)))
    case .addPost, .addPostWithEdges, .addPostWithFields: return try newPost(kind, &reader)
    case .editPost:
      let post = PostID(try id(&reader))
      let text = try optionalText(&reader)
      let fields = try FieldsCoding.readPost(&reader)
      return .editPost(post, text: text, fields: fields)
    case .removePost: return .removePost(PostID(try id(&reader)))
    case .addEdge, .removeEdge:
      let start = reader.position
      let (relation, hasTime) = try relation(&reader)
      let (source, target) = (Node(relation.source, try id(&reader)), Node(relation.target, try id(&reader)))
      if kind == .addEdge {
        return .addEdge(relation, from: source, to: target, at: hasTime ? try time(&reader) : nil)
      }
      guard hasTime else {
        throw reader.corrupt("an edge that is removed has a flag of those without a time", at: start)
      }
      return .removeEdge(relation, from: source, to: target)
    case .declare: return .declare(try SchemaCoding.read(&reader))
    }
  }

  private func newUser(_ kind: Kind, _ reader: inout ByteReader) throws(KithError) -> Change {
    let (id, username) = (try newID(&reader).map { UserID($0) }, try text(&reader))
    if kind == .addUser { return .addUser(id: id, username: username) }
    let fields = try FieldsCoding.readUser(&reader, mayBeEmpty: false)
    return .addUser(id: id, username: username, fields: fields)
  }

  private func newPost(_ kind: Kind, _ reader: inout ByteReader) throws(KithError) -> Change {
    let id = try newID(&reader).map { PostID($0) }
    let (author, text, time) = (UserID(try self.id(&reader)), try text(&reader), try time(&reader))
    switch kind {
    case .addPostWithEdges:
      let edges = try edges(&reader, atLeast: 1)
      return .addPost(id: id, by: author, text: text, createdAt: time, edges: edges)
    case .addPostWithFields:
      let fields = try FieldsCoding.readPost(&reader, mayBeEmpty: false)
      let edges = try edges(&reader, atLeast: 0)
      return .addPost(id: id, by: author, text: text, createdAt: time, edges: edges, fields: fields)
    default: return .addPost(id: id, by: author, text: text, createdAt: time)
    }
  }

  private func optionalText(_ reader: inout ByteReader) throws(KithError) -> String? {
    let start = reader.position
    let number = try reader.readVarint(bitCount: bitCount)
    if number == 0 { return nil }
    guard number - 1 <= UInt64(reader.remaining) else {
      throw reader.corrupt("a text of \(number - 1) bytes, \(reader.remaining) are left", at: start)
    }
    let bytes = try reader.readBytes(Int(number - 1))
    guard let text = String.fromUTF8(bytes.span) else {
      throw reader.corrupt("the text is not UTF-8", at: start)
    }
    return text
  }

  /// The edges that are given with a post.
  private func edges(_ reader: inout ByteReader, atLeast least: UInt64) throws(KithError) -> [PostEdge] {
    let start = reader.position
    let count = try reader.readVarint()
    guard (least...UInt64(SocialGraph.Limits.postEdgeCount)).contains(count) else {
      throw reader.corrupt("a post with \(count) edges", at: start)
    }
    var edges: [PostEdge] = []
    for _ in 0..<count {
      let start = reader.position
      let (relation, hasTime) = try relation(&reader)
      guard relation.source == .post else { throw reader.corrupt("an edge of a post leads from a user", at: start) }
      let target = Node(relation.target, try id(&reader))
      edges.append(PostEdge(relation, to: target, at: hasTime ? try time(&reader) : nil))
    }
    return edges
  }

  /// The relation of an edge, which has only its name and the types of its ends, and whether the edge has a time.
  private func relation(_ reader: inout ByteReader) throws(KithError) -> (Relation, hasTime: Bool) {
    let start = reader.position
    let flags = try reader.readUInt8()
    guard flags & ~(Self.fromPost | Self.toPost | Self.withoutTime) == 0 else {
      throw reader.corrupt("an edge has the flags \(flags)", at: start)
    }
    let source: Relation.End = flags & Self.fromPost == 0 ? .user : .post
    let target: Relation.End = flags & Self.toPost == 0 ? .user : .post
    return (Relation(try text(&reader), from: source, to: target), flags & Self.withoutTime == 0)
  }

  /// The id of what is added; nil if it is to be assigned.
  private func newID(_ reader: inout ByteReader) throws(KithError) -> Int64? {
    let id = try id(&reader)
    return self == .log && id == 0 ? nil : id
  }

  private func id(_ reader: inout ByteReader) throws(KithError) -> Int64 {
    let value = try reader.readVarint(bitCount: bitCount)
    return self == .journal ? Int64(value) : Int64(bitPattern: value &>> 1) ^ -Int64(value & 1)
  }

  private func time(_ reader: inout ByteReader) throws(KithError) -> Timestamp? {
    let start = reader.position
    let value = try reader.readVarint(bitCount: bitCount)
    if self == .journal { return Timestamp(Int64(value)) }
    guard value <= 1 << 63 else { throw reader.corrupt("a time is beyond 2⁶³", at: start) }
    return value == 0 ? nil : Timestamp(Int64(value - 1))
  }

  func text(_ reader: inout ByteReader) throws(KithError) -> String {
    let start = reader.position
    let byteCount = try reader.readVarint(bitCount: bitCount)
    guard byteCount <= UInt64(reader.remaining) else {
      throw reader.corrupt("a text of \(byteCount) bytes, \(reader.remaining) are left", at: start)
    }
    let bytes = try reader.readBytes(Int(byteCount))
    guard let text = String.fromUTF8(bytes.span) else {
      throw reader.corrupt("the text is not UTF-8", at: start)
    }
    return text
  }
}
