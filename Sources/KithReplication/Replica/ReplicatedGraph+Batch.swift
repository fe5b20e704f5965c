import Kith

extension ReplicatedGraph {
  /// Changes that are made together, or not at all, wherever they are applied.
  ///
  /// ```swift
  /// let batch = ReplicatedGraph.Batch()
  /// let bob = try batch.addUser("bob")
  /// try batch.follow(bob, as: ann)
  /// let committed = try await graph.submit(batch)
  /// let id = committed.results[0].user  // of bob
  /// ```
  ///
  /// Its verbs only note the change. The id that one returns is a reference, which only later verbs of this batch
  /// understand; what they say of an effect (`didChange`) is not known yet and always true.
  public final class Batch: GraphWriter {
    private(set) var changes: [Change] = []

    /// An empty batch.
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
}
