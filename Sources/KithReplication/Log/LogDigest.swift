import Kith

/// A digest of a replica after a position, which must be the same for all.
package struct LogDigest: Hashable, Sendable {
  package enum Kind: Int, Hashable, Sendable {
    /// Over the outcomes of all requests.
    case outcomes = 1
    /// Over the whole state.
    case state = 2
  }

  package let position: LogPosition
  package let kind: Kind
  package let value: UInt64
  /// The name of the replica.
  package let replica: String
  package let session: SessionID
  /// When the log received it, by the log's clock.
  package var at: Timestamp

  package init(
    position: LogPosition, kind: Kind, value: UInt64, replica: String, session: SessionID, at: Timestamp = 0
  ) {
    self.position = position
    self.kind = kind
    self.value = value
    self.replica = replica
    self.session = session
    self.at = at
  }
}

/// A replica that has ended because it differed from the others.
package struct LogDissent: Hashable, Sendable {
  package let replica: String
  package let position: LogPosition
  package let at: Timestamp

  package init(replica: String, position: LogPosition, at: Timestamp) {
    self.replica = replica
    self.position = position
    self.at = at
  }
}

extension LogDigest {
  /// How long a replica waits for the digests of others before it counts those that there are.
  private static let patienceMilliseconds: Int64 = 10_000

  /// The digest that this one is outvoted by: one that more replicas have, or as many and earlier. A replica that is
  /// wrong alone and first so stops itself, and not the others.
  /// - Parameters:
  ///   - votes: digests of this position and kind among others.
  ///   - reports: of the replicas, of which those that live are waited for.
  ///   - clock: the log's.
  /// - Returns: nil if there is none, or if it is not decided yet.
  func outvoted(by votes: [LogDigest], _ reports: [ReplicaReport], clock: Timestamp) -> LogDigest? {
    let votes = votes.filter { $0.position == position && $0.kind == kind }
    guard let own = votes.first(where: { $0.replica == replica && $0.session == session }) else { return nil }
    let voters = Set(votes.map(\.replica))
    let isComplete = reports.allSatisfy { report in
      voters.contains(report.name) || clock.rawValue - report.seen.rawValue > Self.patienceMilliseconds
    }
    guard isComplete || clock.rawValue - own.at.rawValue > Self.patienceMilliseconds else { return nil }
    func weight(_ value: UInt64) -> (count: Int, first: Timestamp) {
      let same = votes.filter { $0.value == value }
      return (same.count, same.map(\.at).min() ?? 0)
    }
    let mine = weight(own.value)
    return votes.first { other in
      let theirs = weight(other.value)
      if other.value == own.value || theirs.count < mine.count { return false }
      return theirs.count > mine.count
        || (theirs.first.rawValue, other.value) < (mine.first.rawValue, own.value)
    }
  }
}
