/// Something that an operator should know of: replicas report when it begins and when it is over.
public struct ReplicaTrouble: Hashable, Sendable {
  /// What kind of trouble it is.
  @nonexhaustive
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// No server that takes changes can be reached.
    case noLog
    /// Changes reach no quorum, or the server demands none.
    case noQuorum
    /// The server's settings cannot keep what is promised.
    case unsafeServer
    /// One of the servers does not answer, and another does.
    case serverAway
    /// A replica has ended because it differed from the others.
    case diverged
    /// A replica is more than a few seconds behind the log.
    case lagging
    /// A replica has not been heard of for a while.
    case away
    /// A snapshot cannot be read by the other replicas, or they have not checked it.
    case snapshots
    /// Records are older than they must be, and stay.
    case nothingTrimmed
  }

  /// What kind of trouble it is.
  public var kind: Kind
  /// The replica that it is about; nil if it is about the log.
  public var replica: String?
  /// What is wrong, in a sentence.
  public var reason: String

  /// A trouble, for previews and tests.
  public init(kind: Kind, replica: String? = nil, reason: String) {
    self.kind = kind
    self.replica = replica
    self.reason = reason
  }
}

extension ReplicaTrouble.Kind {
  /// Whether changes are not taken, or answers may be wrong. The others can wait for the morning.
  public var isCritical: Bool {
    switch self {
    case .noLog, .noQuorum, .unsafeServer, .diverged: true
    case .serverAway, .lagging, .away, .snapshots, .nothingTrimmed: false
    }
  }
}
