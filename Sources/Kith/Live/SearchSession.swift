import Synchronization

/// A debounced, live search box: takes keystrokes and yields the list to show.
///
/// ```swift
/// let session = SearchSession(graph, .users(UserQuery(excludedUser: me, viewer: me)))
/// field.onChange { session.type($0) }
/// for await results in session { show(results.items) }
/// ```
///
/// A text is searched once it has not changed for the debounce time; a running search for an older text is cancelled.
/// An empty box is searched at once. A text that narrows a complete result of `.users` is answered from it at once,
/// without a search. Results are always for the newest text, and consecutive ones differ. The search is live: it runs
/// again after a change that may alter the result. Changes are seen as by `SocialGraph.values`.
///
/// One task iterates at a time. While none does, nothing is searched or observed. An iterator ends with its task, when
/// another one begins, by `end`, or when the graph is closed. `SearchModel` iterates for SwiftUI.
public final class SearchSession<Value: RandomAccessCollection & Equatable & Sendable>: AsyncSequence, Sendable
where Value.Element: Identifiable & Equatable, Value.Element.ID: Sendable {
  private typealias Machine = SearchMachine<SearchResults<Value>>

  private struct State: Sendable {
    var machine: Machine
    var watch: Watch
    /// Set when there may be a result to take. Belongs to the current iterator, as does the watch.
    var signal = AsyncSignal()
    var timer: Task<Void, Never>?
    var search: Task<Void, Never>?
    /// The list that was taken last.
    var shown: SearchResults<Value>?
    /// The number of the current iterator.
    var visit = 0
    var hasEnded = false
  }

  private let graph: SocialGraph
  private let search: LiveSearch<Value>
  private let debounce: Duration
  private let clock: any Clock<Duration>
  private let state: Mutex<State>
  private let mark = ProcessMark()

  /// - Parameters:
  ///   - graph: the graph that is searched, and followed.
  ///   - search: what is searched.
  ///   - debounce: how long the text must stay unchanged; zero to search at every keystroke.
  ///   - clock: the clock of the debounce time.
  public init(
    _ graph: SocialGraph, _ search: LiveSearch<Value>, debounce: Duration = .milliseconds(200),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.graph = graph
    self.debounce = debounce
    self.clock = clock
    self.search = search
    state = Mutex(State(machine: Machine(debounces: debounce > .zero), watch: Watch(graph, AsyncSignal())))
  }

  deinit { end() }

  // MARK: - Input

  /// Sets the text of the box.
  public func type(_ text: String) { step { $0.type(text) } }

  /// Ends the session: no more results follow.
  public func end() {
    if !mark.isOwn { return }
    state.withLock { state in
      state.hasEnded = true
      state.timer?.cancel()
      state.search?.cancel()
      state.watch.end()
      state.signal.notify()
    }
  }

  // MARK: - Results

  /// Yields the results for the current text, then every later one.
  public func makeAsyncIterator() -> Iterator { Iterator(visit: Visit(self)) }

  /// Iterates over results.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let visit: Visit

    /// The next results; nil when the task is cancelled, the session was ended or the graph is closed.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> SearchResults<Value>? {
      let session = visit.session
      while true {
        if Task.isCancelled { session.leave(visit.number) }
        switch session.take(visit.number) {
        case .ended: return nil
        case .nothing: await visit.signal.wait(isolation: actor)
        case .results(let results): return results
        }
      }
    }
  }

  /// One iterator. It leaves the session when its last copy is freed.
  fileprivate final class Visit {
    let session: SearchSession
    let signal = AsyncSignal()
    let number: Int

    init(_ session: SearchSession) {
      self.session = session
      number = session.enter(signal)
    }

    deinit { session.leave(number) }
  }

  /// Registers a new iterator in place of the current one. Returns its number.
  private func enter(_ signal: AsyncSignal) -> Int {
    state.withLock { state in
      leave(&state)
      state.signal = signal
      state.watch = Watch(graph, AsyncSignal(passingTo: signal))
      return state.visit
    }
  }

  private func leave(_ number: Int) {
    if !mark.isOwn { return }
    state.withLock { state in
      if number == state.visit { leave(&state) }
    }
  }

  private func leave(_ state: inout State) {
    perform(state.machine.left(), &state)
    state.watch.end()
    state.shown = nil
    state.visit += 1
    state.signal.notify()
  }

  private enum Taken {
    case results(SearchResults<Value>)
    case nothing
    case ended
  }

  private func take(_ number: Int) -> Taken {
    state.withLock { state in
      if state.hasEnded || number != state.visit { return .ended }
      noteChanges(&state)
      let (answer, effects) = state.machine.take()
      perform(effects, &state)
      guard var answer else { return .nothing }
      answer.difference = ListDifference(from: state.shown?.items ?? [], to: answer)
      state.shown = answer
      return .results(answer)
    }
  }

  // MARK: - Effects

  private func step(_ body: (inout Machine) -> [Machine.Effect]) {
    state.withLock { state in
      if state.hasEnded { return }
      noteChanges(&state)
      perform(body(&state.machine), &state)
    }
  }

  private func noteChanges(_ state: inout State) {
    if state.watch.signal.takeNotification() { perform(state.machine.touched(), &state) }
  }

  private func perform(_ effects: [Machine.Effect], _ state: inout State) {
    for effect in effects {
      switch effect {
      case .startTimer(let number):
        state.timer?.cancel()
        state.timer = Task { [weak self, clock, debounce] in
          try? await clock.sleep(for: debounce)
          if !Task.isCancelled { self?.step { $0.waited(number) } }
        }
      case .stopTimer: state.timer?.cancel()
      case .ask(let text, let number):
        state.search = Task(executorPreference: ThreadExecutor.shared) { [weak self, graph, search] in
          let question = search.query(text)
          let result = Result { () throws(KithError) in try question.answer(graph) }
          self?.finish(number, text, result)
        }
      case .cancelAsk: state.search?.cancel()
      case .notify: state.signal.notify()
      }
    }
  }

  /// Handles the end of a search. Results of a cancelled search are ignored.
  /// - Parameter result: nil if the graph was closed.
  private func finish(
    _ number: Int, _ text: String,
    _ result: Result<(answer: LiveQuery<Value, KithError>.Answer, sequence: UInt64)?, KithError>
  ) {
    let found: Result<Value, KithError>
    var seen: (dependencies: [QueryDependency], sequence: UInt64)?
    switch result {
    case .success(nil): return end()
    case .success((let answer, let sequence)?):
      found = .success(answer.value)
      seen = (answer.dependencies, sequence)
    case .failure(let error): found = .failure(error)
    }
    let results = SearchResults(text, search, found)
    state.withLock { state in
      if state.hasEnded { return }
      if let seen, state.machine.awaits(number) { state.watch.watch(seen.dependencies, asOf: seen.sequence) }
      noteChanges(&state)
      perform(state.machine.answered(number, results), &state)
    }
  }
}
