import Kith

/// The writes: each turns a request into one change.
extension Request {
  /// The change of this request; `find` looks a username up at the point of the change.
  func change(finding find: (String) -> UserID?) throws(KithError) -> Change {
    func user(_ field: Field) throws(KithError) -> UserID {
      switch required(field, reference) {
      case .id(let id): return id
      case .username(let name):
        guard let id = find(name) else { throw Reference.username(name).unknown }
        return id
      }
    }
    var username: String { required(.username, text) }
    var post: PostID { PostID(rawValue: required(.post, integer)) }
    func time(_ field: Field) -> Timestamp? { integer(field).map { Timestamp($0) } }

    switch operation {
    case .addUser: return .addUser(id: integer(.id).map(UserID.init(rawValue:)), username: username)
    case .renameUser: return .renameUser(try user(.user), to: username)
    case .removeUser: return .removeUser(try user(.user))
    case .addPost:
      let id = integer(.id).map(PostID.init(rawValue:))
      let text = required(.text, text)
      return .addPost(id: id, author: try user(.user), text: text, createdAt: time(.createdAt))
    case .removePost: return .removePost(post)
    default:
      guard let (kind, adds) = operation.edge else { preconditionFailure("\(operation) is not a change") }
      let source = try user(.user)
      let target = kind.schema.target == .post ? post.rawValue : try user(.target).rawValue
      return Change(EdgeChange(kind, source, target, at: time(.at), adds: adds))
    }
  }

  /// Applies this single change, and reads what it added.
  func apply(to graph: SocialGraph) throws(KithError) -> Answer {
    let change = try change { name in graph.read { view in view.findUser(named: name) } }
    let applied = try graph.apply(change)
    return .change(try graph.read { (view) throws(KithError) in try ChangeAnswer(applied, view) })
  }

  /// Applies the changes of a batch, all or none; a reference by name finds what the batch added or renamed before.
  func applyBatch(to graph: SocialGraph) throws(KithError) -> Answer {
    let requests = changes
    let results = try graph.batch { (batch) throws(KithError) in
      var results: [ChangeAnswer] = []
      results.reserveCapacity(requests.count)
      for (index, request) in requests.enumerated() {
        do throws(KithError) {
          let change = try request.change { name in batch.findUser(named: name) }
          let applied = try batch.apply(change)
          results.append(try batch.read { (view) throws(KithError) in try ChangeAnswer(applied, view) })
        } catch {
          if case .inBatch = error { throw error }
          throw .inBatch(index: index, error)
        }
      }
      return results
    }
    let sequence = results.last?.sequence ?? graph.read { view in view.sequence }
    return .batch(results, sequence: sequence)
  }
}

extension ChangeAnswer {
  init(_ applied: ChangeResult, _ view: borrowing GraphView) throws(KithError) {
    if let user = applied.user {
      outcome = .user(try view.user(user))
    } else if let post = applied.post {
      outcome = .post(try view.post(post))
    } else {
      outcome = .changed(applied.didChange)
    }
    sequence = applied.sequence
  }
}
