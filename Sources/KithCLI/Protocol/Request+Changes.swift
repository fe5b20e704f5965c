import Kith

/// The writes: each turns a request into one change.
extension Request {
  /// The change of this request; `find` looks a username up at the point of the change.
  func change(finding find: (_ username: String, _ kind: String?) -> UserID?) throws(KithError) -> Change {
    guard case .graph(let operation) = operation, let change = Change(operation, try fields.resolved(find)) else {
      preconditionFailure("\(operation) is not a change")
    }
    return change
  }

  /// Applies this single change, and reads what it added.
  func apply(to graph: SocialGraph) throws(KithError) -> Reply {
    let change = try change { name, kind in graph.read { view in view.findUser(named: name, kind: kind) } }
    let applied = try graph.apply(change)
    return .change(try graph.read { (view) throws(KithError) in try ChangeAnswer(applied, view) })
  }

  /// Applies the changes of a batch, all or none; a reference by name finds what the batch added or renamed before.
  func applyBatch(to graph: SocialGraph) throws(KithError) -> Reply {
    let requests = changes
    let results = try graph.batch { (batch) throws(KithError) in
      var results: [ChangeAnswer] = []
      results.reserveCapacity(requests.count)
      for (index, request) in requests.enumerated() {
        do throws(KithError) {
          let change = try request.change { name, kind in batch.findUser(named: name, kind: kind) }
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
