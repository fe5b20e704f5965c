import Kith

/// A change that is in the log and applied.
public struct Committed: Hashable, Sendable {
  /// Its result, as the local replica has decided it; every other decides the same.
  public let applied: ChangeResult
  /// The position of its record: `ReplicatedGraph.wait(for:)` on any host makes it visible there.
  public let position: LogPosition

  /// A result, for previews and tests.
  public init(applied: ChangeResult, position: LogPosition) {
    self.applied = applied
    self.position = position
  }
}

/// A batch that is in the log and applied.
public struct CommittedBatch: Hashable, Sendable {
  /// The results, in the order of the changes.
  public let results: [ChangeResult]
  /// The position of its record.
  public let position: LogPosition

  /// A result, for previews and tests.
  public init(results: [ChangeResult], position: LogPosition) {
    self.results = results
    self.position = position
  }
}
