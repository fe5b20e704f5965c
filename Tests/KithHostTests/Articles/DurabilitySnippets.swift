import Kith
import Testing

// Made from Sources/Kith/Kith.docc/Durability.md by KITH_WRITE_ARTICLES=1 swift test --filter ArticleTests
extension ArticleSnippets {
  @Test("The snippets of Durability compile and run")
  func durability() async throws {
    let graph = try await SocialGraph.open(path)
    let ann = try await graph.addUser("ann")
    try await graph.close()

    let again = try await SocialGraph.open(path)
    let found = again.read { $0.findUser(named: "ann") }
    precondition(found == ann)

    let snapshot = try await again.snapshot()
    print(snapshot.path, snapshot.sequence)

    try await again.close()
  }
}
