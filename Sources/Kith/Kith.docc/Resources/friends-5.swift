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

    func pressButton(of user: User) async throws {
      if user.isFollowedByViewer == true {
        try await graph.unfollow(user.id, as: me)
      } else {
        try await graph.follow(user.id, as: me)
      }
    }

    box.type("joa")

    for await rows in box {
      for user in rows {
        print(user.username, user.isFollowedByViewer == true)  // Joanna false, then Joanna true
      }
      if rows.contains(where: { $0.isFollowedByViewer == true }) { break }
      try await pressButton(of: rows[0])
    }
  }
}
