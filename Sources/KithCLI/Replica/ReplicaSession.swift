import Kith
import KithReplication

/// What a session of `kith query` does differently on a replica: changes go through the log, and a request may ask for
/// a position.
struct ReplicaSession: Sendable {
  /// How long a request waits for the position that it asks for.
  private static let waitTime = Duration.seconds(10)

  let graph: ReplicatedGraph

  /// An answer about the replica itself.
  enum Status {
    case position(UInt64)
    case digest(position: UInt64, digest: UInt64)
    case outcome(CommittedGroup?)
    case status(ReplicaStatus)

    func write(to writer: inout JSONWriter) {
      switch self {
      case .position(let position): writer.member("position", position)
      case .digest(let position, let digest):
        writer.member("position", position)
        writer.member("digest", digest.hexadecimal)
      case .outcome(let outcome):
        writer.member("known", outcome != nil)
        if let outcome { writer.member("position", outcome.position) }
      case .status(let status): status.write(to: &writer)
      }
    }
  }

  /// Takes the token of a change out of its request; nil for none.
  func token(_ members: inout [JSONMember]) throws(KithError) -> RequestToken? {
    guard let member = members.named("requestToken") else { return nil }
    guard case .string(let text) = member.value, let token = RequestToken(text) else {
      throw .invalidRequest(.malformed("requestToken is a text of 32 hexadecimal digits"))
    }
    members.removeAll { $0.name == "requestToken" }
    return token
  }

  /// Waits for the position in `atLeast`, which it removes; answers the operations that only a replica has.
  func prepare(_ members: inout [JSONMember]) throws(KithError) -> Status? {
    if let member = members.named("atLeast") {
      guard case .integer(let position) = member.value, position >= 0 else {
        throw .invalidRequest(.malformed("atLeast is a position: a whole number from 0 on"))
      }
      members.removeAll { $0.name == "atLeast" }
      try blocking { () async throws(KithError) in
        try await graph.wait(for: UInt64(position), timeout: Self.waitTime)
      }
    }
    guard case .string(let operation)? = members.named("op")?.value else { return nil }
    let others = members.filter { !["op", "tag", "token"].contains($0.name) }
    guard ["catchUp", "digest", "replica", "outcome"].contains(operation) else { return nil }
    if let other = others.first {
      throw .invalidRequest(.malformed("\(operation) has no field \(other.name.shown)"))
    }
    switch operation {
    case "catchUp": return .position(try blocking { () async throws(KithError) in try await graph.catchUp() })
    case "digest":
      let found = try blocking { () async throws(KithError) in try await graph.verify() }
      return .digest(position: found.position, digest: found.digest)
    case "outcome":
      guard case .integer(let token)? = members.named("token")?.value, token >= 0 else {
        throw .invalidRequest(.malformed("outcome needs the field token"))
      }
      return .outcome(try graph.outcome(of: UInt64(token)))
    default: return .status(graph.status)
    }
  }

  /// Makes a change or a batch, or writes a snapshot; nil for other operations.
  func change(_ request: Request, _ token: RequestToken?) throws(KithError) -> Answer? {
    if token != nil, request.operation != .batch, !request.operation.isChange {
      throw .invalidRequest(.malformed("only changes have a requestToken"))
    }
    switch request.operation {
    case .batch: return try batch(request, token)
    case .snapshot:
      return .replicaSnapshot(position: try blocking { () async throws(KithError) in try await graph.snapshot() })
    case let operation where operation.isChange:
      let change = try request.change { name in graph.read { view in view.findUser(named: name) } }
      let done = try blocking { () async throws(KithError) in try await graph.submit(change, token: token) }
      return .change(try answer(done.applied, done.position))
    default: return nil
    }
  }

  /// All changes of a batch or none; a reference by name finds what the batch added or renamed before.
  private func batch(_ request: Request, _ token: RequestToken?) throws(KithError) -> Answer {
    let group = ChangeGroup()
    var changes: [Change] = []
    var names: [String: UserID] = [:]
    for (index, request) in request.changes.enumerated() {
      do throws(KithError) {
        let change = try request.change { name in
          names[name] ?? graph.read { view in view.findUser(named: name) }
        }
        let noted = try group.apply(change)
        changes.append(change)
        if case .addUser(_, let name) = change { names[name] = noted.user }
        if case .renameUser(let user, let name) = change { names[name] = user }
      } catch {
        if case .inBatch = error { throw error }
        throw .inBatch(index: index, error)
      }
    }
    if changes.isEmpty { return .batch([], sequence: graph.read { view in view.sequence }) }
    let done = try blocking { [changes] () async throws(KithError) in
      let group = ChangeGroup()
      for change in changes { try group.apply(change) }
      return try await graph.submit(group, token: token)
    }
    var answers: [ChangeAnswer] = []
    for result in done.results { answers.append(try answer(result, done.position)) }
    return .batch(answers, sequence: done.results.last?.sequence ?? 0)
  }

  /// What was added, as it is now: a later record may have removed it again.
  private func answer(_ applied: ChangeResult, _ position: UInt64) throws(KithError) -> ChangeAnswer {
    var answer = try graph.read { (view) throws(KithError) in try ChangeAnswer(applied, view) }
    answer.position = position
    return answer
  }
}

extension ReplicaStatus {
  func write(to writer: inout JSONWriter) {
    writer.member("position", position)
    writer.member("newest", newestPosition)
    writer.member("connected", isConnected)
    if let server { writer.member("server", server) }
    writer.member("waiting", waitingRequestCount)
    if let snapshotPosition { writer.member("snapshot", snapshotPosition) }
    if let failure { writer.member("failure", failure) }
  }
}

extension UInt64 {
  /// 16 digits: JSON has no number of 64 bits that all readers keep.
  var hexadecimal: String {
    let digits = String(self, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
