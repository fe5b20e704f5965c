/// Changes that are made together, all or none: what `SocialGraph.batch` lends.
public struct Batch: ~Copyable {
  private let graph: SocialGraph
  private let limit: Int
  private let records: Bool
  /// What was changed so far, for the journal and for observers.
  private(set) var made: [MadeChange] = []
  /// How many changes were asked for so far: the index of the next one.
  public private(set) var count = 0

  init(graph: SocialGraph, limit: Int, records: Bool) {
    self.graph = graph
    self.limit = limit
    self.records = records
  }

  /// Makes the next change; later ones build on it. Errors come wrapped in `inBatch` with its index.
  @discardableResult
  public mutating func apply(_ change: Change) throws(KithError) -> Applied {
    if count >= limit { throw .invalidRequest(reason: "a batch has at most \(limit) changes") }
    do throws(KithError) {
      let (applied, made) = try graph.applyLocked(change, records: records)
      if let made { self.made.append(made) }
      count += 1
      return applied
    } catch {
      throw .inBatch(index: count, error)
    }
  }

  /// Makes the next change of an import: its error as it is, and the import goes on.
  package mutating func importChange(_ change: Change) throws(KithError) -> Applied {
    try graph.applyLocked(change, records: false).applied
  }

  /// The graph with the changes made so far.
  public func read<R, E: Error>(_ body: (borrowing GraphView) throws(E) -> R) throws(E) -> R {
    try body(graph.live)
  }

  /// The user with this name, those of the batch included.
  public func findUser(named username: String) -> UserID? { graph.live.findUser(named: username) }
}
