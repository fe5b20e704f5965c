import Kith
import KithReplication

/// What `kith watch --log` prints: the changes of a replica, or an answer, as the log goes on.
struct WatchedReplica: WatchCommand.Watched {
  private enum Source {
    case changes(ChangeReader)
    case answer(LiveSubscription<[UInt8], KithError>)
  }

  private let replica: ReplicatedGraph
  private let source: Source

  init(_ arguments: Arguments) throws(CommandFailure) {
    guard ReplicaAccess.isBuiltIn else { throw ReplicaAccess.missingTrait }
    guard let url = ReplicaAccess.url(arguments) else { throw arguments.misuse("--log URL is missing") }
    try WatchCommand.refuseForms(arguments, "a replica does not take it")
    let what = arguments.positional(0) ?? "changes"
    let subject = arguments.positional(1)
    let first = try arguments.integer(WatchCommand.from, in: 1...Int64.max)
    let replica = try ReplicaAccess.open(url, directory: nil, ReplicaAccess.options(arguments))
    self.replica = replica
    if what == "changes" {
      guard subject == nil, !arguments.flag(WatchCommand.viewer), !arguments.flag(.limit) else {
        throw arguments.misuse("changes are watched as a whole: no subject, no --as, no --limit")
      }
      source = .changes(ChangeReader(replica.local, from: first.map { UInt64($0) }, telling: AsyncSignal()))
    } else {
      guard first == nil else { throw arguments.misuse("--from is for changes") }
      let request = try replica.read { (view) throws(CommandFailure) in
        try WatchCommand.request(arguments, what, subject, view)
      }
      let question = try WatchCommand.attempt { () throws(KithError) in
        try replica.read { (view) throws(KithError) in try request.liveQuery(view) }
      }
      source = .answer(LiveSubscription(replica.local, question))
    }
  }

  mutating func printNext() throws(CommandFailure) -> Bool {
    if let failure = replica.status.failure { throw .no(failure) }
    switch source {
    case .changes(let reader):
      switch reader.next() {
      case nil: return false
      case .missed(let range): try WatchCommand.missed(range)
      case .change(let change, let sequence): try WatchCommand.line { change.write(to: &$0, sequence: sequence) }
      }
      return true
    case .answer(let subscription):
      guard let members = try WatchCommand.attempt({ () throws(KithError) in try subscription.askIfTold() }) else {
        return false
      }
      let sequence = replica.read { view in view.sequence }
      try WatchCommand.line { writer in
        writer.member("sequence", sequence)
        writer.source(members[...])
      }
      return true
    }
  }
}
