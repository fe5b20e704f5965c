import Foundation
import Kith
import Observation
import Testing

/// A view model as a host writes it: the expansion of `@Observable` names the module `Observation` and its types, which
/// no public name of Kith may hide.
@MainActor @Observable final class FollowModel {
  private(set) var user: User
  private(set) var lastChange: Date?
  private(set) var sequence: UInt64 = 0
  @ObservationIgnored private let graph: SocialGraph
  @ObservationIgnored private let viewer: UserID

  init(_ graph: SocialGraph, user: UserID, viewer: UserID) throws {
    self.graph = graph
    self.viewer = viewer
    self.user = try graph.read { view in try view.user(user, as: viewer) }
  }

  func refresh() throws {
    user = try graph.read { view in try view.user(user.id, as: viewer) }
    sequence = graph.read { $0.sequence }
    lastChange = Date()
  }
}

/// Kith beside the modules that a host imports, through the public API alone.
@Suite struct ObservableTests {
  @Test("A class that imports Kith, Foundation and Observation can be @Observable")
  @MainActor func observable() async throws {
    let graph = SocialGraph()
    let ann = try await graph.addUser("ann")
    let bob = try await graph.addUser("bob")
    let model = try FollowModel(graph, user: bob, viewer: ann)
    try await confirmation("the model announces its change") { isChanged in
      withObservationTracking {
        _ = model.user.followerCount
      } onChange: {
        isChanged()
      }
      try await graph.follow(bob, as: ann)
      try model.refresh()
    }
    #expect(model.user.followerCount == 1)
    #expect(model.sequence == 3)
    #expect(model.lastChange != nil)
  }
}
