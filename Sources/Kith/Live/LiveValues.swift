extension SocialGraph {
  /// The answer to a question now, and again whenever it has become another one.
  ///
  /// The question is asked in the task that iterates, never by a writer, and only after a change that touches what its
  /// last answer was made of; of answers that follow fast upon another only the newest is seen, and none twice in a
  /// row. Every one is the whole truth of one instant, and the last one that of the end. An observer is told of changes
  /// when they are as safe as the store promises, and then asks as `read` does.
  ///
  /// ```swift
  /// for try await post in graph.values(of: .post(id, as: ann)) { label.text = "\(post.likeCount)" }
  /// ```
  ///
  /// It ends with its task, when the graph is closed, or by an error of the question (the user was removed).
  /// - Complexity: a change costs its writer a look for each thing that it touches, however many questions are live; a
  ///   question that watches one of them costs as much again to wake. A removed user wakes all.
  public func values<Value>(of question: LiveQuestion<Value>) -> LiveValues<Value> {
    LiveValues(graph: self, question: question)
  }

  /// Calls back with the answer to a question now, and whenever it has become another one, until the token is cancelled
  /// or gone: for those who have no task of their own. After an error no more is called.
  public func observe<Value>(
    _ question: LiveQuestion<Value>, _ body: @escaping @Sendable (Result<Value, KithError>) -> Void
  ) -> Observation {
    let values = values(of: question)
    return Observation { observation in
      do throws(KithError) {
        for try await value in values { observation.call { body(.success(value)) } }
      } catch {
        observation.call { body(.failure(error)) }
      }
    }
  }
}

/// The answers to a live question: what `SocialGraph.values(of:)` gives. Every iterator is an observer of its own.
public struct LiveValues<Value: Equatable & Sendable>: AsyncSequence, Sendable {
  fileprivate let graph: SocialGraph
  fileprivate let question: LiveQuestion<Value>

  /// Begins with the answer of now.
  public func makeAsyncIterator() -> Iterator { Iterator(subscription: LiveSubscription(graph, question)) }

  /// Gives one answer after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let subscription: LiveSubscription<Value>

    /// The next answer; nil when the task is cancelled or the graph is closed. Errors: those of the question.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(KithError) -> Value? {
      while !subscription.hasEnded {
        await subscription.waker.wait(isolation: actor)
        if Task.isCancelled { subscription.end() } else if let value = try subscription.ask() { return value }
      }
      return nil
    }
  }
}

/// One observer of one question: its last answer, and what that was made of.
package final class LiveSubscription<Value: Equatable & Sendable> {
  private let graph: SocialGraph
  private let question: LiveQuestion<Value>
  private var watch: Watch
  private var last: Value?
  private(set) var hasEnded = false

  package init(_ graph: SocialGraph, _ question: LiveQuestion<Value>) {
    self.graph = graph
    self.question = question
    watch = Watch(graph, Waker(isTold: true))
  }

  deinit { end() }

  var waker: Waker { watch.waker }

  /// Watches nothing any more.
  package func end() {
    hasEnded = true
    watch.end()
  }

  /// The answer, if somebody told of a change and it differs from the last.
  package func askIfTold() throws(KithError) -> Value? {
    waker.takeTold() && !hasEnded ? try ask() : nil
  }

  /// The answer, if it differs from the last. A graph that is closed ends it without an error.
  func ask() throws(KithError) -> Value? {
    do throws(KithError) {
      let (answer, sequence) = try graph.read { (view) throws(KithError) in
        try view.checkOpen()
        return (try question.ask(view), view.sequence)
      }
      watch.watch(answer.dependencies, asOf: sequence)
      if answer.value == last { return nil }
      last = answer.value
      return answer.value
    } catch {
      end()
      if error == .closed { return nil }
      throw error
    }
  }
}

/// What one observer watches.
struct Watch: Sendable {
  let waker: Waker
  private let graph: SocialGraph
  private var dependencies: Set<Dependency> = []
  /// As they were given.
  private var given: [Dependency] = []
  /// Those of the graph, once it is counted among them.
  private var observers: Observers?

  init(_ graph: SocialGraph, _ waker: Waker) {
    self.graph = graph
    self.waker = waker
  }

  /// From now on it watches these, of which an answer was made; if the graph went on before that, and something of
  /// them is new, the waker is told at once.
  /// - Parameter sequence: the instant of the answer.
  mutating func watch(_ dependencies: [Dependency], asOf sequence: UInt64) {
    if dependencies == given { return }
    given = dependencies
    let wanted = Set(dependencies)
    let observers = observers ?? graph.anyObservers
    if self.observers == nil { observers.add() }
    self.observers = observers
    let new = wanted.subtracting(self.dependencies)
    observers.watchers.add(waker, to: new)
    observers.watchers.remove(waker, from: self.dependencies.subtracting(wanted))
    self.dependencies = wanted
    if !new.isEmpty, graph.read({ $0.sequence }) != sequence { waker.tell() }
  }

  /// Watches nothing any more.
  mutating func end() {
    guard let observers else { return }
    observers.watchers.remove(waker, from: dependencies)
    (dependencies, given) = ([], [])
    observers.remove()
    self.observers = nil
  }
}
