import Foundation
import Kith
import KithReplication

/// `kith replica bench --reads`: what queries take on a replica while changes arrive, beside a graph in memory that
/// makes as many changes of the same kind by itself. Both are asked in turn, so that the machine's load is the same for
/// both.
final class ReplicaReads: Sendable {
  private static let queriesPerTurn = 100
  private static let users = "bench"
  private static let pauseSeconds = 0.001

  /// What queries took on one of the two graphs, and how many changes it made meanwhile.
  struct Tally {
    let name: String
    var nanoseconds: [Int64] = []
    var changesPerSecond = 0

    func write(to writer: inout JSONWriter) {
      writer.quantiles("nanosecondsOf\(name)", nanoseconds)
      writer.member("changesPerSecondOf\(name)", changesPerSecond)
    }
  }

  private let replica: SocialGraph
  private let alone: SocialGraph
  private let stop = StopFlag()

  /// Copies the replica's graph as it is.
  init(_ graph: ReplicatedGraph, in directory: String) throws(KithError) {
    replica = graph.local
    let path = "\(directory)/copy"
    _ = FileManager.default.createFile(atPath: path, contents: nil)
    guard let file = FileHandle(forUpdatingAtPath: path) else { throw .noStore(path: path) }
    _ = try replica.writeSnapshot(to: file.fileDescriptor)
    try? file.seek(toOffset: 0)
    alone = try SocialGraph(snapshotDescriptor: file.fileDescriptor)
  }

  /// Makes as many changes on the copy as the replica has applied since.
  private func follow(_ users: [UserID]) {
    let first = replica.read { $0.sequence }
    var made = 0
    while !stop.isSet {
      let applied = replica.read { $0.sequence } - first
      for number in made..<max(made, Int(applied)) where !stop.isSet {
        _ = try? alone.apply(ReplicaBench.change(number, of: users))
        made = number + 1
      }
      Thread.sleep(forTimeInterval: Self.pauseSeconds)
    }
  }

  /// Asks both graphs for some time.
  func run(_ users: [UserID], seconds: Int) throws(CommandFailure) -> [Tally] {
    var tallies = [Tally(name: "Replica"), Tally(name: "GraphAlone")]
    let began = ContinuousClock.now
    let first = [replica, alone].map { graph in graph.read { $0.sequence } }
    try Threads.begin { self.follow(users) }
    var number = 0
    while ContinuousClock.now - began < .seconds(seconds) {
      for (index, graph) in [replica, alone].enumerated() {
        for _ in 0..<Self.queriesPerTurn {
          number += 1
          let start = ContinuousClock.now
          Self.ask(graph, users, number)
          tallies[index].nanoseconds.append(Int64((ContinuousClock.now - start) / .nanoseconds(1)))
        }
      }
    }
    stop.set()
    for (index, graph) in [replica, alone].enumerated() {
      tallies[index].changesPerSecond = Int(graph.read { $0.sequence } - first[index]) / seconds
    }
    return tallies
  }

  /// One of three queries.
  private static func ask(_ graph: SocialGraph, _ users: [UserID], _ number: Int) {
    let user = users[number % users.count]
    // Nothing that these queries throw can happen: the users are there, and no limit is near.
    switch number % 3 {
    case 0: _ = try? graph.read { try $0.isFollowing(users[number * 7 % users.count], as: user) }
    case 1: _ = try? graph.read { try $0.followees(of: user, ListQuery(limit: 20)) }
    default: _ = try? graph.read { try $0.searchUsers(Self.users, UserQuery(limit: 10, viewer: user)) }
    }
  }
}
