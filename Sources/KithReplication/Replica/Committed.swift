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

/// A group of changes that is in the log and applied.
public struct CommittedGroup: Hashable, Sendable {
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

/// Changes that are made together, or not at all, wherever they are applied.
///
/// ```swift
/// let group = ChangeGroup()
/// let bob = try group.addUser("bob")
/// try group.follow(bob, as: ann)
/// let committed = try await graph.submit(group)
/// let id = committed.results[0].user  // of bob
/// ```
///
/// Its verbs only note the change. The id that one returns is a reference, which only later verbs of this group
/// understand; what they say of an effect (`didChange`) is not known yet and always true.
public final class ChangeGroup: GraphWriter {
  private(set) var changes: [Change] = []

  /// An empty group.
  public init() {}

  /// The number of changes.
  public var count: Int { changes.count }

  /// Adds a change. Of what it adds, the result has a reference.
  /// - Throws: `invalidRequest` beyond 10,000 changes; `inBatch` for a change that no state accepts.
  @discardableResult
  public func apply(_ change: Change) throws(KithError) -> ChangeResult {
    let index = changes.count
    if index == SocialGraph.Limits.batchCount { throw .invalidRequest(.tooManyChanges(limit: index)) }
    do throws(KithError) {
      try SocialGraph.checkShape(change)
    } catch {
      throw .inBatch(index: index, error)
    }
    changes.append(change)
    let reference = Change.reference(toChange: index)
    return switch change {
    case .addUser: ChangeResult(sequence: 0, didChange: true, user: UserID(reference))
    case .addPost: ChangeResult(sequence: 0, didChange: true, post: PostID(reference))
    default: ChangeResult(sequence: 0, didChange: true)
    }
  }
}
