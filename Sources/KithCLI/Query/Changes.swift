import Kith

/// The writes: each turns a request into one change.
extension Request {
  /// The change that this asks for; `find` looks a username up where the change will happen.
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
    case .renameUser: return .renameUser(try user(.user), username: username)
    case .removeUser: return .removeUser(try user(.user))
    case .follow: return .follow(try user(.user), try user(.target), at: time(.at))
    case .unfollow: return .unfollow(try user(.user), try user(.target))
    case .addPost:
      let id = integer(.id).map(PostID.init(rawValue:))
      let text = required(.text, text)
      return .addPost(id: id, author: try user(.user), text: text, createdAt: time(.createdAt))
    case .removePost: return .removePost(post)
    case .like: return .like(try user(.user), post, at: time(.at))
    case .unlike: return .unlike(try user(.user), post)
    case .block: return .block(try user(.user), try user(.target))
    case .unblock: return .unblock(try user(.user), try user(.target))
    case .mute: return .mute(try user(.user), try user(.target))
    case .unmute: return .unmute(try user(.user), try user(.target))
    default: preconditionFailure("\(operation) is not a change")
    }
  }

  /// Applies this single change, and reads back what it added.
  func apply(to graph: SocialGraph) throws(KithError) -> Answer {
    let change = try change { name in graph.read { view in view.findUser(named: name) } }
    let applied = try graph.apply(change)
    return .change(try graph.read { (view) throws(KithError) in try ChangeAnswer(applied, view) })
  }

  /// Applies the changes of a batch, all or none; a reference by name finds what the batch itself added or renamed
  /// before.
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
  fileprivate init(_ applied: Applied, _ view: borrowing GraphView) throws(KithError) {
    if let user = applied.user {
      outcome = .user(try view.user(user))
    } else if let post = applied.post {
      outcome = .post(try view.post(post))
    } else {
      outcome = .changed(applied.changed)
    }
    sequence = applied.sequence
  }
}
