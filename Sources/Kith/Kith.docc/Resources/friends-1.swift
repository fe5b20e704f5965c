import Kith

@main struct Friends {
  static func main() async throws {
    let graph = SocialGraph()
    for name in ["ann", "Anna", "bob", "Hannah", "Joanna"] {
      try await graph.addUser(name)
    }
  }
}
