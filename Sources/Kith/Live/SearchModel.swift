import Observation

/// A search box for a view: text in, results out. SwiftUI, and any code that tracks `@Observable` properties, is
/// updated when they change.
///
/// ```swift
/// @State var search: SearchModel<Page<User>>  // SearchModel(graph, .users(UserQuery(viewer: me)))
/// TextField("Name", text: $search.text)
/// ForEach(search.results) { user in Text(user.username) }
/// ```
///
/// It is a `SearchSession`: debounced, cancelled, narrowed and live, run outside the main actor. It ends with `end()`,
/// when the model is freed, or when the graph is closed.
@MainActor @Observable
public final class SearchModel<Value: RandomAccessCollection & Equatable & Sendable>
where Value.Element: Identifiable & Equatable, Value.Element.ID: Sendable {
  /// The text of the box.
  public var text = "" { didSet { session.type(text) } }
  /// The newest results, which may be those of an earlier text; empty before the first ones.
  public private(set) var results: SearchResults<Value>
  private var hasEnded = false
  @ObservationIgnored private let session: SearchSession<Value>
  @ObservationIgnored private var task: Task<Void, Never>?
  @ObservationIgnored private let mark = ProcessMark()

  /// Searches until the end of the model.
  /// - Parameters:
  ///   - graph: the graph that is searched, and followed.
  ///   - search: what is searched.
  ///   - debounce: how long the text must stay unchanged; zero to search at every keystroke.
  ///   - clock: the clock of the debounce time.
  public init(
    _ graph: SocialGraph, _ search: LiveSearch<Value>, debounce: Duration = .milliseconds(200),
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    let session = SearchSession(graph, search, debounce: debounce, clock: clock)
    self.session = session
    results = SearchResults("", search, nil)
    task = Task.detached(executorPreference: ThreadExecutor.shared, priority: .userInitiated) { [weak self] in
      for await results in session { await self?.show(results) }
      await self?.end()
    }
  }

  deinit {
    if !mark.isOwn { return }
    task?.cancel()
    session.end()
  }

  /// Whether the results of the text are still to come.
  public var isLoading: Bool {
    let isFirst = results.value == nil && results.error == nil
    return !hasEnded && (isFirst || results.query != text)
  }

  /// Ends the search: the results change no more.
  public func end() {
    if !mark.isOwn { return }
    task?.cancel()
    session.end()
    hasEnded = true
  }

  private func show(_ newest: SearchResults<Value>) { if !hasEnded { results = newest } }
}
