extension SocialGraph {
  /// The query's current result, then each later result that differs.
  ///
  /// The query runs in the iterating task, never in a writer, and only after a change that touches a dependency of its
  /// last result. Intermediate results may be skipped. Consecutive results differ. Every result reflects one committed
  /// state, and the last one reflects the final state. An observer is notified of a change once it is as durable as the
  /// store promises, and then reads as `read` does.
  ///
  /// ```swift
  /// for try await post in graph.values(of: .post(id, as: ann)) { label.text = "\(post.likeCount)" }
  /// ```
  ///
  /// The sequence ends with its task, when the graph is closed, or with an error of the query (for example, its user
  /// was removed).
  /// - Complexity: A change costs its writer one lookup per dependency that it touches, however many queries are live,
  ///   and one notification per query that depends on it. Removing a user notifies all.
  public func values<Value, Failure>(of question: LiveQuery<Value, Failure>) -> LiveValues<Value, Failure> {
    LiveValues(graph: self, question: question)
  }

  /// Calls `body` with the query's current result, then with each later result that differs, until the token is
  /// cancelled or freed. For callers without a task of their own. An error is the last call.
  public func observe<Value, Failure>(
    _ question: LiveQuery<Value, Failure>, _ body: @escaping @Sendable (Result<Value, Failure>) -> Void
  ) -> ObservationToken {
    let values = values(of: question)
    return ObservationToken { observation in
      do throws(Failure) {
        for try await value in values { observation.call { body(.success(value)) } }
      } catch {
        observation.call { body(.failure(error)) }
      }
    }
  }
}

/// The results of a live query (`SocialGraph.values(of:)`). Each iterator is a separate observer.
public struct LiveValues<Value: Equatable & Sendable, Failure: Error>: AsyncSequence, Sendable {
  fileprivate let graph: SocialGraph
  fileprivate let question: LiveQuery<Value, Failure>

  /// Begins with the current result.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: LiveSubscription(graph, question)) }

  /// Iterates over results.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: LiveSubscription<Value, Failure>

    /// The next result; nil when the task is cancelled or the graph is closed.
    /// - Throws: the errors of the query.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(Failure) -> Value? {
      while !subscription.hasEnded {
        await subscription.signal.wait(isolation: actor)
        if Task.isCancelled { subscription.end() } else if let value = try subscription.ask() { return value }
      }
      return nil
    }
  }
}

/// One observer of one query: its last result and that result's dependencies.
package final class LiveSubscription<Value: Equatable & Sendable, Failure: Error> {
  private let graph: SocialGraph
  private let question: LiveQuery<Value, Failure>
  private var watch: Watch
  private var last: Value?
  package private(set) var hasEnded = false

  /// - Parameter next: also notified when the result may have changed.
  package init(_ graph: SocialGraph, _ question: LiveQuery<Value, Failure>, passingTo next: AsyncSignal? = nil) {
    self.graph = graph
    self.question = question
    watch = Watch(graph, AsyncSignal(isNotified: true, passingTo: next))
  }

  deinit { end() }

  var signal: AsyncSignal { watch.signal }

  /// Ends the subscription.
  package func end() {
    hasEnded = true
    watch.end()
  }

  /// What the last result depends on, in number: for each it is subscribed once.
  package var dependencyCount: Int { watch.dependencyCount }

  /// The result, if a change was notified. It is not compared with the last one, and not kept.
  package func rerunIfTold() throws(Failure) -> Value? {
    signal.takeNotification() && !hasEnded ? try rerun() : nil
  }

  /// The result, if a change was notified and the result differs from the last one.
  package func askIfTold() throws(Failure) -> Value? {
    signal.takeNotification() && !hasEnded ? try ask() : nil
  }

  /// The result, if it differs from the last one.
  func ask() throws(Failure) -> Value? {
    guard let value = try rerun(), value != last else { return nil }
    last = value
    return value
  }

  /// The result, whatever the last one was. If the graph is closed, the subscription ends without an error.
  private func rerun() throws(Failure) -> Value? {
    do throws(Failure) {
      guard let (answer, sequence) = try question.answer(graph) else {
        end()
        return nil
      }
      watch.watch(answer.dependencies, asOf: sequence)
      return answer.value
    } catch {
      end()
      throw error
    }
  }
}

/// The subscriptions of one observer.
struct Watch: Sendable {
  let signal: AsyncSignal
  private let graph: SocialGraph
  private var dependencies: Set<QueryDependency> = []
  /// The dependencies, in the order given.
  private var given: [QueryDependency] = []
  /// The observers of the graph, once this one is counted among them.
  private var observers: Observers?

  init(_ graph: SocialGraph, _ signal: AsyncSignal) {
    self.graph = graph
    self.signal = signal
  }

  /// The dependencies that are subscribed.
  var dependencyCount: Int { dependencies.count }

  /// Subscribes to the dependencies of a result. If one of them may have changed since the result, the signal is set at
  /// once.
  /// - Parameter sequence: the sequence number of the state of the result.
  mutating func watch(_ dependencies: [QueryDependency], asOf sequence: UInt64) {
    if let observers, !observers.mark.isOwn { (self.observers, self.dependencies, given) = (nil, [], []) }
    if dependencies == given { return }
    given = dependencies
    let wanted = Set(dependencies)
    let observers = observers ?? graph.anyObservers
    if self.observers == nil { observers.add() }
    self.observers = observers
    let new = wanted.subtracting(self.dependencies)
    observers.subscriptions.add(signal, to: new)
    observers.subscriptions.remove(signal, from: self.dependencies.subtracting(wanted))
    self.dependencies = wanted
    if !new.isEmpty, graph.read({ $0.sequence }) != sequence { signal.notify() }
  }

  /// Unsubscribes from everything.
  mutating func end() {
    guard let observers, observers.mark.isOwn else { return }
    observers.subscriptions.remove(signal, from: dependencies)
    (dependencies, given) = ([], [])
    observers.remove()
    self.observers = nil
  }
}
