/// The rules that a change can be checked by without a state, so that a refusal never becomes wrong.
extension GraphState {
  /// Rejects a change that no state accepts, with one of the errors by which `apply` would.
  /// - Throws: `noSchema`, `invalidUsername`, `textTooLong`, `cannotFollowSelf`, `invalidRequest`.
  static func checkShape(_ change: Change) throws(KithError) {
    switch change {
    case .addUser(let id, let username, let fields):
      if !fields.isEmpty { throw .noSchema }
      if let id, id.rawValue < 1 { throw .invalidRequest(.id(id.rawValue)) }
      try checkName(Array(username.utf8).span)
    case .renameUser(_, let username): try checkName(Array(username.utf8).span)
    case .removeUser, .removePost: break
    // A graph that follows a log has no schema (`ReplicatedGraph.seed`).
    case .addEdge, .removeEdge, .editUser, .editPost: throw .noSchema
    case .declare: throw .invalidRequest(.declaredAtOpen)
    case .addPost(let id, _, let text, let time, let edges, let fields):
      if !edges.isEmpty || !fields.isEmpty { throw .noSchema }
      if let id, id.rawValue < 1 { throw .invalidRequest(.id(id.rawValue)) }
      if let time, time.rawValue < 0 { throw .invalidRequest(.postTime(time)) }
      if text.utf8.count > SocialGraph.Limits.textByteCount { throw .textTooLong(byteCount: text.utf8.count) }
    default:
      guard let edge = change.edge else { preconditionFailure("a change is of a user, of a post or of an edge") }
      if let time = edge.time { _ = try timestamp(time) }
      guard edge.adds, edge.kind.facts.target == .user, edge.source.rawValue == edge.target else { return }
      if let refusal = edge.kind.facts.selfRefusal { throw refusal }
    }
  }
}
