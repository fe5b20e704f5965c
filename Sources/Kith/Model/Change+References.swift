/// References within a group: an id in place of the one that an earlier change of the group will be given.
///
/// They are negative, which no id is.
extension Change {
  /// The raw id that refers to what the change at this index of a group adds.
  package static func reference(toChange index: Int) -> Int64 { -1 - Int64(index) }

  /// The change with ids in place of its references. A reference to what adds nothing is left as it is, and no
  /// state knows its id.
  /// - Parameter added: what the changes before it in the group added; 0 for those that add nothing.
  package func resolved(by added: [Int64]) -> Change {
    switch self {
    case .addUser: self
    case .renameUser(let user, let name): .renameUser(user.resolved(by: added), to: name)
    case .editUser(let user, let fields): .editUser(user.resolved(by: added), fields)
    case .removeUser(let user): .removeUser(user.resolved(by: added))
    case .addPost(let id, let author, let text, let time, let edges, let fields):
      .addPost(
        id: id, by: author.resolved(by: added), text: text, createdAt: time,
        edges: edges.map { edge in
          var edge = edge
          edge.target = Node(edge.target.end, Self.resolve(edge.target.rawValue, by: added))
          return edge
        }, fields: fields)
    case .editPost(let post, let text, let fields):
      .editPost(PostID(Self.resolve(post.rawValue, by: added)), text: text, fields: fields)
    case .removePost(let post): .removePost(PostID(Self.resolve(post.rawValue, by: added)))
    default: resolvedEdge(by: added)
    }
  }

  private func resolvedEdge(by added: [Int64]) -> Change {
    guard let edge else { preconditionFailure("a change is of a user, of a post or of an edge") }
    return Change(
      EdgeChange(
        edge.kind, edge.source.resolved(by: added), Self.resolve(edge.target, by: added), at: edge.time,
        adds: edge.adds))
  }

  fileprivate static func resolve(_ id: Int64, by added: [Int64]) -> Int64 {
    guard id < 0, id >= reference(toChange: added.count - 1) else { return id }
    let known = added[Int(-1 - id)]
    return known == 0 ? id : known
  }
}

extension UserID {
  fileprivate func resolved(by added: [Int64]) -> UserID { UserID(Change.resolve(rawValue, by: added)) }
}
