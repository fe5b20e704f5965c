import Kith

extension Change {
  /// The request of `kith query` that makes this change, and its number.
  func write(to writer: inout JSONWriter, sequence: UInt64) {
    writer.member("sequence", sequence)
    writeRequest(to: &writer)
  }

  /// The request alone.
  func writeRequest(to writer: inout JSONWriter) {
    switch self {
    case .addUser(let id, let username):
      writer.member("op", "addUser")
      writer.member("id", orNull: id?.rawValue)
      writer.member("username", username)
    case .renameUser(let user, let username):
      writer.members(op: "renameUser", user)
      writer.member("username", username)
    case .removeUser(let user): writer.members(op: "removeUser", user)
    case .addPost(let id, let author, let text, let createdAt):
      writer.member("op", "addPost")
      writer.member("id", orNull: id?.rawValue)
      writer.member("user", author.rawValue)
      writer.member("text", text)
      writer.member("createdAt", orNull: createdAt?.rawValue)
    case .removePost(let post):
      writer.member("op", "removePost")
      writer.member("post", post.rawValue)
    case .addEdge(let relation, let source, let target, let time):
      writer.members(op: "addEdge", relation, source, target)
      writer.member("at", orNull: time?.rawValue)
    case .removeEdge(let relation, let source, let target):
      writer.members(op: "removeEdge", relation, source, target)
    case .declare(let schema):
      writer.member("op", "declare")
      writer.relations(of: schema)
    default: if let edge { edge.write(to: &writer) }
    }
  }
}

extension EdgeChange {
  fileprivate func write(to writer: inout JSONWriter) {
    let facts = kind.facts
    writer.members(op: GraphOperation(self).rawValue, source)
    writer.member(facts.target == .post ? "post" : "target", target)
    if adds && facts.hasTime { writer.member("at", orNull: time?.rawValue) }
  }
}

extension JSONWriter {
  fileprivate mutating func members(op: String, _ relation: Relation, _ source: Node, _ target: Node) {
    member("op", op)
    member("relation", relation.name)
    member(source.end == .post ? "fromPost" : "from", source.rawValue)
    member(target.end == .post ? "toPost" : "to", target.rawValue)
  }

  fileprivate mutating func members(op: String, _ user: UserID) {
    member("op", op)
    member("user", user.rawValue)
  }
}
