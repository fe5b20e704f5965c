import Kith
import KithReplication

/// What a session of `kith query` does differently on a replica: changes go through the log, and a request may ask for
/// a position.
struct ReplicaSession: Sendable {
  /// How long a request waits for the position that it asks for.
  private static let waitTime = Duration.seconds(10)

  let graph: ReplicatedGraph

  /// Waits for the position that a request asks for.
  func wait(for request: Request) throws(KithError) {
    guard let position = request.fields.integer(.atLeast) else { return }
    try blocking { () async throws(KithError) in
      try await graph.wait(for: UInt64(clamping: position), timeout: Self.waitTime)
    }
  }

  /// Makes a change or a batch, writes a snapshot, or answers about the replica; nil for other operations.
  func answer(_ request: Request) throws(RequestError) -> Reply? {
    let token = try token(request)
    return try RequestError.from { () throws(KithError) in try answer(request, token) }
  }

  private func answer(_ request: Request, _ token: RequestToken?) throws(KithError) -> Reply? {
    switch request.operation {
    case .graph(.batch): return try batch(request, token)
    case .session(.snapshot):
      return .replica(.position(try blocking { () async throws(KithError) in try await graph.snapshot() }))
    case .session(.health): return .health(Health(graph))
    case .replica(let operation): return .replica(try answer(operation, request.fields))
    case let operation where operation.isChange:
      let change = try request.change { name, kind in
        graph.read { view in view.findUser(named: name, kind: kind) }
      }
      let done = try blocking { () async throws(KithError) in try await graph.submit(change, token: token) }
      return .change(try answer(done.applied, done.position))
    default: return nil
    }
  }

  private func answer(_ operation: ReplicaOperation, _ fields: FieldValues) throws(KithError) -> ReplicaAnswer {
    switch operation {
    case .catchUp: return .position(try blocking { () async throws(KithError) in try await graph.catchUp() })
    case .digest:
      let found = try blocking { () async throws(KithError) in try await graph.digest() }
      return .digest(position: found.position, digest: found.digest)
    case .outcome: return .outcome(try graph.outcome(of: UInt64(clamping: fields.required(.token, fields.integer))))
    case .replica: return .status(graph.status)
    }
  }

  /// The token of a change; nil for none.
  private func token(_ request: Request) throws(RequestError) -> RequestToken? {
    guard let text = request.fields.text(.requestToken) else { return nil }
    guard let token = RequestToken(text) else {
      throw .malformed("requestToken is a text of 32 hexadecimal digits")
    }
    return token
  }

  /// All changes of a batch or none; a reference by name finds what the batch added or renamed before.
  private func batch(_ request: Request, _ token: RequestToken?) throws(KithError) -> Reply {
    let batch = ReplicatedGraph.Batch()
    var changes: [Change] = []
    var names: [String: UserID] = [:]
    for (index, request) in request.changes.enumerated() {
      do throws(KithError) {
        let change = try request.change { name, kind in
          (kind == nil ? names[name] : nil) ?? graph.read { view in view.findUser(named: name, kind: kind) }
        }
        let noted = try batch.apply(change)
        changes.append(change)
        if case .addUser(_, let name, let fields) = change, fields.kind == nil { names[name] = noted.user }
        if case .renameUser(let user, let name) = change { names[name] = user }
      } catch {
        if case .inBatch = error { throw error }
        throw .inBatch(index: index, error)
      }
    }
    if changes.isEmpty { return .batch([], sequence: graph.read { view in view.sequence }) }
    let done = try blocking { [changes] () async throws(KithError) in
      let batch = ReplicatedGraph.Batch()
      for change in changes { try batch.apply(change) }
      return try await graph.submit(batch, token: token)
    }
    var answers: [ChangeAnswer] = []
    for result in done.results { answers.append(try answer(result, done.position)) }
    return .batch(answers, sequence: done.results.last?.sequence ?? 0)
  }

  /// What was added, as it is now; its id alone if another record has removed it since.
  private func answer(_ applied: ChangeResult, _ position: UInt64) throws(KithError) -> ChangeAnswer {
    var answer: ChangeAnswer
    do throws(KithError) {
      answer = try graph.read { (view) throws(KithError) in try ChangeAnswer(applied, view) }
    } catch {
      switch (error, applied.user, applied.post) {
      case (.unknownUser, let user?, _): answer = ChangeAnswer(outcome: .removedUser(user), sequence: applied.sequence)
      case (.unknownPost, _, let post?): answer = ChangeAnswer(outcome: .removedPost(post), sequence: applied.sequence)
      default: throw error
      }
    }
    answer.position = position
    return answer
  }
}
