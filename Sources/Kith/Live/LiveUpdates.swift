extension LiveValues where Value: Collection, Value.Element: Identifiable & Equatable, Value.Element.ID: Sendable {
  /// The answers of a live list, each with what became of the one before it; the first comes from an empty list.
  ///
  /// ```swift
  /// for try await update in graph.values(of: .timeline(of: ann)).updates { dataSource.apply(update.difference) }
  /// ```
  public var updates: LiveUpdates<Value> { LiveUpdates(values: self) }
}

/// A list as it is now, and how it came from the list before.
public struct LiveUpdate<Value: Collection & Equatable & Sendable>: Sendable
where Value.Element: Identifiable & Equatable, Value.Element.ID: Sendable {
  /// The list.
  public let value: Value
  /// What became of the one before.
  public let difference: ListDifference<Value.Element.ID>
}

/// The answers to a live list with their differences: what `LiveValues.updates` gives.
public struct LiveUpdates<Value: Collection & Equatable & Sendable>: AsyncSequence, Sendable
where Value.Element: Identifiable & Equatable, Value.Element.ID: Sendable {
  fileprivate let values: LiveValues<Value>

  /// Begins with the answer of now.
  public func makeAsyncIterator() -> Iterator { Iterator(values: values.makeAsyncIterator()) }

  /// Gives one answer after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var values: LiveValues<Value>.Iterator
    private var last: Value?

    fileprivate init(values: LiveValues<Value>.Iterator) { self.values = values }

    /// The next answer and its difference; nil when the task is cancelled or the graph is closed. Errors: those of the
    /// question.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(KithError) -> LiveUpdate<Value>? {
      guard let value = try await values.next(isolation: actor) else { return nil }
      let difference =
        if let last { ListDifference(from: last, to: value) } else { ListDifference(from: [], to: value) }
      last = value
      return LiveUpdate(value: value, difference: difference)
    }
  }
}
