import Kith

@main struct Friends {
  static func main() async throws {
    let graph = SocialGraph()
    let me = try await graph.addUser("ann")
    for name in ["Anna", "bob", "Hannah", "Joanna"] {
      try await graph.addUser(name)
    }

    let query = UserQuery(order: .followedFirst, excludedUser: me, limit: 10, viewer: me)
    let box = SearchSession(graph, .users(query))

    box.type("jo")
    box.type("joa")

    for await rows in box {
      for user in rows {
        print(user.username, user.isFollowedByViewer == true)  // Joanna false
      }
      break
    }
  }
}
