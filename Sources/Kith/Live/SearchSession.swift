import Synchronization

/// What a search box needs: it is told each keystroke, and gives the users to show.
///
/// ```swift
/// let session = SearchSession(graph, UserSearch(viewer: me, excluding: me))
/// field.onChange { session.type($0) }
/// for await results in session { show(results.users) }
/// ```
///
/// An empty box shows everybody. A text is searched for when nobody typed for the debounce time; a search that is under
/// way for an older text is cancelled. A text that only narrows an answer which held all matches is answered from it,
/// at once. What is given is always for the newest text, never the same twice in a row; and it goes on as the graph
/// does: after a follow, a rename or a new user that may alter it, the box is searched for again. Changes are seen as
/// by `SocialGraph.values`.
///
/// One task iterates at a time; while none does, nothing is searched for and nothing watched. An iterator ends with its
/// task, when another one begins, by `end`, or when the graph is closed.
public final class SearchSession: AsyncSequence, Sendable {
  private struct State: Sendable {
    var machine: SearchMachine<SearchResults>
    var watch: Watch
    /// Told when there may be something to take; of the present iterator, as the watch.
    var waker = Waker()
    var timer: Task<Void, Never>?
    var search: Task<Void, Never>?
    var shown: [User] = []
    /// The number of the iterator that the answers are for.
    var visit = 0
    var hasEnded = false
  }

  private let graph: SocialGraph
  private let options: UserSearch
  private let debounce: Duration
  private let clock: any Clock<Duration>
  private let state: Mutex<State>

  /// - Parameters:
  ///   - search: how to search; its limit is that of the list, and its cursor is to be nil.
  ///   - debounce: how long nobody must have typed; nothing for a search with every letter.
  ///   - clock: what measures that.
  public init(
    _ graph: SocialGraph, _ search: UserSearch = UserSearch(), debounce: Duration = .milliseconds(200),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.graph = graph
    self.debounce = debounce
    self.clock = clock
    options = search
    state = Mutex(State(machine: SearchMachine(debounces: debounce > .zero), watch: Watch(graph, Waker())))
  }

  deinit { end() }

  // MARK: - The box

  /// The box holds this text now.
  public func type(_ text: String) { step { $0.type(text) } }

  /// Nothing more is shown, and nothing watched.
  public func end() {
    state.withLock { state in
      state.hasEnded = true
      state.timer?.cancel()
      state.search?.cancel()
      state.watch.end()
      state.waker.tell()
    }
  }

  // MARK: - What is shown

  /// Gives the results for the box as it is, and goes on.
  public func makeAsyncIterator() -> Iterator { Iterator(visit: Visit(self)) }

  /// Gives one answer after the other.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let visit: Visit

    /// What to show next; nil when the task is cancelled, the session was ended or the graph is closed.
    public mutating func next(isolation actor: isolated (any Actor)? = #isolation) async -> SearchResults? {
      let session = visit.session
      while true {
        if Task.isCancelled { session.leave(visit.number) }
        switch session.take(visit.number) {
        case .ended: return nil
        case .nothing: await visit.waker.wait(isolation: actor)
        case .results(let results): return results
        }
      }
    }
  }

  /// One iterator; with its last copy it leaves.
  fileprivate final class Visit {
    let session: SearchSession
    let waker = Waker()
    let number: Int

    init(_ session: SearchSession) {
      self.session = session
      number = session.enter(waker)
    }

    deinit { session.leave(number) }
  }

  /// Somebody begins to take answers, in the place of whoever did before. Returns their number.
  private func enter(_ waker: Waker) -> Int {
    state.withLock { state in
      leave(&state)
      state.waker = waker
      state.watch = Watch(graph, Waker(passingTo: waker))
      return state.visit
    }
  }

  private func leave(_ number: Int) {
    state.withLock { state in
      if number == state.visit { leave(&state) }
    }
  }

  private func leave(_ state: inout State) {
    perform(state.machine.left(), &state)
    state.watch.end()
    state.shown = []
    state.visit += 1
    state.waker.tell()
  }

  private enum Taken {
    case results(SearchResults)
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
      answer.difference = ListDifference(from: state.shown, to: answer.users)
      state.shown = answer.users
      return .results(answer)
    }
  }

  // MARK: - The machine's hands

  private func step(_ body: (inout SearchMachine<SearchResults>) -> [SearchMachine<SearchResults>.Effect]) {
    state.withLock { state in
      if state.hasEnded { return }
      noteChanges(&state)
      perform(body(&state.machine), &state)
    }
  }

  private func noteChanges(_ state: inout State) {
    if state.watch.waker.takeTold() { perform(state.machine.touched(), &state) }
  }

  private func perform(_ effects: [SearchMachine<SearchResults>.Effect], _ state: inout State) {
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
        state.search = Task { [weak self, graph, options] in
          let question = LiveQuestion.search(text, options)
          let result = Result { () throws(KithError) in
            try graph.read { (view) throws(KithError) in (try question.ask(view), view.sequence) }
          }
          self?.finish(number, text, result)
        }
      case .cancelAsk: state.search?.cancel()
      case .tell: state.waker.tell()
      }
    }
  }

  /// A search came to its end; one that was cancelled is none of the machine's any more.
  private func finish(
    _ number: Int, _ text: String, _ result: Result<(LiveQuestion<UserPage>.Answer, UInt64), KithError>
  ) {
    if case .failure(.closed) = result { return end() }
    let results = SearchResults(text, options, result.map(\.0.value))
    state.withLock { state in
      if state.hasEnded { return }
      if case .success((let answer, let sequence)) = result, state.machine.awaits(number) {
        state.watch.watch(answer.dependencies, asOf: sequence)
      }
      noteChanges(&state)
      perform(state.machine.answered(number, results), &state)
    }
  }
}
