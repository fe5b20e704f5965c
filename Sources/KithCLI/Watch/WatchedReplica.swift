import Kith
import KithReplication

/// What `kith watch --log` prints: the changes of a replica, or an answer, as the log goes on. A replica that ends,
/// because the log went on without it or was put back, is opened again.
struct WatchedReplica: WatchCommand.Watched {
  private enum Source {
    case changes(ChangeReader)
    case answer(LiveSubscription<[UInt8], KithError>)
  }

  private let arguments: Arguments
  private let url: String
  private let what: String
  /// Where the replica has files, if the log holds the snapshots.
  private let directory: String
  private var replica: ReplicatedGraph
  private var source: Source
  /// The number of the change after the last one that was printed; nil before the first.
  private var next: UInt64?
  /// The answer that was printed last.
  private var printed: [UInt8] = []

  init(_ arguments: Arguments) throws(CommandFailure) {
    guard ReplicaAccess.isBuiltIn else { throw ReplicaAccess.missingTrait }
    guard let url = ReplicaAccess.url(arguments) else { throw arguments.misuse("--log URL is missing") }
    try WatchCommand.refuseForms(arguments, "a replica does not take it")
    what = arguments.positional(0) ?? "changes"
    let first = try arguments.integer(WatchCommand.from, in: 1...Int64.max)
    if what == "changes" {
      guard arguments.positional(1) == nil, !arguments.flag(WatchCommand.viewer), !arguments.flag(.limit) else {
        throw arguments.misuse("changes are watched as a whole: no subject, no --as, no --limit")
      }
    } else if first != nil {
      throw arguments.misuse("--from is for changes")
    }
    next = first.map { UInt64($0) }
    directory = try TemporaryDirectory.make("watch")
    self.arguments = arguments
    self.url = url
    do throws(CommandFailure) {
      replica = try ReplicaAccess.open(url, directory: directory, ReplicaAccess.options(arguments))
      source = try Self.source(of: replica, what, arguments, from: next)
    } catch {
      TemporaryDirectory.remove(directory)
      throw error
    }
  }

  private static func source(
    of replica: ReplicatedGraph, _ what: String, _ arguments: Arguments, from next: UInt64?
  ) throws(CommandFailure) -> Source {
    if what == "changes" { return .changes(ChangeReader(replica.local, from: next, telling: AsyncSignal())) }
    let request = try replica.read { (view) throws(CommandFailure) in
      try WatchCommand.request(arguments, what, arguments.positional(1), view)
    }
    let question = try WatchCommand.attempt { () throws(KithError) in
      try replica.read { (view) throws(KithError) in try request.liveQuery(view) }
    }
    return .answer(LiveSubscription(replica.local, question))
  }

  func end() {
    ReplicaAccess.close(replica)
    TemporaryDirectory.remove(directory)
  }

  mutating func printNext() throws(CommandFailure) -> Bool {
    if let end = replica.end {
      guard case .diverged = end else { throw .no(end.sentence) }
      ReplicaAccess.close(replica)
      replica = try ReplicaAccess.open(url, directory: directory, ReplicaAccess.options(arguments))
      source = try Self.source(of: replica, what, arguments, from: next)
    }
    switch source {
    case .changes(let reader):
      switch reader.next() {
      case nil: return false
      case .missed(let range):
        next = range.upperBound + 1
        try WatchCommand.missed(range)
      case .change(let change, let sequence):
        next = sequence + 1
        try WatchCommand.line { change.write(to: &$0, sequence: sequence) }
      }
      return true
    case .answer(let subscription):
      let found: [UInt8]?
      do throws(KithError) {
        found = try subscription.askIfTold()
      } catch {
        // The replica ended in between.
        if case .closed = error { return false }
        throw .no(error.sentence)
      }
      guard let members = found, members != printed else { return false }
      printed = members
      let sequence = replica.read { view in view.sequence }
      try WatchCommand.line { writer in
        writer.member("sequence", sequence)
        writer.source(members[...])
      }
      return true
    }
  }
}
