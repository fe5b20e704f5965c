import Observation
import Synchronization
import Testing

@testable import Kith

/// The `@Observable` adapters, as a view uses them.
@MainActor @Suite struct LiveModelTests {
  /// Counts the changes of what `read` reads, as a view is drawn again.
  private final class Tracker: Sendable {
    private let count = Atomic(0)
    var value: Int { count.load(ordering: .relaxed) }

    @MainActor func track(_ read: () -> Void) {
      withObservationTracking(read) { [self] in count.add(1, ordering: .relaxed) }
    }
  }

  /// Waits until a condition holds; false after twenty seconds.
  private func comes(_ condition: () -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while !condition() {
      if ContinuousClock.now > end { return false }
      try await Task.sleep(for: .milliseconds(1))
    }
    return true
  }

  @Test("A model loads, follows changes, tells its trackers, and ends with the query's error")
  func value() async throws {
    let graph = SocialGraph()
    let ann = try await graph.addUser("ann")
    let bob = try await graph.addUser("bob")
    let model = LiveModel(graph, .user(ann))
    #expect(model.isLoading && model.value == nil && model.error == nil)
    #expect(try await comes { !model.isLoading } && model.value?.username == "ann")
    let tracker = Tracker()
    tracker.track { _ = model.value }
    try await graph.follow(ann, as: bob)
    #expect(try await comes { model.value?.followerCount == 1 } && tracker.value == 1)
    try await graph.removeUser(ann)
    #expect(try await comes { model.error != nil })
    #expect(model.value?.followerCount == 1 && !model.isLoading && !graph.anyObservers.areThere)
  }

  @Test("A model that was ended, or whose graph is closed, changes no more")
  func ending() async throws {
    let graph = SocialGraph()
    let ann = try await graph.addUser("ann")
    let (ended, other) = (LiveModel(graph, .user(ann)), LiveModel(graph, .user(ann)))
    let search = SearchModel(graph, .users(), debounce: .zero)
    #expect(try await comes { ended.value != nil && other.value != nil && search.results.count == 1 })
    ended.end()
    search.end()
    try await graph.renameUser(ann, to: "Anna")
    search.text = "b"
    #expect(try await comes { other.value?.username == "Anna" })
    #expect(ended.value?.username == "ann" && search.results.first?.username == "ann" && !search.isLoading)
    let early = LiveModel(graph, .user(ann))
    early.end()
    #expect(!early.isLoading)
    try await graph.close()
    #expect(try await comes { !graph.anyObservers.areThere })
    #expect(early.value == nil && other.value?.username == "Anna" && other.error == nil)
    let late = LiveModel(graph, .user(ann))
    #expect(try await comes { !late.isLoading } && late.value == nil && late.error == nil)
  }

  @Test("A search model debounces its text and tells its trackers about results")
  func search() async throws {
    let graph = SocialGraph()
    let ann = try await graph.addUser("ann")
    try await graph.addPost("a red sky", by: ann)
    let clock = ManualClock()
    let model = SearchModel(graph, .posts(), clock: clock)
    #expect(model.isLoading && model.results.isEmpty)
    #expect(try await comes { !model.isLoading })
    let tracker = Tracker()
    tracker.track { _ = model.isLoading }
    model.text = "red"
    #expect(tracker.value == 1 && model.isLoading && model.results.query == "")
    await clock.sleepers(1)
    tracker.track { _ = model.results }
    clock.advance(by: .milliseconds(200))
    #expect(try await comes { !model.isLoading } && tracker.value == 2)
    #expect(model.results.query == "red" && model.results.map(\.text) == ["a red sky"])
    try await graph.addPost("another red sky", by: ann)
    #expect(try await comes { model.results.count == 2 } && model.results.difference.insertions.map(\.index) == [0])
    try await graph.close()
    model.text = "sky"
    // The text may be typed before the session learns that the graph is closed: then its timer ends it.
    #expect(
      try await comes {
        clock.advance(by: .milliseconds(200))
        return !model.isLoading
      })
  }

  @Test("A model that is released is freed, and its query ends")
  func release() async throws {
    let graph = SocialGraph()
    let ann = try await graph.addUser("ann")
    var model: LiveModel? = LiveModel(graph, .user(ann))
    var search: SearchModel<Page<User>>? = SearchModel(graph, .users())
    #expect(try await comes { model?.value != nil && search?.results.count == 1 })
    weak var weakModel: LiveModel<User, KithError>?
    weak var weakSearch: SearchModel<Page<User>>?
    (weakModel, weakSearch) = (model, search)
    search?.text = "an"
    (model, search) = (nil, nil)
    #expect(try await comes { weakModel == nil && weakSearch == nil && !graph.anyObservers.areThere })
    // Released before the first result.
    _ = LiveModel(graph, .user(ann))
    _ = SearchModel(graph, .users())
    #expect(try await comes { !graph.anyObservers.areThere })
  }
}
