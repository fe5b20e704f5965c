import Kith

@main struct Friends {
  static func main() async throws {
    let graph = SocialGraph()
    for name in ["ann", "Anna", "bob", "Hannah", "Joanna"] {
      try await graph.addUser(name)
    }

    let found = try graph.read { view in try view.searchUsers("ann") }
    for user in found {
      print(user.username)  // ann, Anna, Hannah, Joanna
    }
  }
}
