/// Encoded as the request of `kith query` that makes the change: `{"op":"follow","user":1,"target":2,"at":0}`.
extension Change: Codable {
  /// Encodes the change as an object. An id or a time that is nil is left out.
  public func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: WireKey.self)
    try encode(into: &object)
  }

  func encode(into object: inout KeyedEncodingContainer<WireKey>) throws {
    switch self {
    case .addUser(let id, let username):
      try object.encode("addUser", forKey: .op)
      try object.encodeIfPresent(id, forKey: .id)
      try object.encode(username, forKey: .username)
    case .renameUser(let user, let username):
      try object.encode("renameUser", forKey: .op)
      try object.encode(user, forKey: .user)
      try object.encode(username, forKey: .username)
    case .removeUser(let user):
      try object.encode("removeUser", forKey: .op)
      try object.encode(user, forKey: .user)
    case .addPost(let id, let author, let text, let createdAt):
      try object.encode("addPost", forKey: .op)
      try object.encodeIfPresent(id, forKey: .id)
      try object.encode(author, forKey: .user)
      try object.encode(text, forKey: .text)
      try object.encodeIfPresent(createdAt, forKey: .createdAt)
    case .removePost(let post):
      try object.encode("removePost", forKey: .op)
      try object.encode(post, forKey: .post)
    case .addEdge(let relation, let source, let target, let time):
      try object.encode("addEdge", forKey: .op)
      try object.encode(relation.name, forKey: .relation)
      try object.encode(source, asUser: .from, asPost: .fromPost)
      try object.encode(target, asUser: .to, asPost: .toPost)
      try object.encodeIfPresent(time, forKey: .at)
    case .removeEdge(let relation, let source, let target):
      try object.encode("removeEdge", forKey: .op)
      try object.encode(relation.name, forKey: .relation)
      try object.encode(source, asUser: .from, asPost: .fromPost)
      try object.encode(target, asUser: .to, asPost: .toPost)
    case .declare(let schema):
      try object.encode("declare", forKey: .op)
      try object.encode(schema.relations, forKey: .relations)
    default: try edge?.encode(into: &object)
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
      self = .addUser(id: id, username: try object.decode(String.self, forKey: .username))
    case "renameUser":
      let user = try object.decode(UserID.self, forKey: .user)
      self = .renameUser(user, to: try object.decode(String.self, forKey: .username))
    case "removeUser": self = .removeUser(try object.decode(UserID.self, forKey: .user))
    case "addPost":
      self = .addPost(
        id: try object.decodeIfPresent(PostID.self, forKey: .id),
        by: try object.decode(UserID.self, forKey: .user), text: try object.decode(String.self, forKey: .text),
        createdAt: try object.time(.createdAt, in: 0...Int64.max))
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
    case "declare": self = .declare(SocialGraph.Schema(try object.decode([Relation].self, forKey: .relations)))
    default: self.init(try EdgeChange(op, object))
    }
  }
}

extension EdgeChange {
  private static let removing = "un"

  fileprivate func encode(into object: inout KeyedEncodingContainer<WireKey>) throws {
    try object.encode((adds ? "" : Self.removing) + kind.facts.name, forKey: .op)
    try object.encode(source, forKey: .user)
    try object.encode(target, forKey: kind.facts.target == .post ? .post : .target)
    try object.encodeIfPresent(time, forKey: .at)
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

extension KeyedEncodingContainer<WireKey> {
  fileprivate mutating func encode(_ node: Node, asUser userKey: WireKey, asPost postKey: WireKey) throws {
    try encode(node.rawValue, forKey: node.end == .user ? userKey : postKey)
  }
}

extension KeyedDecodingContainer<WireKey> {
  fileprivate func node(_ userKey: WireKey, _ postKey: WireKey) throws -> Node {
    if let post = try decodeIfPresent(PostID.self, forKey: postKey) { return .post(post) }
    return .user(try decode(UserID.self, forKey: userKey))
  }

  fileprivate func time(_ key: WireKey, in range: ClosedRange<Int64>) throws -> Timestamp? {
    guard let time = try decodeIfPresent(Timestamp.self, forKey: key) else { return nil }
    guard range.contains(time.rawValue) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "the time is out of range")
    }
    return time
  }
}
