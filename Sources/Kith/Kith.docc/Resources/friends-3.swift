import Kith

@main struct Friends {
  static func main() async throws {
    let graph = SocialGraph()
    let me = try await graph.addUser("ann")
    for name in ["Anna", "bob", "Hannah", "Joanna"] {
      try await graph.addUser(name)
    }

    let query = UserQuery(order: .followedFirst, excludedUser: me, limit: 10, viewer: me)
    let found = try graph.read { view in try view.searchUsers("ann", query) }
    for user in found {
      print(user.username, user.isFollowedByViewer == true)  // Anna, Hannah, Joanna: false
    }
  }
}
