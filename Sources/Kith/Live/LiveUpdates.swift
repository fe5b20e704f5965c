extension LiveValues where Value: Collection, Value.Element: Identifiable & Equatable, Value.Element.ID: Sendable {
  /// The results of a live list, each with its difference from the previous one. The first is compared with an empty
  /// list.
  ///
  /// ```swift
  /// for try await update in graph.values(of: .timeline(of: ann)).updates { dataSource.apply(update.difference) }
  /// ```
  public var updates: LiveUpdates<Value, Failure> { LiveUpdates(values: self) }
}

/// The current state of a list, and its difference from the previous one.
public struct LiveUpdate<Value: Collection & Equatable & Sendable>: Sendable
where Value.Element: Identifiable & Equatable, Value.Element.ID: Sendable {
  /// The current list.
  public let value: Value
  /// The difference from the previous list.
  public let difference: ListDifference<Value.Element.ID>
}

/// The results of a live list with their differences (`LiveValues.updates`).
public struct LiveUpdates<Value: Collection & Equatable & Sendable, Failure: Error>: AsyncSequence, Sendable
where Value.Element: Identifiable & Equatable, Value.Element.ID: Sendable {
  fileprivate let values: LiveValues<Value, Failure>

  /// Begins with the current result.
  public func makeAsyncIterator() -> Iterator { Iterator(values: values.makeAsyncIterator()) }

  /// Iterates over results and their differences.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var values: LiveValues<Value, Failure>.Iterator
    private var last: Value?

    fileprivate init(values: LiveValues<Value, Failure>.Iterator) { self.values = values }

    /// The next result and its difference; nil when the task is cancelled or the graph is closed.
    /// - Throws: the errors of the query.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> LiveUpdate<Value>? {
      guard let value = try await values.next(isolation: actor) else { return nil }
      let difference =
        if let last { ListDifference(from: last, to: value) } else { ListDifference(from: [], to: value) }
      last = value
      return LiveUpdate(value: value, difference: difference)
    }
  }
}
