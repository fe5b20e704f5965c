import Observation

/// A live query for a view: its value, its error, and whether it is loading. SwiftUI, and any code that tracks
/// `@Observable` properties, is updated when they change.
///
/// ```swift
/// let post = LiveModel(graph, .post(id, as: me))
/// Text("\(post.value?.likeCount ?? 0) likes")
/// ```
///
/// The query runs outside the main actor, as `SocialGraph.values` describes. It ends with `end()`, when the model is
/// freed, when the graph is closed, or with an error.
@MainActor @Observable
public final class LiveModel<Value: Equatable & Sendable, Failure: Error> {
  /// The newest result; nil before the first one. Remains after an error.
  public private(set) var value: Value?
  /// The error that ended the query.
  public private(set) var error: Failure?
  /// Whether the first result is still to come.
  public private(set) var isLoading = true
  @ObservationIgnored private var task: Task<Void, Never>?
  @ObservationIgnored private let mark = ProcessMark()

  /// Runs the query until the end of the model.
  public init(_ graph: SocialGraph, _ query: LiveQuery<Value, Failure>) {
    task = Task.detached(executorPreference: ThreadExecutor.shared, priority: .userInitiated) { [weak self] in
      do throws(Failure) {
        for try await value in graph.values(of: query) { await self?.show(value) }
        await self?.finish(nil)
      } catch {
        await self?.finish(error)
      }
    }
  }

  deinit { if mark.isOwn { task?.cancel() } }

  /// Ends the query: the model changes no more.
  public func end() {
    if !mark.isOwn { return }
    task?.cancel()
    task = nil
    isLoading = false
  }

  private func show(_ value: Value) {
    if task == nil { return }
    self.value = value
    isLoading = false
  }

  private func finish(_ error: Failure?) {
    if task == nil { return }
    self.error = error
    end()
  }
}
