import Kith

@MainActor final class FriendSearch {
  let search: SearchModel<Page<User>>
  private let graph: SocialGraph
  private let me: UserID

  init(_ graph: SocialGraph, me: UserID) {
    (self.graph, self.me) = (graph, me)
    search = SearchModel(graph, .users(UserQuery(order: .followedFirst, excludedUser: me, viewer: me)))
  }

  func pressButton(of user: User) async throws {
    if user.isFollowedByViewer == true {
      try await graph.unfollow(user.id, as: me)
    } else {
      try await graph.follow(user.id, as: me)
    }
  }
}
