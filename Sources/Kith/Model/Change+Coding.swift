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

extension KeyedDecodingContainer<WireKey> {
  fileprivate func time(_ key: WireKey, in range: ClosedRange<Int64>) throws -> Timestamp? {
    guard let time = try decodeIfPresent(Timestamp.self, forKey: key) else { return nil }
    guard range.contains(time.rawValue) else {
      throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "the time is out of range")
    }
    return time
  }
}
