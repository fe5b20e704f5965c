extension SocialGraph {
  /// Changes that take effect together, or not at all; lent by `SocialGraph.batch`. Its verbs are those of
  /// `GraphWriter`.
  public struct Batch: ~Copyable, GraphWriter {
    /// A class, so that `apply` is nonmutating, as a graph's is.
    final class Progress {
      var made: [AppliedChange] = []
      var count = 0
      /// At most so many bytes of a journal are taken by the changes so far.
      var byteCount = 0
      /// The edges of an import that wait for `endEdges`, and the kinds for which that was called.
      var collector: EdgeCollector?
      var collected: Set<RelationKind> = []
      /// The edges that were taken since the last `endEdges`, and then found to be repeated.
      var repeated = EdgeSorter.Repeated()
    }

    let graph: SocialGraph
    private let limit: Int
    private let records: Bool
    let progress = Progress()
    /// The changes that had an effect so far, for the journal and for observers.
    var made: [AppliedChange] { progress.made }
    /// The number of changes applied so far, which is the index of the next one.
    public var count: Int { progress.count }

    init(graph: SocialGraph, limit: Int, records: Bool) {
      self.graph = graph
      self.limit = limit
      self.records = records
    }

    /// Applies the next change. Later changes see its effect.
    /// - Throws: `KithError.inBatch` with the change's index and its error; `invalidRequest` beyond 10,000 changes, or
    ///   `SocialGraph.Limits.batchByteCount`.
    @discardableResult
    public func apply(_ change: Change) throws(KithError) -> ChangeResult {
      if count >= limit { throw .invalidRequest(.tooManyChanges(limit: limit)) }
      if limit != .max {
        // Before it is made: the body may catch the error and go on.
        let (byteCount, byteLimit) = (progress.byteCount + change.journalByteBound, Limits.batchByteCount)
        if byteCount > byteLimit { throw .invalidRequest(.batchTooLong(byteLimit: byteLimit)) }
        progress.byteCount = byteCount
      }
      do throws(KithError) {
        let (applied, made) = try graph.applyLocked(change, records: records)
        if let made { progress.made.append(made) }
        progress.count += 1
        return applied
      } catch {
        throw .inBatch(index: count, error)
      }
    }

    /// Applies the next change of an import. An exact duplicate of an existing user or post changes nothing.
    /// - Throws: the error of the change, not wrapped in `inBatch`. The batch can continue.
    package mutating func importChange(_ change: Change) throws(KithError) -> ChangeResult {
      do throws(KithError) {
        return try graph.applyLocked(change, records: false).applied
      } catch {
        switch error {
        case .userIDTaken, .postIDTaken: break
        default: throw error
        }
        guard graph.live.state.holds(change) else { throw error }
        return ChangeResult(sequence: graph.live.state.sequence, didChange: false, user: nil, post: nil)
      }
    }

    /// Declares what the graph lacks of a schema, in `SocialGraph.bulk`: the snapshot that follows saves it.
    /// - Throws: `schemaConflict`, and what else refuses a schema.
    package mutating func declare(_ schema: Schema) throws(KithError) {
      if let missing = try graph.live.state.relations.missing(of: schema) {
        _ = try graph.live.state.apply(.declare(missing))
      }
    }

    /// Adds all edges of a kind that has none yet, in `SocialGraph.bulk`.
    /// - Throws: what the lists throw when they are filled.
    package func addEdges(_ kind: RelationKind, _ lists: BulkLists) throws(KithError) {
      try graph.live.state.addEdges(kind, lists, workers: SystemDisk.coreCount)
    }

    /// Adds edges of a kind from columns, in `SocialGraph.bulk`, as if one by one. Many are sorted and added together.
    /// - Parameters:
    ///   - counts: counts the edges that are added, and those that were there already or came twice.
    ///   - refuse: is called with the index of each edge that is refused, ascending, and why.
    /// - Throws: the error of a limit that was reached. The edges before it are added.
    /// - Complexity: O(edges · log longest list); if they are many, with those of the kind that are there.
    package mutating func importEdges(
      _ kind: RelationKind, _ columns: EdgeColumns, counts: inout (added: Int, duplicates: Int),
      refuse: (Int, KithError) -> Void
    ) throws(KithError) {
      func importEdge(_ index: Int, to batch: inout Batch) throws(KithError) {
        let time = kind.facts.hasTime ? Timestamp(rawValue: columns.time(index)) : nil
        let edge = EdgeChange(kind, UserID(columns.source(index)), columns.target(index), at: time)
        do throws(KithError) {
          if try batch.importChange(Change(edge)).didChange { counts.added += 1 } else { counts.duplicates += 1 }
        } catch {
          if case .limitExceeded = error { throw error }
          refuse(index, error)
        }
      }
      guard graph.mayAddTogether(kind, count: columns.count) else {
        for index in 0..<columns.count { try importEdge(index, to: &self) }
        return
      }
      let result = graph.live.state.addEdges(kind, columns, workers: SystemDisk.coreCount)
      counts.added += result.addedCount
      counts.duplicates += result.duplicateCount
      for index in result.refused { try importEdge(index, to: &self) }
    }

    /// Reads the graph, including the changes applied so far.
    public func read<R, E: Error>(_ body: (borrowing GraphView) throws(E) -> R) throws(E) -> R {
      try body(graph.live)
    }

    /// The user with this name, including users added by the batch. See `GraphView.findUser`.
    public func findUser(named username: String, kind: String? = nil) -> UserID? {
      graph.live.findUser(named: username, kind: kind)
    }
  }
}
