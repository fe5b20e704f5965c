/// Encoded as the request of `kith query` that makes the change: `{"op":"follow","user":1,"target":2,"at":0}`.
extension Change: Codable {
  /// Encodes the change as an object. An id or a time that is nil is left out.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try write(to: &object)
  }

  package func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
    switch self {
    case .addUser(let id, let username, let fields):
      try writer.member(.op, "addUser")
      if let id { try writer.member(.id, id.rawValue) }
      try writer.member(.username, username)
      try fields.write(to: &writer)
    case .renameUser(let user, let username):
      try writer.member(.op, "renameUser")
      try writer.member(.user, user.rawValue)
      try writer.member(.username, username)
    case .editUser(let user, let fields):
      try writer.member(.op, "editUser")
      try writer.member(.user, user.rawValue)
      try fields.write(to: &writer)
    case .removeUser(let user):
      try writer.member(.op, "removeUser")
      try writer.member(.user, user.rawValue)
    case .addPost(let id, let author, let text, let createdAt, let edges, let fields):
      try writer.member(.op, "addPost")
      if let id { try writer.member(.id, id.rawValue) }
      try writer.member(.user, author.rawValue)
      try writer.member(.text, text)
      if let createdAt { try writer.member(.createdAt, createdAt.rawValue) }
      if !edges.isEmpty { try writer.member(.edges, edges) }
      try fields.write(to: &writer)
    case .editPost(let post, let text, let fields):
      try writer.member(.op, "editPost")
      try writer.member(.post, post.rawValue)
      if let text { try writer.member(.text, text) }
      try fields.write(to: &writer)
    case .removePost(let post):
      try writer.member(.op, "removePost")
      try writer.member(.post, post.rawValue)
    case .addEdge(let relation, let source, let target, let time):
      try writer.edge("addEdge", relation, source, target)
      if let time { try writer.member(.at, time.rawValue) }
    case .removeEdge(let relation, let source, let target): try writer.edge("removeEdge", relation, source, target)
    case .declare(let schema):
      try writer.member(.op, "declare")
      try schema.write(to: &writer)
    default: if let edge { try edge.write(to: &writer) }
    }
  }

  /// Decodes a change. Whether a graph accepts it is checked when it is applied.
  /// - Throws: `DecodingError` for an unknown `op`, a missing member, an id below 1 or a time out of range.
  public init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: WireKey.self)
    let op = try object.decode(String.self, forKey: .op)
    switch op {
    case "addUser":
      let id = try object.decodeIfPresent(UserID.self, forKey: .id)
      self = .addUser(
        id: id, username: try object.decode(String.self, forKey: .username), fields: try UserFields(object))
    case "renameUser":
      let user = try object.decode(UserID.self, forKey: .user)
      self = .renameUser(user, to: try object.decode(String.self, forKey: .username))
    case "editUser":
      self = .editUser(try object.decode(UserID.self, forKey: .user), try UserFields(object))
    case "removeUser": self = .removeUser(try object.decode(UserID.self, forKey: .user))
    case "addPost":
      self = .addPost(
        id: try object.decodeIfPresent(PostID.self, forKey: .id),
        by: try object.decode(UserID.self, forKey: .user), text: try object.decode(String.self, forKey: .text),
        createdAt: try object.time(.createdAt, in: 0...Int64.max),
        edges: try object.decodeIfPresent([PostEdge].self, forKey: .edges) ?? [], fields: try PostFields(object))
    case "editPost":
      self = .editPost(
        try object.decode(PostID.self, forKey: .post), text: try object.decodeIfPresent(String.self, forKey: .text),
        fields: try PostFields(object))
    case "removePost": self = .removePost(try object.decode(PostID.self, forKey: .post))
    case "addEdge", "removeEdge":
      let (source, target) = (try object.node(.from, .fromPost), try object.node(.to, .toPost))
      let relation = Relation(
        try object.decode(String.self, forKey: .relation), from: source.end, to: target.end)
      self =
        op == "removeEdge"
        ? .removeEdge(relation, from: source, to: target)
        : .addEdge(
          relation, from: source, to: target, at: try object.time(.at, in: 0...SocialGraph.Limits.edgeMilliseconds))
    case "declare": self = .declare(try SocialGraph.Schema(from: decoder))
    default: self.init(try EdgeChange(op, object))
    }
  }
}

extension EdgeChange {
  private static let removing = "un"

  fileprivate func write<Writer: WireWriter>(to writer: inout Writer) throws(Writer.Failure) {
    try writer.member(.op, (adds ? "" : Self.removing) + kind.facts.name)
    try writer.member(.user, source.rawValue)
    try writer.member(kind.facts.target == .post ? .post : .target, target)
    if let time { try writer.member(.at, time.rawValue) }
  }

  fileprivate init(_ op: String, _ object: KeyedDecodingContainer<WireKey>) throws {
    let adds = !op.hasPrefix(Self.removing)
    let name = adds ? op[...] : op.dropFirst(Self.removing.count)
    guard let kind = RelationKind.allCases.first(where: { $0.facts.name == name }) else {
      throw DecodingError.dataCorruptedError(forKey: .op, in: object, debugDescription: "no change has this name")
    }
    let source = try object.decode(UserID.self, forKey: .user)
    let target =
      switch kind.facts.target {
      case .user: try object.decode(UserID.self, forKey: .target).rawValue
      case .post: try object.decode(PostID.self, forKey: .post).rawValue
      }
    let hasTime = adds && kind.facts.hasTime
    let time = hasTime ? try object.time(.at, in: 0...SocialGraph.Limits.edgeMilliseconds) : nil
    self.init(kind, source, target, at: time, adds: adds)
  }
}

extension WireWriter {
  /// The members of a change of an edge of any relation, but for its time.
  fileprivate mutating func edge(
    _ op: String, _ relation: Relation, _ source: Node, _ target: Node
  ) throws(Failure) {
    try member(.op, op)
    try member(.relation, relation.name)
    try member(source.end == .user ? .from : .fromPost, source.rawValue)
    try member(target.end == .user ? .to : .toPost, target.rawValue)
  }
}

extension KeyedDecodingContainer<WireKey> {
  func node(_ userKey: WireKey, _ postKey: WireKey) throws -> Node {
    if let post = try decodeIfPresent(PostID.self, forKey: postKey) { return .post(post) }
    return .user(try decode(UserID.self, forKey: userKey))
  }

  func time(_ key: WireKey, in range: ClosedRange<Int64>) throws -> Timestamp? {
    guard let time = try decodeIfPresent(Timestamp.self, forKey: key) else { return nil }
    guard range.contains(time.rawValue) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "the time is out of range")
    }
    return time
  }
}

extension Change {
  /// The most bytes that the change takes in a journal.
  var journalByteBound: Int {
    switch self {
    case .addUser(_, let name, let fields): Self.fixedByteCount + name.utf8.count + fields.payloadByteCount
    case .renameUser(_, let name): Self.fixedByteCount + name.utf8.count
    case .editUser(_, let fields): Self.fixedByteCount + fields.payloadByteCount
    case .addPost(_, _, let text, _, let edges, let fields):
      edges.reduce(Self.fixedByteCount + text.utf8.count + fields.payloadByteCount) {
        $0 + Self.fixedByteCount + $1.relation.name.utf8.count
      }
    case .editPost(_, let text, let fields):
      Self.fixedByteCount + (text?.utf8.count ?? 0) + fields.payloadByteCount
    case .addEdge(let relation, _, _, _), .removeEdge(let relation, _, _):
      Self.fixedByteCount + relation.name.utf8.count
    default: Self.fixedByteCount
    }
  }

  /// More than the numbers of any change, or of an edge of a new post, take.
  private static let fixedByteCount = 128
}

extension UserFields {
  fileprivate var payloadByteCount: Int {
    (payload?.count ?? 0) + (displayName?.utf8.count ?? 0) + (kind?.utf8.count ?? 0)
  }
}

extension PostFields {
  fileprivate var payloadByteCount: Int { payload?.count ?? 0 }
}
